#pragma once
// A program's work while a collective is pending: the same work every time (paper 001, section 4).

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "bench/overlap/options.hpp"

namespace tutti::bench {

class Computation {
 public:
  virtual ~Computation() = default;
  /// "asleep", "busy 100000", "busy 100000 openmp".
  virtual std::string name() const = 0;
  /// Collective: chooses the work, the same on all ranks, so that it takes `microseconds` on the slowest rank
  /// while all ranks compute and nothing is communicated.
  virtual void fit(double microseconds, MPI_Comm comm) = 0;
  /// Does one of `parts` equal parts of the work.
  virtual void run(int parts) = 0;
};

std::vector<std::unique_ptr<Computation>> make_computations(const ComputationOptions& options);

}  // namespace tutti::bench
