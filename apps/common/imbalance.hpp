// Delays ranks before collective calls according to an arrival pattern (docs/arrival.md): a repeatable form
// of the unequal computation in real programs.
#pragma once

#include "arrival/pattern.hpp"

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>

namespace apps {

class Imbalance {
 public:
  // Collective over MPI_COMM_WORLD. `text` names a pattern, or a file that every rank can read. False: the
  // lowest rank that could not load it has printed the reason, in one line.
  bool load(const char* program, const std::string& text, std::uint64_t seed) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    auto pattern = tutti::arrival::load_pattern(text);
    tutti::base::Status status = pattern.status();
    if (status) status = check(*pattern, static_cast<std::uint32_t>(ranks));
    const int mine = status ? ranks : rank;
    int first_to_fail = ranks;
    MPI_Allreduce(&mine, &first_to_fail, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first_to_fail == rank)
      std::fprintf(stderr, "%s: --imbalance: %s\n", program, status.message().c_str());
    if (first_to_fail < ranks) return false;
    pattern_ = *std::move(pattern);
    seed_ = seed;
    who_ = {static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(ranks)};
    return true;
  }

  // Sleeps for the pattern's delay before the next call.
  void delay() {
    const double ns = tutti::arrival::delay_ns(pattern_, seed_, who_, call_++);
    if (ns > 0) std::this_thread::sleep_for(std::chrono::duration<double, std::nano>(ns));
  }

 private:
  tutti::arrival::Pattern pattern_;
  std::uint64_t seed_ = 0;
  tutti::arrival::Who who_;
  std::uint32_t call_ = 0;
};

}  // namespace apps
