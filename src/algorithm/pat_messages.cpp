#include "algorithm/pat_messages.hpp"

#include <algorithm>
#include <array>

namespace tutti::algorithm {

using pattern::Pat;

PatMessages::PatMessages(const Request& request, uint64_t segment_bytes)
    : pattern_{request.rank_count}, blocks_(request.blocks), segment_bytes_(segment_bytes) {}

std::vector<Pat::Message> PatMessages::between(Rank rank, Rank distance) const {
  return pattern_.messages(distance, segment_bytes_, [&](Rank offset) { return size(rank, offset); });
}

uint64_t PatMessages::bytes(Rank rank, Rank distance, const Message& message) const {
  uint64_t sum = 0;
  for_each_block(rank, distance, message, [&](Rank, uint64_t, uint64_t bytes) { sum += bytes; });
  return sum;
}

uint64_t PatMessages::longest_bytes() const {
  return std::max(blocks_.largest(pattern_.count), std::min(segment_bytes_, total_bytes()));
}

void PatValues::send(Rank to, Rank lower, Rank distance, const PatMessages::Message& message) {
  if (message.blocks == 1) {
    const Value& only = value(lower, distance, message.first_offset);
    builder_.send(Peer::rank(to), only.place, only.ready);
    return;
  }
  const Turns::Place packed = packing_.next(messages_.bytes(lower, distance, message));
  TaskIds copies;
  messages_.for_each_block(lower, distance, message, [&](Rank offset, uint64_t at, uint64_t bytes) {
    const Value& one = value(lower, distance, offset);
    copies.push_back(builder_.copy(one.place, packed.memory.part(at, bytes), {one.ready, packed.free}));
  });
  packing_.hold_until(builder_.send(Peer::rank(to), packed.memory, copies));
}

namespace {

/// Chain depths of messages that use two buffers in turn, as Turns has them.
class TurnDepths {
 public:
  uint64_t free() {
    turn_ = 1 - turn_;
    return depth_[turn_];
  }
  void hold_until(uint64_t depth) { depth_[turn_] = depth; }

 private:
  std::array<uint64_t, 2> depth_ = {};
  size_t turn_ = 1;
};

/// All ranks send the same pattern of messages, so that rank 0 represents all.
uint64_t uniform_rounds(const PatMessages& messages, Rank count, bool is_allgather) {
  std::vector<uint64_t> depth(static_cast<size_t>(count), 0);  // of the block with this offset
  const auto at = [&](Rank offset) -> uint64_t& { return depth[static_cast<size_t>(offset)]; };
  TurnDepths packing, landing;
  uint64_t rounds = 0;
  const auto run = [&](Rank distance) {
    for (const Pat::Message& message : messages.between(0, distance)) {
      const bool is_packed = message.blocks > 1;
      const bool lands_by_turns = is_allgather ? is_packed : distance > 1 && distance < messages.farthest();
      uint64_t ready = 0, held = 0;
      messages.for_each_block(0, distance, message, [&](Rank offset, uint64_t, uint64_t) {
        ready = std::max(ready, at(is_allgather ? offset : offset + distance));
      });
      if (is_packed) ready = std::max(ready, packing.free());
      const uint64_t sent = ready + 1;
      if (is_packed) packing.hold_until(sent);
      const uint64_t arrived = lands_by_turns ? std::max(sent, landing.free()) : sent;
      messages.for_each_block(0, distance, message, [&](Rank offset, uint64_t, uint64_t) {
        uint64_t& target = at(is_allgather ? offset + distance : offset);
        target = is_allgather ? arrived : std::max(target, arrived);
        held = std::max(held, target);
      });
      if (lands_by_turns) landing.hold_until(held);
      rounds = std::max(rounds, arrived);
    }
  };
  if (is_allgather)
    for (Rank distance = messages.farthest(); distance > 0; distance /= 2) run(distance);
  else
    for (Rank distance = 1; distance < count; distance *= 2) run(distance);
  return rounds;
}

/// Each message of a chain comes after the previous one in the order of distances and message numbers. Of three
/// consecutive messages of a distance, two together are longer than a segment.
Cost bound(const PatMessages& messages, Rank count, uint64_t segment_bytes) {
  const uint64_t total = messages.total_bytes(), longest = messages.longest_bytes();
  Cost cost{.is_upper_bound = true};
  for (Rank distance = messages.farthest(); distance > 0; distance /= 2) {
    const uint64_t blocks =
        static_cast<uint64_t>(count - distance - 1) / (2 * static_cast<uint64_t>(distance)) + 1;
    cost.rounds += std::min(blocks, 2 * (total / segment_bytes) + 1);
    cost.busiest_bytes += std::min(total, blocks * longest);
  }
  return cost;
}

}  // namespace

Cost pat_cost(const Request& request, uint64_t segment_bytes, bool is_allgather) {
  const PatMessages messages(request, segment_bytes);
  const Rank count = request.rank_count;
  if (messages.total_bytes() == 0 || count == 1) return {};
  if (!request.blocks.is_uniform()) return bound(messages, count, segment_bytes);
  return {uniform_rounds(messages, count, is_allgather),
          request.blocks.uniform_bytes * static_cast<uint64_t>(count - 1)};
}

}  // namespace tutti::algorithm
