#pragma once
// One clock for all ranks of a run. Ranks of a node share the machine's monotonic clock; clocks of different
// nodes are compared by messages that go and come back (Cristian, Distributed Computing 3, 1989).

#include <mpi.h>

namespace tutti::bench {

class SharedClock {
 public:
  /// Collective over `comm`, natively. Compares the clocks of one rank of each node with that of rank 0; the
  /// error bar is half of the shortest round trip. Clocks drift (tens of µs in a second are bad ones): for
  /// long runs one makes another.
  explicit SharedClock(MPI_Comm comm);

  /// Rank 0's clock as this rank knows it, in µs.
  double now_us() const;
  /// Sleeps, or computes (`spins`), until that time; returns at once when it has passed.
  void wait_until(double us, bool spins) const;
  /// The greatest error bar of any node, the same on all ranks; 0 on a single node.
  double error_us() const { return error_us_; }

 private:
  double offset_us_ = 0;  // rank 0's clock minus this node's
  double error_us_ = 0;
};

}  // namespace tutti::bench
