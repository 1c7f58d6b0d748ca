#include "actors/container/container.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "actors/network/network.hpp"

namespace tutti::actors {

Container::Container(Places places, const std::vector<int>& mine, LifeObserver& observer)
    : places_(std::move(places)),
      by_world_rank_(static_cast<size_t>(places_.rank_count())),
      observer_(observer) {
  PMPI_Comm_group(MPI_COMM_WORLD, &world_group_);
  int* size = nullptr;
  int flag = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &size, &flag);
  universe_size_ = flag != 0 ? *size : rank_count();
  for (const int rank : mine) {
    ranks_.push_back(std::make_unique<Rank>(*this, rank));
    by_world_rank_[static_cast<size_t>(rank)] = ranks_.back().get();
  }
  if (places_.leaders().size() > 1)
    network_ = std::make_unique<Network>(*this, places_.leaders(), world_group_);
}

Container::~Container() {
  ranks_.clear();  // the ranks leave their teams
}

void Container::send(Rank& from, int to, const Envelope& envelope, std::span<const std::byte> data,
                     SendMode mode, SendOperation* operation) {
  if (Rank* const here = rank(to))
    here->mailbox().send(from.mailbox(), envelope, data, mode, operation);
  else
    network_->send(from.mailbox(), {.process = places_.leader_of(to), .rank = to}, envelope, data, mode,
                   operation);
}

void Container::send_to_team(Rank& from, int leader, const TeamKey& key, const Envelope& envelope,
                             std::span<const std::byte> data, SendOperation* operation) {
  if (rank(leader) != nullptr)
    team(key).mailbox().send(from.mailbox(), envelope, data, SendMode::standard, operation);
  else
    network_->send(from.mailbox(), {.process = leader, .rank = -1, .team = key}, envelope, data,
                   SendMode::standard, operation);
}

std::unique_ptr<TeamSeat> Container::take_seat(const TeamKey& key, std::span<const int> here, size_t index) {
  std::vector<Mailbox*> mailboxes;
  for (const int one : here) mailboxes.push_back(&mailbox_of(one));
  return team(key).join(mailboxes, index);
}

Team& Container::team(const TeamKey& key) {
  const std::lock_guard lock(mutex_);
  auto& team = teams_[key];
  if (team == nullptr) team = std::make_unique<Team>();
  return *team;
}

void Container::drop_team_if_over(const TeamKey& key) {
  const std::lock_guard lock(mutex_);
  const auto found = teams_.find(key);
  if (found != teams_.end() && found->second->is_over()) teams_.erase(found);
}

void Container::abort(const Rank& rank, int code, const std::string& why) const {
  fmt::print(stderr, "tutti: rank {}: {}\n", rank.world_rank(), why);
  observer_.aborts(rank, code);
  for (;;) pause();
}

void Container::abort_with_error(const Rank& rank, const Communicator* on, int code) const {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  PMPI_Error_string(code, text, &length);
  abort(rank, code == MPI_SUCCESS ? 1 : code,
        fmt::format("error on {}: {} (errors are fatal there)",
                    on == nullptr      ? "MPI"
                    : on->name.empty() ? "a communicator"
                                       : on->name,
                    text));
}

void Container::disconnect() {
  network_.reset();
  PMPI_Group_free(&world_group_);
}

void Container::initialised(const Rank& rank) {
  observer_.initialised(rank);
}

}  // namespace tutti::actors
