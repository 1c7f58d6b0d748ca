#include "actors/container/container.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "actors/network/container_network.hpp"

namespace tutti::actors {

namespace {

/// 0: not known. Without a launcher MPICH would start one to learn of it.
int universe_size_of(int rank_count) {
  constexpr const char* k_of_launchers[] = {"PMI_FD", "PMI_PORT", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};
  const auto is_set = [](const char* name) { return std::getenv(name) != nullptr; };
  if (std::ranges::none_of(k_of_launchers, is_set)) return rank_count;
  int* size = nullptr;
  int flag = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &size, &flag);
  return flag != 0 ? *size : 0;
}

}  // namespace

Container::Container(RankMap rank_map, JobSettings settings, std::unique_ptr<JobRecord> job_record,
                     const std::vector<int>& mine, LifeObserver& observer)
    : rank_map_(std::move(rank_map)),
      job_settings_(std::move(settings)),
      job_record_(std::move(job_record)),
      by_world_rank_(static_cast<size_t>(rank_map_.rank_count())),
      observer_(observer) {
  PMPI_Comm_group(MPI_COMM_WORLD, &world_group_);
  universe_size_ = universe_size_of(rank_count());
  for (const int rank : mine) {
    ranks_.push_back(std::make_unique<Rank>(*this, rank));
    by_world_rank_[static_cast<size_t>(rank)] = ranks_.back().get();
  }
  if (rank_map_.leaders().size() > 1)
    network_ = std::make_unique<ContainerNetwork>(*this, rank_map_.leaders(), world_group_);
}

Container::~Container() {
  ranks_.clear();  // the ranks leave their groups
}

void Container::send(Rank& from, int to, const Envelope& envelope, std::span<const std::byte> data,
                     SendMode mode, SendOperation* operation) {
  if (Rank* const here = rank(to))
    here->mailbox().send(from.mailbox(), envelope, data, mode, operation);
  else
    network_->send(from.mailbox(), {.process = rank_map_.leader_of(to), .rank = to}, envelope, data, mode,
                   operation);
}

void Container::send_to_group(Rank& from, int leader, const ContainerGroupKey& key, const Envelope& envelope,
                              std::span<const std::byte> data, SendOperation* operation) {
  if (rank(leader) != nullptr)
    group(key).mailbox().send(from.mailbox(), envelope, data, SendMode::standard, operation);
  else
    network_->send(from.mailbox(), {.process = leader, .rank = -1, .group = key}, envelope, data,
                   SendMode::standard, operation);
}

std::unique_ptr<ContainerGroupMember> Container::join_group(const ContainerGroupKey& key,
                                                            std::span<const int> here, size_t index) {
  std::vector<Mailbox*> mailboxes;
  for (const int one : here) mailboxes.push_back(&mailbox_of(one));
  return group(key).join(mailboxes, index);
}

ContainerGroup& Container::group(const ContainerGroupKey& key) {
  const std::lock_guard lock(mutex_);
  auto& group = groups_[key];
  if (group == nullptr) group = std::make_unique<ContainerGroup>();
  return *group;
}

void Container::drop_group_if_over(const ContainerGroupKey& key) {
  const std::lock_guard lock(mutex_);
  const auto found = groups_.find(key);
  if (found != groups_.end() && found->second->is_over()) groups_.erase(found);
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

void Container::end_record(Rank& rank) {
  if (job_record_ == nullptr) return;
  if (!is_record_ending_.exchange(true)) observer_.record_ends();
  rank.wait_until([this] { return has_record_ended_.load(); });
}

void Container::record_has_ended() {
  has_record_ended_ = true;
  for (const auto& rank : ranks_) rank->mailbox().wake();
}

void Container::initialised(const Rank& rank) {
  observer_.initialised(rank);
}

}  // namespace tutti::actors
