// tutti-actors-mpich and tutti-actors-openmpi: the program that `tutti run --actors` starts instead of the
// user's program.

#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "actors/calls/call_table.hpp"
#include "actors/container/job_record.hpp"
#include "actors/container/job_settings.hpp"
#include "actors/container/rank_map.hpp"
#include "actors/loader/program_image.hpp"
#include "actors/process/coverage.hpp"
#include "actors/process/crashes.hpp"
#include "actors/process/host.hpp"
#include "actors/process/launched.hpp"
#include "actors/process/meeting_point.hpp"
#include "actors/process/own_files.hpp"
#include "actors/process/program_check.hpp"
#include "actors/process/stand_in.hpp"
#include "actors/process/tunables.hpp"
#include "base/settings.hpp"
#include "collective/mpi/data/datatype.hpp"

namespace tutti::actors {

namespace {

constexpr int k_refused = 1;

/// True in the process that reports errors for all. The launcher sets its number before MPI is initialised.
bool speaks_for_all() {
  for (const char* const name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (const char* const rank = std::getenv(name); rank != nullptr) return std::string(rank) == "0";
  return true;
}

int refuse(const std::string& why) {
  constexpr unsigned k_time_to_speak_s = 1;  // a launcher ends the others when one has failed
  if (speaks_for_all())
    fmt::print(stderr, "tutti: {}\n", why);
  else
    sleep(k_time_to_speak_s);
  return k_refused;
}

GuestLibraries guest_libraries() {
  const std::filesystem::path folder = TUTTI_LIBRARY_FOLDER_FROM_HELPERS;
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return {.guest = (here / folder / "libtutti-guest.so").lexically_normal(),
          .stub = (here / folder / TUTTI_STUB_NAME).lexically_normal()};
}

[[noreturn]] void give_up(const base::Status& status) {
  fmt::print(stderr, "tutti: {}\n", status.message());
  PMPI_Abort(MPI_COMM_WORLD, k_refused);
  std::_Exit(k_refused);
}

struct Others {
  RankMap rank_map;
  JobSettings settings;
  std::unique_ptr<JobRecord> record;  // nullptr: nothing is recorded
  std::vector<int> sockets;           // MeetingPoint::meet()
};

base::Result<Others> find_others(int rank) {
  const auto here = MeetingPoint::open();
  if (!here) return here.status();
  std::vector<std::string> known, problems;  // `tutti run` has reported the known ones
  base::Settings settings = base::Settings::of_process(&known);
  auto rank_map = RankMap::agree(static_cast<int>(settings.number("TUTTI_ACTORS_PER_PROCESS")),
                                 JobSettings::fingerprint(settings), here->address());
  if (!rank_map) return rank_map.status();
  JobSettings shared = JobSettings::agree(std::move(settings), &problems);
  auto record = JobRecord::agree(shared.settings, *rank_map);
  if (!record) problems.push_back("TUTTI_RECORD: " + record.status().message() + "; nothing is recorded");
  if (rank == 0)
    for (const std::string& problem : problems) fmt::print(stderr, "tutti: {}\n", problem);
  auto sockets = here->meet(*rank_map, rank);
  if (!sockets) return sockets.status();
  return Others{std::move(*rank_map), std::move(shared), record ? std::move(*record) : nullptr,
                std::move(*sockets)};
}

int run(Launched mine) {
  int provided = MPI_THREAD_SINGLE;
  PMPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) {
    PMPI_Finalize();
    return refuse("ranks as threads need an MPI that grants MPI_THREAD_MULTIPLE");
  }
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  PMPI_Comm_rank(MPI_COMM_WORLD, &mine.rank);
  auto found = find_others(mine.rank);
  if (!found && found.status().code() == base::Code::invalid_argument) {
    PMPI_Finalize();
    return refuse(found.status().message());
  }
  if (!found) give_up(found.status());
  auto& [rank_map, settings, record, sockets] = *found;
  if (rank_map.leader_of(mine.rank) != mine.rank) stand_in(sockets[0], std::move(mine));

  std::vector<Launched> launched{std::move(mine)};
  for (const int socket : sockets) {
    auto other = receive_launched(socket);
    if (!other) give_up(other.status());
    launched.push_back(std::move(*other));
  }
  if (const base::Status status = mpi::prepare_datatypes(MPI_COMM_SELF); !status) give_up(status);
  Affinity::of_all(launched).apply();  // threads of the container serve all its ranks
  install_crash_handlers();
  return host(rank_map, std::move(settings), std::move(record), std::move(launched), sockets,
              guest_libraries());
}

// NOLINTNEXTLINE(bugprone-exception-escape): an unexpected exception ends the process either way
int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 2 && arguments[0] == "--check") {
    const base::Status status = check_program(arguments[1]);
    return status ? 0 : refuse(status.message());
  }
  if (arguments.empty()) return refuse("usage: tutti run --actors -- mpirun -n 8 ./program");
  begin_with_tunables(argv);
  auto launched = launched_here(arguments);
  if (!launched) return refuse(launched.status().message());
  if (const base::Status status = check_program(launched->program); !status) return refuse(status.message());
  if (!can_take_own_files())
    return refuse(
        "ranks as threads need a table of files each, which is refused here (unshare(2), by a container's "
        "filter?): "
        "run the program without --actors");
  return run(std::move(*launched));
}

}  // namespace

}  // namespace tutti::actors

int main(int argc, char** argv) {
  // No destructors: threads of ranks may still run.
  std::_Exit(tutti::actors::main(argc, argv));
}
