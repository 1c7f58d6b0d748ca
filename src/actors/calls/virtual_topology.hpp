#pragma once
// With whom a rank exchanges messages, as its communicator's topology says (MPI 4.0, §8.6).

#include <vector>

#include "actors/calls/communicator.hpp"

namespace tutti::actors {

struct Neighbours {
  std::vector<int> sources, destinations;  // MPI_PROC_NULL: beyond the edge of a grid
};
Neighbours neighbours_of(const Communicator& on);

}  // namespace tutti::actors
