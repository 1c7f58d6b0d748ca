#include "mpi/network/link_probe.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/clock.hpp"
#include "engine/wait_policy.hpp"
#include "topology/node_map.hpp"

namespace tutti::mpi {

using select::Links;

namespace {

constexpr int k_link_tag = 4;
constexpr int k_short_trips = 5;
constexpr int k_least_long_trips = 4, k_most_long_trips = 8;
constexpr uint64_t k_enough_ns = 200'000'000;

bool await(MPI_Request* request, engine::WaitPolicy policy, MPI_Status* status = MPI_STATUS_IGNORE) {
  engine::Waiter waiter(policy);
  for (;; waiter.idle()) {
    int is_done = 0;
    if (PMPI_Test(request, &is_done, status) != MPI_SUCCESS) return false;
    if (is_done != 0) return true;
  }
}

/// Minimum round-trip times of messages.
struct Trips {
  uint64_t short_ns = Links::k_unknown_ns, long_ns = Links::k_unknown_ns;
};

/// A pair of ranks: one sends and measures, the other answers each message with one byte, until a message is empty.
class Pair {
 public:
  Pair(MPI_Comm world, int peer) : world_(world), peer_(peer), buffer_(Links::k_long_bytes) {}

  Trips measure() {
    Trips least;
    for (int trip = 0; trip < k_short_trips; ++trip) least.short_ns = std::min(least.short_ns, trip_ns(1));
    const uint64_t start_ns = base::monotonic_ns();
    for (int trip = 0; trip < k_most_long_trips; ++trip) {
      least.long_ns = std::min(least.long_ns, trip_ns(Links::k_long_bytes));
      const bool takes_long = base::monotonic_ns() - start_ns > k_enough_ns && trip + 1 >= k_least_long_trips;
      if (takes_long || !Links::measured(least.short_ns, least.long_ns).are_slow) break;
    }
    exchange(0);
    return least;
  }

  void answer() {
    for (int bytes = 1; bytes != 0;) {
      const engine::WaitPolicy policy = next_policy();
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Status status;
      if (PMPI_Irecv(buffer_.data(), static_cast<int>(buffer_.size()), MPI_CHAR, peer_, k_link_tag, world_,
                     &request) != MPI_SUCCESS ||
          !await(&request, policy, &status) || PMPI_Get_count(&status, MPI_CHAR, &bytes) != MPI_SUCCESS)
        return;
      const char answer = 0;
      if (PMPI_Isend(&answer, 1, MPI_CHAR, peer_, k_link_tag, world_, &request) != MPI_SUCCESS ||
          !await(&request, policy))
        return;
    }
  }

 private:
  /// Alternates: `yield` answers sooner on an own core, `sleep` on a shared one. The same at both ends.
  engine::WaitPolicy next_policy() {
    return message_++ % 2 == 0 ? engine::WaitPolicy::yield : engine::WaitPolicy::sleep;
  }

  uint64_t trip_ns(uint64_t bytes) {
    const uint64_t start_ns = base::monotonic_ns();
    return exchange(bytes) ? base::monotonic_ns() - start_ns : Links::k_unknown_ns;
  }

  bool exchange(uint64_t bytes) {
    const engine::WaitPolicy policy = next_policy();
    std::array<MPI_Request, 2> requests = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    char answer = 0;
    return PMPI_Irecv(&answer, 1, MPI_CHAR, peer_, k_link_tag, world_, requests.data()) == MPI_SUCCESS &&
           PMPI_Isend(buffer_.data(), static_cast<int>(bytes), MPI_CHAR, peer_, k_link_tag, world_,
                      &requests[1]) == MPI_SUCCESS &&
           std::ranges::all_of(requests, [policy](MPI_Request& one) { return await(&one, policy); });
  }

  MPI_Comm world_;
  const int peer_;
  std::vector<char> buffer_;
  unsigned message_ = 0;
};

}  // namespace

Links probe_links(MPI_Comm world, std::span<const int32_t> node_of_rank) {
  int rank = 0;
  PMPI_Comm_rank(world, &rank);
  const std::vector<int> leaders = topology::first_ranks(node_of_rank);
  const auto mine = static_cast<size_t>(std::ranges::find(leaders, rank) - leaders.begin());
  Trips least;
  const size_t other = mine ^ 1;  // pairs of nodes; the last one of an odd number has no partner
  if (mine < leaders.size() && other < leaders.size()) {
    Pair pair(world, leaders[other]);
    if (mine < other)
      least = pair.measure();
    else
      pair.answer();
  }
  // MPICH treats MPI_UINT64_T as signed.
  std::array<int64_t, 2> all = {static_cast<int64_t>(least.short_ns), static_cast<int64_t>(least.long_ns)};
  MPI_Request request = MPI_REQUEST_NULL;
  const bool are_told =
      PMPI_Iallreduce(MPI_IN_PLACE, all.data(), all.size(), MPI_INT64_T, MPI_MIN, world, &request) ==
          MPI_SUCCESS &&
      await(&request, engine::WaitPolicy::sleep);  // ranks without a pair leave their cores to the others
  if (!are_told) return Links::said(false);
  return Links::measured(static_cast<uint64_t>(all[0]), static_cast<uint64_t>(all[1]));
}

}  // namespace tutti::mpi
