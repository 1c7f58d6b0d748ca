// The program behind `tutti bench`: a plain MPI program whose "Tutti" side is whatever is preloaded under
// MPI_*.

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "bench/collective/cases.hpp"
#include "bench/collective/cluster.hpp"
#include "bench/collective/files.hpp"
#include "bench/collective/late.hpp"
#include "bench/collective/measure.hpp"
#include "bench/collective/options.hpp"
#include "bench/collective/output.hpp"
#include "bench/collective/output_late.hpp"

namespace {

using namespace tutti::bench;

struct Run {
  const Options& options;
  Cluster cluster;
  bool is_rank_0, tutti_is_loaded;
};

/// One status for all ranks: 1 for a result that is wrong, or a file that rank 0 could not write.
template <class Measured, class Write>
int finish(const Run& run, const std::vector<Measured>& all, Write&& write) {
  const bool right = std::all_of(all.begin(), all.end(), [](const Measured& m) { return m.right; });
  int status = right ? 0 : 1;
  if (run.is_rank_0 && !write(run.cluster, all)) status = 1;
  return status_of_rank_0(status);
}

/// All ranks call together.
int run_together(const Run& run) {
  const Options& options = run.options;
  if (run.is_rank_0) print_header(run.cluster, options, run.tutti_is_loaded);
  std::vector<Measurement> all;
  for (const std::string& collective : options.collectives) {
    if (run.is_rank_0) print_collective(collective);
    for (uint64_t bytes : options.all_sizes()) {
      const auto subject = make_case(collective, bytes, MPI_COMM_WORLD);
      if (subject == nullptr) continue;
      const uint64_t fitting = options.batch_bytes / std::max<uint64_t>(bytes, 1);
      const int batch = std::clamp(static_cast<int>(fitting), 1, options.max_batch);
      Measurement m = measure(*subject, collective, options, batch, MPI_COMM_WORLD);
      if (!run.tutti_is_loaded) m.choice = "native";
      if (run.cluster.link_bytes_per_second > 0)
        m.limit_us =
            subject->least_link_bytes(run.cluster.ranks_of_node) / run.cluster.link_bytes_per_second * 1e6;
      if (run.is_rank_0) print_row(m);
      all.push_back(m);
      if (collective == "barrier") break;  // has no size
    }
  }
  return finish(run, all,
                [&](const auto& cluster, const auto& rows) { return write_files(cluster, options, rows); });
}

/// Ranks come late. Each case has a communicator of its own, on which run-time selection finds its own choice.
int run_late(const Run& run, const tutti::arrival::Pattern& arrivals) {
  const Options& options = run.options;
  if (run.is_rank_0) print_late_header(run.cluster, options, arrivals, run.tutti_is_loaded);
  std::vector<LateMeasurement> all;
  for (const std::string& collective : options.collectives) {
    if (run.is_rank_0) print_late_collective(collective);
    for (uint64_t bytes : options.all_sizes()) {
      MPI_Comm comm = MPI_COMM_NULL;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      if (const auto subject = make_case(collective, bytes, comm); subject != nullptr) {
        LateMeasurement m = measure_late(*subject, collective, arrivals, options, comm);
        if (!run.tutti_is_loaded) m.choice = "native";
        if (run.is_rank_0) print_late_rows(m);
        all.push_back(std::move(m));
      }
      MPI_Comm_free(&comm);
      if (collective == "barrier") break;
    }
  }
  return finish(run, all, [&](const auto& cluster, const auto& rows) {
    return write_late_files(cluster, options, arrivals, rows);
  });
}

/// 0 when all is well, 1 when a result was wrong or a file could not be written, 2 for arrivals that cannot be.
int run(const Options& options, int rank) {
  const bool can_write = rank != 0 || (can_save(options.csv_file) && can_save(options.json_file));
  if (const int status = status_of_rank_0(can_write ? 0 : 1); status != 0) return status;
  const bool is_late = !options.arrivals.empty();
  const auto arrivals = arrivals_of_all(is_late ? options.arrivals : "none", MPI_COMM_WORLD);
  if (!arrivals) {
    if (rank == 0) std::fprintf(stderr, "tutti bench: --arrivals: %s\n", arrivals.status().message().c_str());
    return 2;
  }
  const Run run{options, find_cluster(MPI_COMM_WORLD), rank == 0,
                dlsym(RTLD_DEFAULT, "tutti_version") != nullptr};
  return is_late ? run_late(run, *arrivals) : run_together(run);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Options options;
  int status = 0;
  if (parse_options(argc, argv, rank == 0, &options, &status)) status = run(options, rank);
  MPI_Finalize();
  return exit_status(status);
}
