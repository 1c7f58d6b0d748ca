#pragma once
// One-sided communication, in epochs between fences.

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "plan.hpp"

namespace torture {

class Window {
 public:
  Window(const Op& op, MPI_Comm comm, int me, int size);
  /// Every rank puts to one rank, adds to one and gets from one. Returns a digest.
  uint64_t epoch(const Op& op);
  void free();

 private:
  int64_t put_value(const Op& op, int source, int i) const;
  int64_t& slot(int source, int i) { return memory_[source * k_count + i]; }
  int64_t& sum(int i) { return memory_[size_ * k_count + i]; }

  static constexpr int k_count = 500;
  const int me_, size_;
  MPI_Win window_ = MPI_WIN_NULL;
  int64_t* memory_ = nullptr;
  std::vector<int64_t> own_memory_;
  int64_t expected_sum_ = 0;
};

}  // namespace torture
