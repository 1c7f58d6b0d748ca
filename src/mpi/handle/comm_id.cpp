#include "mpi/handle/comm_id.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <set>
#include <utility>

namespace tutti::mpi {

using base::Status;

namespace {

constexpr size_t k_id_words = k_comm_id_count / 64;

/// Operand of the members' reduction with MPI_BAND: bits of the free numbers, and in the last element whether all
/// members have offered theirs and whether all are able.
using Offer = std::array<uint64_t, k_id_words + 1>;

/// A creation in progress. The lowest one on a process offers its free numbers; the others offer none and try again.
/// All processes use this order, so the lowest creation of all is offered by all its members, and none starves.
using TurnOfParent = std::pair<CommId, int>;

std::mutex guard;
std::array<uint64_t, k_id_words> free_ids;
std::multiset<TurnOfParent>& waiting_turns() {
  static auto* const all = new std::multiset<TurnOfParent>;  // outlives the exit handlers
  return *all;
}
constexpr uint64_t k_offered = 1;
constexpr uint64_t k_able = 2;
bool is_offered = false;  // an agreement uses the free numbers: they must not change

/// Prepares the offer for one round: true if this creation holds the numbers until the round ends.
bool try_offer(const TurnOfParent& turn, Offer* offer) {
  const std::lock_guard lock(guard);
  offer->fill(0);
  if (is_offered || *waiting_turns().begin() != turn) return false;
  is_offered = true;
  std::copy(free_ids.begin(), free_ids.end(), offer->begin());
  offer->back() = k_offered;
  return true;
}

/// The lowest numbers that are free on all members: at most `most`, and only a share of all free ones, so that every
/// communicator finds some.
std::vector<CommId> lowest(const Offer& offer, uint32_t most) {
  constexpr uint32_t k_share = 16;
  uint32_t free_count = 0;
  for (size_t word = 0; word < k_id_words; ++word)
    free_count += static_cast<uint32_t>(std::popcount(offer[word]));
  const uint32_t wanted = std::min(most, std::max<uint32_t>(free_count / k_share, 1));
  std::vector<CommId> found;
  for (size_t word = 0; word < k_id_words; ++word)
    for (uint64_t left = offer[word]; left != 0 && found.size() < wanted; left &= left - 1)
      found.push_back(static_cast<CommId>(word * 64 + static_cast<size_t>(std::countr_zero(left))));
  return found;
}

/// Collective over `comm`: agrees on at most `most` numbers, and at least one.
base::Result<std::vector<CommId>> agree_on_ids(MPI_Comm comm, const TurnOfParent& turn, bool is_able,
                                               uint32_t most) {
  {
    const std::lock_guard lock(guard);
    waiting_turns().insert(turn);
  }
  base::Result<std::vector<CommId>> result = Status::internal("no agreement");
  for (bool is_over = false; !is_over;) {
    Offer offer;
    const bool is_ours = try_offer(turn, &offer);
    if (is_able) offer.back() |= k_able;
    const int code = PMPI_Allreduce(MPI_IN_PLACE, offer.data(), static_cast<int>(offer.size()), MPI_UINT64_T,
                                    MPI_BAND, comm);
    const bool all_able = code == MPI_SUCCESS && (offer.back() & k_able) != 0;
    const bool all_offered = all_able && (offer.back() & k_offered) != 0;
    const std::vector<CommId> ids = all_offered ? lowest(offer, most) : std::vector<CommId>();
    const std::lock_guard lock(guard);
    if (is_ours) is_offered = false;
    if (code != MPI_SUCCESS) {
      result = Status(base::Code::mpi, "agreement on a communicator's number failed", code);
    } else if (!all_able) {
      result = Status::not_supported("a member cannot serve it");
    } else if (all_offered && ids.empty()) {
      result = Status(base::Code::out_of_memory,
                      "more than " + std::to_string(k_comm_id_count) + " communicators");
    } else if (all_offered) {
      for (const CommId id : ids) free_ids[id / 64] &= ~(uint64_t{1} << (id % 64));
      result = ids;
    }
    is_over = !all_able || all_offered;
    if (is_over) waiting_turns().erase(waiting_turns().find(turn));
  }
  return result;
}

}  // namespace

void reset_ids() {
  const std::lock_guard lock(guard);
  free_ids.fill(~uint64_t{0});
  free_ids[k_world_id / 64] &= ~(uint64_t{1} << (k_world_id % 64));
  waiting_turns().clear();
  is_offered = false;
}

void give_back(CommId id) {
  const std::lock_guard lock(guard);
  free_ids[id / 64] |= uint64_t{1} << (id % 64);
}

OwnedId::~OwnedId() {
  give_back(id_);
}

base::Result<CommId> agree_on_id(MPI_Comm comm, CommId parent, int tag, bool is_able) {
  const auto ids = agree_on_ids(comm, {parent, tag}, is_able, 1);
  if (!ids) return ids.status();
  return ids->front();
}

Reserve::~Reserve() {
  for (const CommId id : numbers_) give_back(id);
}

base::Result<CommId> Reserve::take(MPI_Comm parent, CommId parent_id) {
  constexpr int k_no_tag = -1;  // differs from the tags of creations by some members
  constexpr uint32_t k_most = 64;
  if (numbers_.empty()) {
    auto ids = agree_on_ids(parent, {parent_id, k_no_tag}, true, wanted_);
    if (!ids) return ids.status();
    numbers_.assign(ids->rbegin(), ids->rend());
    wanted_ = std::min(2 * wanted_, k_most);
  }
  const CommId id = numbers_.back();
  numbers_.pop_back();
  return id;
}

}  // namespace tutti::mpi
