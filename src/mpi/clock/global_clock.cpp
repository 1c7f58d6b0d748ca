#include "mpi/clock/global_clock.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "topology/node_map.hpp"

namespace tutti::mpi {

using select::CommonClock;

namespace {

constexpr int k_tag = 3;
constexpr int k_least_trips = 3, k_most_trips = 20;
constexpr uint64_t k_million = 1'000'000;

/// One machine's node in the tree: the parent of machine v is v without its lowest bit.
class Comparison {
 public:
  Comparison(MPI_Comm world, std::vector<int> leaders, size_t machine, GlobalClock::Now now)
      : world_(world), leaders_(std::move(leaders)), machine_(machine), now_(now) {}

  /// Called by the leader of the machine.
  CommonClock run() const {
    const size_t end = machine_ == 0 ? std::bit_ceil(leaders_.size()) : lowest_bit();
    for (size_t bit = 1; bit < end; bit <<= 1)
      if (machine_ + bit < leaders_.size()) answer(leaders_[machine_ + bit]);
    CommonClock mine{.offset_ns = 0, .error_ns = 0};
    if (machine_ != 0) {
      const int parent = leaders_[machine_ - lowest_bit()];
      mine = compare_with(parent);
      CommonClock above;
      PMPI_Recv(&above, sizeof above, MPI_BYTE, parent, k_tag, world_, MPI_STATUS_IGNORE);
      mine.offset_ns += above.offset_ns;
      mine.error_ns += above.error_ns;
    }
    for (size_t bit = 1; bit < end; bit <<= 1)
      if (machine_ + bit < leaders_.size()) tell(leaders_[machine_ + bit], mine);
    return mine;
  }

  void tell(int rank, const CommonClock& clock) const {
    PMPI_Send(&clock, sizeof clock, MPI_BYTE, rank, k_tag, world_);
  }

 private:
  size_t lowest_bit() const { return machine_ & (~machine_ + 1); }

  /// The parent's clock was read at an unknown time within the round trip. Takes the middle of the shortest trip.
  CommonClock compare_with(int parent) const {
    CommonClock best;
    const uint64_t start = now_();
    for (int trip = 0;; ++trip) {
      const bool is_enough =
          trip == k_most_trips || (trip >= k_least_trips && now_() - start > GlobalClock::k_most_ns);
      const char asks = is_enough ? 0 : 1;
      uint64_t there = 0;
      const uint64_t before = now_();
      PMPI_Send(&asks, 1, MPI_CHAR, parent, k_tag, world_);
      if (is_enough) return best;
      PMPI_Recv(&there, 1, MPI_UINT64_T, parent, k_tag, world_, MPI_STATUS_IGNORE);
      const uint64_t half = (now_() - before) / 2;
      if (half < best.error_ns)
        best = {.offset_ns = static_cast<int64_t>(there - (before + half)), .error_ns = half};
    }
  }

  void answer(int child) const {
    for (;;) {
      char asks = 0;
      PMPI_Recv(&asks, 1, MPI_CHAR, child, k_tag, world_, MPI_STATUS_IGNORE);
      if (asks == 0) return;
      const uint64_t now = now_();
      PMPI_Send(&now, 1, MPI_UINT64_T, child, k_tag, world_);
    }
  }

  MPI_Comm world_;
  const std::vector<int> leaders_;  // the lowest rank of each machine
  const size_t machine_;
  const GlobalClock::Now now_;
};

}  // namespace

GlobalClock::GlobalClock(MPI_Comm world, std::span<const int32_t> machine_of_rank, Now now)
    : now_(now), at_start_{.offset_ns = 0, .error_ns = 0}, compared_ns_(now()) {
  const std::vector<int> leaders = topology::first_ranks(machine_of_rank);
  drifts_ = leaders.size() > 1;
  if (!drifts_) return;
  int own = 0;
  PMPI_Comm_rank(world, &own);
  const auto machine_of = [&](int rank) { return machine_of_rank[static_cast<size_t>(rank)]; };
  const auto leader = std::ranges::find(leaders, machine_of(own), machine_of);
  const Comparison comparison(world, leaders, static_cast<size_t>(leader - leaders.begin()), now);
  if (*leader != own) {
    PMPI_Recv(&at_start_, sizeof at_start_, MPI_BYTE, *leader, k_tag, world, MPI_STATUS_IGNORE);
    return;
  }
  at_start_ = comparison.run();
  for (size_t rank = 0; rank < machine_of_rank.size(); ++rank)
    if (static_cast<int>(rank) != own && machine_of_rank[rank] == machine_of(own))
      comparison.tell(static_cast<int>(rank), at_start_);
}

CommonClock GlobalClock::get() const {
  CommonClock clock = at_start_;
  if (drifts_ && clock.error_ns != CommonClock::k_none)
    clock.error_ns += (now_() - compared_ns_) / k_million * k_drift_ppm;
  return clock;
}

}  // namespace tutti::mpi
