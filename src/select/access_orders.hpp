#pragma once
// Finds the order of arrival that suits the order in which a program uses the result of a collective (paper 002,
// section 5.1). Pure data; any thread.

#include <cstdint>
#include <span>
#include <vector>

#include "algorithm/request.hpp"
#include "pattern/access_order.hpp"
#include "select/round.hpp"

namespace tutti::select {

/// Access times that one rank has observed after a call that waited for all of its data.
struct AccessRecord {
  static constexpr uint64_t k_never = UINT64_MAX, k_own = UINT64_MAX - 1;
  uint64_t transfer_ns = 0;  // time in the call
  /// For each part of the result, time from the return of the call to the first use; k_own: the part comes from this
  /// rank only.
  std::vector<uint64_t> first_use_ns;
};

/// Candidate orders of arrival for a result with this number of blocks; the first is the default without observations.
/// At most k_most_slots - 1.
std::vector<pattern::AccessOrder> access_orders(schedule::Rank blocks);

/// Total time that a program with the recorded accesses would wait if the parts from other ranks arrived in this
/// sequence, at equal intervals from the call on. A wait delays all later accesses by as much.
uint64_t waited_ns(const AccessRecord& record, std::span<const uint32_t> sequence);

/// Measurements of one rank's record to the agreement: slot i holds the wait with access_orders()[i], the last slot the
/// transfer time. An empty record contributes nothing.
RoundMeasurements measurements_of(const AccessRecord& record, schedule::Rank blocks);

/// Index of the order with the least wait of the slowest rank, from the combined measurements; `running`, unless
/// another order saves at least a twentieth of the transfer time.
size_t best_access_order(const RoundMeasurements& all, schedule::Rank blocks, size_t running);

}  // namespace tutti::select
