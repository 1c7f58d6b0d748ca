// What a broadcast costs whose ranks arrive at different times, natively and through what is preloaded, batch
// by batch in turn. The ranks meet, each sleeps for a time of its own, and calls. The clock has to be the
// same on all nodes: a program for one machine, or the virtual cluster. `--help` says what it takes,
// LateFigures what it prints.

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "bench/collective/choices.hpp"
#include "bench/collective/read_bytes.hpp"
#include "bench/late/arrivals.hpp"

namespace {

using namespace tutti::bench;
using Clock = std::chrono::steady_clock;

constexpr int k_root = 0;
constexpr std::array k_sides = {"native", "tutti"};

struct Options {
  std::vector<uint64_t> sizes = {8, 64 << 10, 1 << 20};
  std::vector<double> spreads_ms = {0, 5, 20};
  int batches = 11, calls = 20, warm_up = 20;
  uint64_t seed = 1;
};

/// False: *status is set, and help or an error was printed by rank 0.
bool parse(int argc, char** argv, int rank, Options* options, int* status) {
  CLI::App app("Times broadcasts whose ranks arrive spread over some time, natively and under Tutti, in turn",
               "tutti-late");
  app.add_option_function<std::vector<std::string>>(
         "--sizes",
         [&](const std::vector<std::string>& texts) {
           options->sizes.clear();
           for (const std::string& text : texts) options->sizes.push_back(read_bytes(text));
         },
         "bytes of the broadcasts, by default 8,64K,1M")
      ->delimiter(',');
  app.add_option("--spreads", options->spreads_ms, "ms over which arrivals are spread, by default 0,5,20")
      ->delimiter(',')
      ->check(CLI::Range(0.0, 10'000.0));
  app.add_option("--batches", options->batches, "measurements of each side, in turn")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.add_option("--calls", options->calls, "calls of each measurement")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--warm-up", options->warm_up,
                 "calls of each side before, in which run-time selection may settle")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--seed", options->seed, "of the delays")->capture_default_str();
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::ParseError& error) {
    *status = rank == 0 ? app.exit(error) : error.get_exit_code();
    return false;
  }
}

double now_us() {
  return std::chrono::duration<double, std::micro>(Clock::now().time_since_epoch()).count();
}

/// One size and spread, on a communicator of its own: run-time selection finds its own choice there.
class Cell {
 public:
  Cell(const Options& options, uint64_t bytes, double spread_ms)
      : options_(options), spread_ms_(spread_ms), data_(bytes) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    PMPI_Comm_rank(comm_, &rank_);
    PMPI_Comm_size(comm_, &size_);
  }
  Cell(const Cell&) = delete;
  Cell& operator=(const Cell&) = delete;
  ~Cell() { MPI_Comm_free(&comm_); }

  /// Calls `first` to `first` + `count` - 1 of a side. The figures are rank 0's.
  LateFigures run(bool is_native, int first, int count) {
    std::vector<Visit> own;
    for (int call = first; call < first + count; ++call) own.push_back(visit(is_native, call));
    std::vector<Visit> all(own.size() * static_cast<size_t>(size_)), by_call(all.size());
    const int bytes = static_cast<int>(own.size() * sizeof(Visit));
    PMPI_Gather(own.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, 0, comm_);
    const size_t ranks = static_cast<size_t>(size_);
    for (size_t rank = 0; rank < ranks; ++rank)
      for (size_t call = 0; call < own.size(); ++call)
        by_call[call * ranks + rank] = all[rank * own.size() + call];
    return figures_of(by_call, size_, k_root);
  }

 private:
  Visit visit(bool is_native, int call) {
    PMPI_Barrier(comm_);
    const double delay = delay_ms(options_.seed, rank_, call, spread_ms_);
    if (delay > 0) std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(delay));
    Visit visit{.arrival_us = now_us()};
    const int count = static_cast<int>(data_.size());
    if (is_native)
      PMPI_Bcast(data_.data(), count, MPI_BYTE, k_root, comm_);
    else
      MPI_Bcast(data_.data(), count, MPI_BYTE, k_root, comm_);
    visit.exit_us = now_us();
    return visit;
  }

  const Options& options_;
  double spread_ms_;
  std::vector<char> data_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
};

nlohmann::json measure(const Options& options, uint64_t bytes, double spread_ms) {
  Cell cell(options, bytes, spread_ms);
  nlohmann::json row = {{"bytes", bytes}, {"spread_ms", spread_ms}};
  for (const bool is_native : {true, false}) cell.run(is_native, 0, options.warm_up);
  const ChoiceCounts before = choices_so_far("bcast");
  for (int batch = 0; batch < options.batches; ++batch)
    for (const int turn : {0, 1}) {
      const int side = batch % 2 == 0 ? turn : 1 - turn;
      const LateFigures figures = cell.run(side == 0, options.warm_up + batch * options.calls, options.calls);
      nlohmann::json& values = row[k_sides[static_cast<size_t>(side)]];
      values["mean_us"].push_back(figures.mean);
      values["slowest_us"].push_back(figures.slowest);
      values["after_last_us"].push_back(figures.after_last);
      values["unavoidable_us"].push_back(figures.unavoidable);
    }
  row["choice"] = choice_between(before, choices_so_far("bcast"));
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, status = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Options options;
  if (parse(argc, argv, rank, &options, &status))
    for (const uint64_t bytes : options.sizes)
      for (const double spread_ms : options.spreads_ms) {
        const nlohmann::json row = measure(options, bytes, spread_ms);
        if (rank == 0) std::printf("%s\n", row.dump().c_str());
        std::fflush(stdout);
      }
  MPI_Finalize();
  return status;
}
