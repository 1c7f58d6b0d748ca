// The program behind `tutti bench`: a plain MPI program whose "Tutti" side is whatever is preloaded under
// MPI_*.

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <vector>

#include "bench/collective/cases.hpp"
#include "bench/collective/cluster.hpp"
#include "bench/collective/files.hpp"
#include "bench/collective/measure.hpp"
#include "bench/collective/options.hpp"
#include "bench/collective/output.hpp"

namespace {

using namespace tutti::bench;

/// 0 when all is well, 1 when a result was wrong or a file could not be written.
int run(const Options& options, int rank) {
  const bool can_write = rank != 0 || (can_save(options.csv_file) && can_save(options.json_file));
  if (const int status = status_of_rank_0(can_write ? 0 : 1); status != 0) return status;
  const Cluster cluster = find_cluster(MPI_COMM_WORLD);
  const bool tutti_is_loaded = dlsym(RTLD_DEFAULT, "tutti_version") != nullptr;
  if (rank == 0) print_header(cluster, options, tutti_is_loaded);
  std::vector<Measurement> all;
  for (const std::string& collective : options.collectives) {
    if (rank == 0) print_collective(collective);
    for (uint64_t bytes : options.all_sizes()) {
      const auto subject = make_case(collective, bytes, MPI_COMM_WORLD);
      if (subject == nullptr) continue;
      const uint64_t fitting = options.batch_bytes / std::max<uint64_t>(bytes, 1);
      const int batch = std::clamp(static_cast<int>(fitting), 1, options.max_batch);
      Measurement m = measure(*subject, collective, options, batch, MPI_COMM_WORLD);
      if (!tutti_is_loaded) m.choice = "native";
      if (cluster.link_bytes_per_second > 0)
        m.limit_us = subject->least_link_bytes(cluster.ranks_of_node) / cluster.link_bytes_per_second * 1e6;
      if (rank == 0) print_row(m);
      all.push_back(m);
      if (collective == "barrier") break;  // has no size
    }
  }
  const bool right = std::all_of(all.begin(), all.end(), [](const Measurement& m) { return m.right; });
  int status = right ? 0 : 1;
  if (rank == 0 && !write_files(cluster, options, all)) status = 1;
  return status_of_rank_0(status);
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
