// The program behind `tutti bench --overlap`: a plain MPI program whose "Tutti" side is whatever is preloaded
// under MPI_*.

#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "bench/collective/cluster.hpp"
#include "bench/collective/files.hpp"
#include "bench/overlap/measure.hpp"
#include "bench/overlap/options.hpp"
#include "bench/overlap/output.hpp"

namespace {

using namespace tutti::bench;

/// Cores that the ranks of all nodes can use at the same time.
int core_count(const Cluster& cluster) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  const int per_node = sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 1;
  const auto add = [&](int sum, int ranks) { return sum + std::min(ranks, per_node); };
  return std::accumulate(cluster.ranks_of_node.begin(), cluster.ranks_of_node.end(), 0, add);
}

/// Every computation with a communicator of its own, which goes with the program.
std::vector<Companion> make_companions(const ComputationOptions& options) {
  std::vector<Companion> all;
  for (auto& computation : make_computations(options)) {
    all.push_back({std::move(computation), MPI_COMM_NULL});
    MPI_Comm_dup(MPI_COMM_WORLD, &all.back().comm);
  }
  return all;
}

/// 0 when all is well, 1 when a result was wrong or a file could not be written.
int run(const OverlapOptions& options, int rank) {
  const bool can_write = rank != 0 || can_save(options.json_file);
  if (const int status = status_of_rank_0(can_write ? 0 : 1); status != 0) return status;
  const Cluster cluster = find_cluster(MPI_COMM_WORLD);
  CoreTime core_time{options.cores > 0 ? options.cores : core_count(cluster), MPI_COMM_WORLD};
  PMPI_Bcast(&core_time.cores, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0)
    print_header(cluster, options, core_time.cores, dlsym(RTLD_DEFAULT, "tutti_version") != nullptr);
  const std::vector<Companion> companions = make_companions(options.computation);
  std::vector<OverlapRow> all;
  for (const std::string& collective : options.collectives) {
    if (rank == 0) print_collective(collective);
    for (const uint64_t bytes : options.sizes) {
      const auto subject = make_case(collective, bytes, MPI_COMM_WORLD);
      if (subject == nullptr) continue;
      all.push_back(measure(*subject, collective, options, core_time, companions));
      if (rank == 0) print_row(all.back());
      if (collective == "barrier") break;  // has no size
    }
  }
  int status = std::ranges::all_of(all, &OverlapRow::right) ? 0 : 1;
  if (rank == 0 && !write_json(cluster, options, core_time.cores, all)) status = 1;
  return status_of_rank_0(status);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  OverlapOptions options;
  int status = 0;
  if (parse_options(argc, argv, rank == 0, &options, &status)) status = run(options, rank);
  MPI_Finalize();
  return exit_status(status);
}
