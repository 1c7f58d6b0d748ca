// Collectives by slabs of the data: either blocking, with one slab and one call, or nonblocking, with all
// slabs in flight, so that the program computes on one slab while others are transferred.
#pragma once

#include "report.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace apps {

class Pipeline {
 public:
  // Times its calls and waits with `clock`.
  Pipeline(int slabs, bool is_nonblocking, CollectiveClock& clock)
      : requests_(is_nonblocking ? static_cast<std::size_t>(slabs) : 1, MPI_REQUEST_NULL),
        is_nonblocking_(is_nonblocking),
        clock_(clock) {}

  int slabs() const { return static_cast<int>(requests_.size()); }

  // Calls one of the two for the slab: `nonblocking` is the same collective with a request.
  template <class Blocking, class Nonblocking>
  void start(int slab, Blocking&& blocking, Nonblocking&& nonblocking) {
    clock_.time([&] {
      if (is_nonblocking_)
        nonblocking(&request(slab));
      else
        blocking();
    });
  }

  // Called between pieces of computation: many MPIs make progress only inside their functions.
  void poll() {
    if (!is_under_way()) return;
    int is_done = 0;
    clock_.time([&] { MPI_Testall(slabs(), requests_.data(), &is_done, MPI_STATUSES_IGNORE); });
  }

  void wait(int slab) {
    if (request(slab) == MPI_REQUEST_NULL) return;
    clock_.time([&] { MPI_Wait(&request(slab), MPI_STATUS_IGNORE); });
  }

 private:
  MPI_Request& request(int slab) { return requests_[static_cast<std::size_t>(slab)]; }
  bool is_under_way() const {
    return std::ranges::any_of(requests_, [](MPI_Request one) { return one != MPI_REQUEST_NULL; });
  }

  std::vector<MPI_Request> requests_;
  bool is_nonblocking_;
  CollectiveClock& clock_;
};

}  // namespace apps
