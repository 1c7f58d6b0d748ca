#include "select/access_orders.hpp"

#include <algorithm>

#include "algorithm/parts_in_access_order.hpp"

namespace tutti::select {

using algorithm::part_count;
using pattern::AccessOrder;
using schedule::Rank;

/// Strides for one thread, or for several that divide the result evenly; also for access to one part of each block in
/// turn.
std::vector<AccessOrder> access_orders(Rank blocks) {
  const uint32_t parts = part_count(blocks);
  std::vector<AccessOrder> orders;
  for (const uint32_t stride :
       {uint32_t{1}, algorithm::parts_per_block(blocks), parts / 2, parts / 4, parts / 8, parts / 16})
    for (const AccessOrder& order : {AccessOrder{false, stride}, AccessOrder{true, stride}})
      if (stride < parts && std::ranges::find(orders, order) == orders.end()) orders.push_back(order);
  return orders;
}

uint64_t waited_ns(const AccessRecord& record, std::span<const uint32_t> sequence) {
  const auto& uses = record.first_use_ns;
  const auto own = static_cast<uint64_t>(std::ranges::count(uses, AccessRecord::k_own));
  uint64_t waited = 0, arrived = 0;
  for (const uint32_t part : sequence) {
    if (uses[part] == AccessRecord::k_own) continue;
    const uint64_t arrives_ns = record.transfer_ns / (sequence.size() - own) * ++arrived;
    if (arrives_ns > uses[part]) waited = std::max(waited, arrives_ns - uses[part]);
  }
  return waited;
}

RoundMeasurements measurements_of(const AccessRecord& record, Rank blocks) {
  RoundMeasurements mine;
  if (record.first_use_ns.size() != part_count(blocks)) return mine;
  const std::vector<AccessOrder> orders = access_orders(blocks);
  for (size_t i = 0; i < orders.size(); ++i)
    mine.inside.set(i, waited_ns(record, orders[i].sequence(part_count(blocks))));
  mine.inside.set(orders.size(), record.transfer_ns);
  return mine;
}

size_t best_access_order(const RoundMeasurements& all, Rank blocks, size_t running) {
  const size_t count = access_orders(blocks).size();
  const auto& most = all.inside.most;
  const auto best = static_cast<size_t>(std::min_element(most.begin(), most.begin() + count) - most.begin());
  return most[best] + most[count] / 20 < most[running] ? best : running;
}

}  // namespace tutti::select
