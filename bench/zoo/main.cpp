// Times collectives as a program meets them that has no other choice: only the calls of this run, MPI_*, which are the
// MPI's own or those of what is preloaded. Two runs, one of each kind, are compared by bench/zoo.py.
//
//   tutti-bench-cells-MPI FILE CELL... where CELL is COLLECTIVE:BYTES, like bcast:4096

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bench/collective/cases.hpp"
#include "bench/collective/check.hpp"
#include "bench/collective/choices.hpp"
#include "bench/collective/cluster.hpp"
#include "bench/collective/cpu_time.hpp"
#include "bench/collective/files.hpp"

namespace {

using namespace tutti::bench;

constexpr int k_warm_up_calls = 2;  // after the one that is checked
// Run-time selection makes the first native calls of the process during the samples, and those are cold: with more than
// twice as many samples the median is that of the other calls.
constexpr int k_most_samples = 9, k_least_samples = 7;
constexpr double k_cell_seconds = 0.3;  // no further sample after this time
constexpr uint64_t k_batch_bytes = 32 << 10;
constexpr uint64_t k_most_calls = 64;  // in a sample of a small size

struct Cell {
  std::string collective;
  uint64_t bytes = 0;
};

/// False: the word is no cell.
bool read_cell(std::string_view word, Cell* cell) {
  const size_t colon = word.find(':');
  if (colon == std::string_view::npos) return false;
  cell->collective = word.substr(0, colon);
  const std::string_view digits = word.substr(colon + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), cell->bytes);
  return error == std::errc() && end == digits.data() + digits.size();
}

/// Mean of a batch: of the rank that needed longest, and the processor time of all ranks together, in µs.
struct Sample {
  double us = 0, cpu_us = 0;
};

/// Collective. The ranks meet before every call, or a root that need not wait would run ahead.
Sample time_batch(Case& subject, int batch) {
  Sample sample;
  for (int i = 0; i < batch; ++i) {
    PMPI_Barrier(MPI_COMM_WORLD);
    const double cpu_start = process_cpu_us();
    const double start = PMPI_Wtime();
    subject.call(Side::tutti);
    sample.us += (PMPI_Wtime() - start) * 1e6 / batch;
    sample.cpu_us += (process_cpu_us() - cpu_start) / batch;
  }
  PMPI_Allreduce(MPI_IN_PLACE, &sample.us, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  PMPI_Allreduce(MPI_IN_PLACE, &sample.cpu_us, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sample;
}

/// True on all ranks if `seconds` have passed on rank 0.
bool is_over(double begin, double seconds) {
  return status_of_rank_0(PMPI_Wtime() - begin > seconds ? 1 : 0) != 0;
}

/// Collective.
nlohmann::json measure(const Cell& cell, Case& subject) {
  const ChoiceCounts before = choices_so_far(cell.collective);
  bool right = call_and_check(subject, Side::tutti, MPI_COMM_WORLD);
  const int batch = static_cast<int>(
      std::clamp<uint64_t>(k_batch_bytes / std::max<uint64_t>(cell.bytes, 1), 1, k_most_calls));
  for (int i = 0; i < k_warm_up_calls; ++i) subject.call(Side::tutti);
  nlohmann::json us = nlohmann::json::array(), cpu_us = nlohmann::json::array();
  const double begin = PMPI_Wtime();
  for (int i = 0; i < k_most_samples && (i < k_least_samples || !is_over(begin, k_cell_seconds)); ++i) {
    const Sample sample = time_batch(subject, batch);
    us.push_back(sample.us);
    cpu_us.push_back(sample.cpu_us);
  }
  right = call_and_check(subject, Side::tutti, MPI_COMM_WORLD) && right;
  return {{"collective", cell.collective},
          {"bytes", cell.bytes},
          {"us", us},
          {"cpu_us", cpu_us},
          {"served", choices_between(before, choices_so_far(cell.collective))},
          {"right", right}};
}

int run(const std::string& file, const std::vector<Cell>& cells) {
  int rank = 0, size = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  nlohmann::json document = {{"mpi", library_version()},
                             {"ranks", size},
                             {"is_loaded", dlsym(RTLD_DEFAULT, "tutti_version") != nullptr},
                             {"cells", nlohmann::json::array()}};
  for (const Cell& cell : cells) {
    const std::unique_ptr<Case> subject = make_case(cell.collective, cell.bytes, MPI_COMM_WORLD);
    if (subject != nullptr) document["cells"].push_back(measure(cell, *subject));
  }
  return status_of_rank_0(rank != 0 || save(file, document.dump(1) + '\n') ? 0 : 1);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::vector<Cell> cells(argc > 2 ? static_cast<size_t>(argc) - 2 : 0);
  bool are_cells = argc > 2;
  for (size_t i = 0; i < cells.size(); ++i) are_cells = read_cell(argv[i + 2], &cells[i]) && are_cells;
  if (!are_cells) std::fprintf(stderr, "tutti-bench-cells: FILE COLLECTIVE:BYTES... (see bench/zoo.py)\n");
  const int status = are_cells ? run(argv[1], cells) : 2;
  MPI_Finalize();
  return exit_status(status);
}
