#include "actors/calls/communicator.hpp"

#include <algorithm>
#include <utility>

#include "actors/calls/collectives.hpp"
#include "actors/calls/rank.hpp"
#include "actors/calls/surroundings.hpp"

namespace tutti::actors {

Communicator::Communicator(Rank& owner, uint64_t context, std::vector<int> members)
    : owner_(owner), context_(context), members_(std::move(members)) {
  const auto mine = std::ranges::find(members_, owner.world_rank());
  if (mine != members_.end()) rank_ = static_cast<int>(mine - members_.begin());
  PMPI_Group_incl(owner.around().world_group(), size(), members_.data(), &group_);
}

Communicator::~Communicator() {
  if (group_ != MPI_GROUP_EMPTY) PMPI_Group_free(&group_);
}

Collectives& Communicator::collectives() {
  if (collectives_ == nullptr) collectives_ = std::make_unique<Collectives>(owner_, *this);
  return *collectives_;
}

void Communicator::release() {
  if (--users > 0 || handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF) return;
  owner_.communicators().remove(this);
  if (error_handler != nullptr) actors::release(owner_, error_handler);
  delete this;
}

}  // namespace tutti::actors
