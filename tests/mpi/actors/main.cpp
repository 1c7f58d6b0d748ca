// mpi_actors MOST: the ranks of the job are threads of as few processes as there can be, with at most MOST in each. The
// processes that have none wait.

#include <mpi.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "actors/container/container.hpp"
#include "collective/mpi/data/datatype.hpp"
#include "tests/mpi/actors/traffic.hpp"

namespace tutti::test {

namespace {

class Observer final : public actors::LifeObserver {
 public:
  void initialised(const actors::Rank&) override {}
  void record_ends() override {}
  void aborts(const actors::Rank&, int code) override { PMPI_Abort(MPI_COMM_WORLD, code); }
};

void run_ranks(const actors::RankMap& places, int leader) {
  if (!mpi::prepare_datatypes(MPI_COMM_SELF)) std::abort();
  Observer observer;
  std::vector<std::string> problems;
  const actors::JobSettings settings(base::Settings::of_process(&problems), {}, &problems);
  actors::Container container(places, settings, nullptr, places.ranks_of_leader(leader), observer);
  container.set_loaded();
  std::vector<std::thread> threads;
  for (const auto& rank : container.ranks()) threads.emplace_back([&rank] { run_traffic(*rank); });
  for (std::thread& thread : threads) thread.join();
  container.disconnect();
}

}  // namespace

}  // namespace tutti::test

int main(int argc, char** argv) {
  int provided = 0, rank = 0;
  PMPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto places = tutti::actors::RankMap::agree(argc > 1 ? std::atoi(argv[1]) : 1);
  if (!places) PMPI_Abort(MPI_COMM_WORLD, 1);
  if (places->leader_of(rank) == rank) tutti::test::run_ranks(*places, rank);
  int mine = tutti::test::failures.load(), all = 0;
  PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%d checks failed\n", all);
  PMPI_Finalize();
  return all == 0 ? 0 : 1;
}
