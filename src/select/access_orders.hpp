#pragma once
// In which order a program uses the result of a collective, and which order of arrival is the best for it (paper 002,
// section 5.1). Pure data; any thread.

#include <cstdint>
#include <span>
#include <vector>

#include "algorithm/request.hpp"
#include "pattern/access_order.hpp"
#include "select/round.hpp"

namespace tutti::select {

/// What one rank has seen of a call that waited for all of its data.
struct AccessRecord {
  static constexpr uint64_t k_never = UINT64_MAX, k_own = UINT64_MAX - 1;
  uint64_t transfer_ns = 0;  // time in the call
  /// Of each part of the result, since the call returned; k_own: nothing of it comes from others.
  std::vector<uint64_t> first_use_ns;
};

/// Orders of arrival that are worth a thought where a result has so many blocks; the first is what one uses who knows
/// nothing. At most k_most_slots - 1.
std::vector<pattern::AccessOrder> access_orders(schedule::Rank blocks);

/// How long a program that uses the parts as recorded would wait in all if those of others arrived in this sequence, at
/// even distances, from its call on: whoever waits once is late for all that follows by as much.
uint64_t waited_ns(const AccessRecord& record, std::span<const uint32_t> sequence);

/// What one rank tells the others of a record: slot i is access_orders()[i], the last one is the transfer. An empty
/// record: nothing was seen.
Contribution contribution_of(const AccessRecord& record, schedule::Rank blocks);

/// Which of access_orders() serves all ranks best by what they know together; `running`, unless another makes the
/// slowest of them wait less by a twentieth of the transfer.
size_t best_access_order(const Contribution& all, schedule::Rank blocks, size_t running);

}  // namespace tutti::select
