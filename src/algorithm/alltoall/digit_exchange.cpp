#include "algorithm/alltoall/digit_exchange.hpp"

#include <algorithm>
#include <utility>

#include "algorithm/block_layout.hpp"
#include "algorithm/phase.hpp"
#include "pattern/bruck.hpp"

namespace tutti::algorithm {

namespace {

/// Calls visit(distance, digit) for every message, in order.
template <class Visit>
void for_each_message(const DigitGroup& group, Visit visit) {
  for (int64_t distance = 1; distance < group.size(); distance *= group.radix)
    for (int64_t digit = 1; digit < group.radix && digit * distance < group.size(); ++digit)
      visit(distance, digit);
}

/// The route of the parcel with total distance `parcel` after it has moved by its digits below `reach`.
Route route_of(const DigitGroup& group, Rank parcel, int64_t reach) {
  const Rank source = group.behind(static_cast<Rank>(parcel % reach));
  return {source, (source + parcel) % group.size()};
}

}  // namespace

DigitGroup all_by_digits(Rank rank_count, Rank me, uint64_t radix) {
  return {.members = all_ranks(rank_count), .me = me, .radix = static_cast<int64_t>(radix)};
}

std::vector<Route> arriving_parcels(const DigitGroup& group) {
  std::vector<Route> routes;
  for_each_message(group, [&](int64_t distance, int64_t digit) {
    for (const Rank parcel : pattern::Bruck{group.size(), group.radix}.moving(distance, digit))
      routes.push_back(route_of(group, parcel, distance * group.radix));
  });
  return routes;
}

TaskId send_together(ScheduleBuilder& builder, Peer to, std::span<const CarriedBlock> blocks, TaskId after) {
  std::vector<CarriedBlock> filled;
  uint64_t bytes = 0;
  for (const CarriedBlock& block : blocks) {
    if (block.at.empty()) continue;
    filled.push_back(block);
    bytes += block.at.length;
  }
  if (filled.empty()) return k_no_task;
  if (filled.size() == 1) return builder.send(to, filled.front().at, {filled.front().ready, after});
  const BufRef packed = builder.scratch(bytes);
  std::vector<TaskId> ready{after};
  uint64_t at = 0;
  for (const CarriedBlock& block : filled) {
    ready.push_back(builder.copy(block.at, packed.part(at, block.at.length), block.ready));
    at += block.at.length;
  }
  return builder.send(to, packed, ready);
}

void copy_to_place(ScheduleBuilder& builder, const CarriedBlock& block, BufRef place) {
  const uint64_t bytes = std::min(block.at.length, place.length);
  builder.copy(block.at.part(0, bytes), place.part(0, bytes), block.ready);
}

DigitExchange::DigitExchange(ScheduleBuilder& builder, DigitGroup group, Landing landing)
    : builder_(builder),
      group_(std::move(group)),
      landing_(std::move(landing)),
      parcels_(static_cast<size_t>(group_.size())) {}

void DigitExchange::move_all() {
  for_each_message(group_, [this](int64_t distance, int64_t digit) { move(distance, digit); });
}

/// All parcels with digit `digit` at `distance` move by digit · distance members.
void DigitExchange::move(int64_t distance, int64_t digit) {
  const std::vector<Rank> moving = pattern::Bruck{group_.size(), group_.radix}.moving(distance, digit);
  const auto shift = static_cast<Rank>(digit * distance);
  send(group_.members[static_cast<size_t>(group_.ahead(shift))], moving);
  receive(group_.members[static_cast<size_t>(group_.behind(shift))], moving, distance * group_.radix);
}

void DigitExchange::send(Peer to, const std::vector<Rank>& moving) {
  std::vector<Block> blocks;
  for (const Rank parcel : moving) {
    const Parcel& one = at_distance(parcel);
    blocks.insert(blocks.end(), one.begin(), one.end());
  }
  send_together(builder_, to, blocks);
}

/// `reach`: the parcels have moved by their digits below it. Parcels with a smaller total distance have arrived.
void DigitExchange::receive(Peer from, const std::vector<Rank>& moving, int64_t reach) {
  std::vector<std::pair<Block*, BufRef>> blocks;  // with its final buffer
  uint64_t bytes = 0;
  for (const Rank parcel : moving) {
    const Route route = route_of(group_, parcel, reach);
    const bool ends_here = parcel < reach && landing_.place;
    Parcel& arriving = at_distance(parcel);
    arriving.assign(group_.block_count(route.destination), {});
    for (uint32_t i = 0; i < arriving.size(); ++i) {
      arriving[i].at.length = landing_.sizes.size(static_cast<Rank>(landed_blocks_++));
      if (arriving[i].at.length == 0) continue;
      bytes += arriving[i].at.length;
      blocks.emplace_back(&arriving[i], ends_here ? landing_.place(route.source, i) : BufRef{});
    }
  }
  if (blocks.empty()) return;
  const bool goes_to_its_place = blocks.size() == 1 && blocks.front().second.length == bytes;
  const BufRef landing = goes_to_its_place ? blocks.front().second : land(bytes);
  const TaskId arrived = builder_.recv(from, landing);
  uint64_t at = 0;
  for (const auto& [block, place] : blocks) {
    const uint64_t length = block->at.length;
    *block = {landing.part(at, length), arrived};
    at += length;
  }
}

BufRef DigitExchange::land(uint64_t bytes) {
  if (landing_.memory.empty()) return builder_.scratch(bytes);
  const BufRef landing = landing_.memory.part(landed_bytes_, bytes);
  landed_bytes_ += bytes;
  return landing;
}

void exchange_by_digits(ScheduleBuilder& builder, const Request& request, Rank me, uint64_t radix,
                        const Blocks& arriving) {
  const BlockLayout outgoing(request.blocks, request.rank_count, Slot::input),
      incoming(request.receive_blocks, request.rank_count, Slot::output);
  DigitExchange exchange(
      builder, all_by_digits(request.rank_count, me, radix),
      {.sizes = arriving, .place = [&incoming](Rank source, uint32_t) { return incoming.block(source); }});
  for (Rank to = 0; to < request.rank_count; ++to) exchange.put(to, {{outgoing.block(to)}});
  exchange.move_all();
  for (Rank distance = 0; distance < request.rank_count; ++distance) {  // the same order on all ranks
    const Rank from = (me - distance + request.rank_count) % request.rank_count;
    copy_to_place(builder, exchange.from(from).front(), incoming.block(from));
  }
}

}  // namespace tutti::algorithm
