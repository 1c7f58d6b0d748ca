// Collectives by slabs of the data: blocking, one slab and one call, or all slabs under way together, so that the
// program computes on one while others travel.
#pragma once

#include "report.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace apps {

class Pipeline {
 public:
  // Its calls, and the waiting for them, add to `clock`.
  Pipeline(int slabs, bool is_nonblocking, CollectiveClock& clock)
      : requests_(is_nonblocking ? static_cast<std::size_t>(slabs) : 1, MPI_REQUEST_NULL),
        is_nonblocking_(is_nonblocking),
        clock_(clock) {}

  int slabs() const { return static_cast<int>(requests_.size()); }

  // One of these two is called for the slab: the other way of the same collective takes a request.
  template <class Blocking, class Nonblocking>
  void start(int slab, Blocking&& blocking, Nonblocking&& nonblocking) {
    clock_.time([&] {
      if (is_nonblocking_)
        nonblocking(&request(slab));
      else
        blocking();
    });
  }

  // Between pieces of computation: many MPIs make progress inside their functions only.
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
