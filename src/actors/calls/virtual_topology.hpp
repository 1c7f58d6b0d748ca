#pragma once
// The neighbours of a rank in its communicator's topology (MPI 4.0, §8.6).

#include <vector>

#include "actors/calls/communicator.hpp"

namespace tutti::actors {

struct Neighbours {
  std::vector<int> sources, destinations;  // MPI_PROC_NULL: outside a grid's boundary
};
Neighbours neighbours_of(const Communicator& on);

}  // namespace tutti::actors
