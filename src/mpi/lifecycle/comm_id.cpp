#include "mpi/lifecycle/comm_id.hpp"

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

/// What the members reduce with MPI_BAND: the free numbers, and in the last word whether all members have offered
/// them and whether all are able.
using Offer = std::array<uint64_t, k_id_words + 1>;

/// A creation in progress. The lowest one on a process gets its free numbers; the others offer none and try
/// again. All processes use this order, so somewhere the lowest of all is offered by all members, and none
/// starves.
using TurnOfParent = std::pair<CommId, int>;

std::mutex guard;
std::array<uint64_t, k_id_words> free_ids;
std::multiset<TurnOfParent> waiting_turns;
constexpr uint64_t k_offered = 1;
constexpr uint64_t k_able = 2;
bool is_offered = false;  // an agreement has the free numbers: they must not change

/// Takes part in one round: true when the numbers are ours until the round ends.
bool try_offer(const TurnOfParent& turn, Offer* offer) {
  const std::lock_guard lock(guard);
  offer->fill(0);
  if (is_offered || *waiting_turns.begin() != turn) return false;
  is_offered = true;
  std::copy(free_ids.begin(), free_ids.end(), offer->begin());
  offer->back() = k_offered;
  return true;
}

int lowest(const Offer& offer) {
  for (size_t word = 0; word < k_id_words; ++word)
    if (offer[word] != 0) return static_cast<int>(word * 64) + std::countr_zero(offer[word]);
  return -1;
}

}  // namespace

void reset_ids() {
  const std::lock_guard lock(guard);
  free_ids.fill(~uint64_t{0});
  free_ids[k_world_id / 64] &= ~(uint64_t{1} << (k_world_id % 64));
  waiting_turns.clear();
  is_offered = false;
}

OwnedId::~OwnedId() {
  const std::lock_guard lock(guard);
  free_ids[id_ / 64] |= uint64_t{1} << (id_ % 64);
}

base::Result<CommId> agree_on_id(MPI_Comm comm, CommId parent, int tag, bool is_able) {
  const TurnOfParent turn{parent, tag};
  {
    const std::lock_guard lock(guard);
    waiting_turns.insert(turn);
  }
  base::Result<CommId> result = Status::internal("no agreement");
  for (bool is_over = false; !is_over;) {
    Offer offer;
    const bool is_ours = try_offer(turn, &offer);
    if (is_able) offer.back() |= k_able;
    const int code = PMPI_Allreduce(MPI_IN_PLACE, offer.data(), static_cast<int>(offer.size()), MPI_UINT64_T,
                                    MPI_BAND, comm);
    const bool all_able = code == MPI_SUCCESS && (offer.back() & k_able) != 0;
    const bool all_offered = all_able && (offer.back() & k_offered) != 0;
    const int id = all_offered ? lowest(offer) : -1;
    const std::lock_guard lock(guard);
    if (is_ours) is_offered = false;
    if (code != MPI_SUCCESS) {
      result = Status(base::Code::mpi, "agreement on a communicator's number failed", code);
    } else if (!all_able) {
      result = Status::not_supported("a member cannot serve it");
    } else if (all_offered && id < 0) {
      result = Status(base::Code::out_of_memory,
                      "more than " + std::to_string(k_comm_id_count) + " communicators");
    } else if (all_offered) {
      free_ids[static_cast<size_t>(id) / 64] &= ~(uint64_t{1} << (id % 64));
      result = static_cast<CommId>(id);
    }
    is_over = !all_able || all_offered;
    if (is_over) waiting_turns.erase(waiting_turns.find(turn));
  }
  return result;
}

}  // namespace tutti::mpi
