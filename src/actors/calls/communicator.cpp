#include "actors/calls/communicator.hpp"

#include <algorithm>
#include <utility>

namespace tutti::actors {

Communicator::Communicator(uint64_t context, Members members)
    : context_(context), members_(std::move(members)) {
  const auto mine = std::ranges::find(members_.ranks, members_.me);
  if (mine != members_.ranks.end()) rank_ = static_cast<int>(mine - members_.ranks.begin());
  PMPI_Group_incl(members_.world, size(), members_.ranks.data(), &group_);
}

Communicator::~Communicator() {
  if (group_ != MPI_GROUP_EMPTY) PMPI_Group_free(&group_);
}

void Communicator::release() {
  if (--users_ == 0 && freed) freed();
}

}  // namespace tutti::actors
