// Bruck's alltoall (Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient algorithms for all-to-all communications
// in multiport message-passing systems, IEEE TPDS 1997). The block for the rank at distance i travels by the
// digits of i: at distance d = radix^k all blocks whose digit there is j move on together, j·d ranks ahead.
//
//   distance   1            2            4              p = 8, radix 2, blocks by distance from their source
//   i ─►       i+1          i+2          i+4
//              1 3 5 7      2 3 6 7      4 5 6 7
//
// Rounds ⌈log_radix p⌉ (one less where the last, partial distance need not wait for the one before); the
// radix-1 messages of a distance go at the same time. Bytes of every rank: n times the digits that are not
// zero in 1 … p-1; about n·p/2·log2 p for radix 2. Copies: a block is packed for every digit and copied to
// its final place at the end. No initial or final rotation: blocks are packed from where they lie, and a
// message of one block is not packed at all.

#include <vector>

#include "algorithm/algorithm.hpp"
#include "algorithm/block_layout.hpp"
#include "pattern/bruck.hpp"

namespace tutti::algorithm {
namespace {

using schedule::BufRef;
using schedule::k_no_task;
using schedule::Peer;
using schedule::ScheduleBuilder;
using schedule::Slot;
using schedule::TaskId;

constexpr Parameter k_parameters[] = {
    {.name = "radix",
     .summary = "more: fewer bytes, more messages",
     .default_value = 2,
     .min = 2,
     .max = 1 << 16},
};

bool applies(const Request&, const Topology&, const ParameterSet&, std::string*) {
  return true;
}

/// One rank's blocks on their way. Block i is i ranks away from where it comes from when it reaches its end:
/// it starts as the own block for rank me + i, and what ends here as block i was sent by rank me - i.
class BruckExchange {
 public:
  BruckExchange(ScheduleBuilder& builder, const Request& request, Rank me)
      : builder_(builder),
        p_(request.rank_count),
        me_(me),
        outgoing_(request.blocks, p_, Slot::input),
        incoming_(request.receive_blocks, p_, Slot::output) {
    for (Rank i = 0; i < p_; ++i) blocks_.push_back({outgoing_.block((me + i) % p_), k_no_task});
  }

  /// Moves all blocks with digit `digit` at `distance` by digit · distance ranks.
  void move(int64_t distance, int64_t digit, int64_t radix) {
    const std::vector<Rank> moving = pattern::Bruck{p_, radix}.moving(distance, digit);
    const auto shift = static_cast<Rank>(digit * distance);
    const Peer to = Peer::rank((me_ + shift) % p_), from = Peer::rank((me_ - shift + p_) % p_);
    const uint64_t bytes = outgoing_.size(0);
    send(to, moving, bytes);

    const Rank first = moving.front();
    if (moving.size() == 1 && first < distance * radix) {  // no higher digit: this is its last move
      blocks_[static_cast<size_t>(first)] = {place(first), builder_.recv(from, place(first))};
      return;
    }
    const BufRef landing = builder_.scratch(bytes * moving.size());
    const TaskId arrived = builder_.recv(from, landing);
    for (size_t k = 0; k < moving.size(); ++k)
      blocks_[static_cast<size_t>(moving[k])] = {landing.part(k * bytes, bytes), arrived};
  }

  /// Brings all blocks to their final places.
  void unpack() {
    for (Rank i = 0; i < p_; ++i) {
      const Block& block = blocks_[static_cast<size_t>(i)];
      builder_.copy(block.at, place(i), block.ready);
    }
  }

 private:
  struct Block {
    BufRef at;
    TaskId ready;
  };

  BufRef place(Rank i) const { return incoming_.block((me_ - i + p_) % p_); }

  void send(Peer to, const std::vector<Rank>& moving, uint64_t bytes) {
    if (moving.size() == 1) {
      const Block& block = blocks_[static_cast<size_t>(moving.front())];
      builder_.send(to, block.at, block.ready);
      return;
    }
    const BufRef packed = builder_.scratch(bytes * moving.size());
    std::vector<TaskId> copies;
    for (size_t k = 0; k < moving.size(); ++k) {
      const Block& block = blocks_[static_cast<size_t>(moving[k])];
      copies.push_back(builder_.copy(block.at, packed.part(k * bytes, bytes), block.ready));
    }
    builder_.send(to, packed, copies);
  }

  ScheduleBuilder& builder_;
  Rank p_, me_;
  BlockLayout outgoing_, incoming_;
  std::vector<Block> blocks_;
};

base::Result<Schedule> build(const Request& request, Rank me, const Topology&,
                             const ParameterSet& parameters) {
  ScheduleBuilder builder;
  if (request.blocks.size(0) == 0) return std::move(builder).finish();
  const auto radix = static_cast<int64_t>(parameters[0]);
  BruckExchange exchange(builder, request, me);
  for (int64_t distance = 1; distance < request.rank_count; distance *= radix)
    for (int64_t digit = 1; digit < radix && digit * distance < request.rank_count; ++digit)
      exchange.move(distance, digit, radix);
  exchange.unpack();
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
  const pattern::Bruck bruck{request.rank_count, static_cast<int64_t>(parameters[0])};
  const uint64_t bytes = request.blocks.size(0);
  if (bytes == 0) return {};
  uint64_t moves = 0;
  for (int64_t distance = 1; distance < bruck.count; distance *= bruck.radix)
    moves += static_cast<uint64_t>(bruck.moving_count(distance));
  return {bruck.rounds(), moves * bytes};
}

}  // namespace

extern const Algorithm alltoall_bruck;
const Algorithm alltoall_bruck = {
    .name = "bruck",
    .summary = "blocks travel together by the digits of their distance",
    .source = "Bruck et al., IEEE TPDS 1997",
    .collective = Collective::alltoall,
    .parameters = k_parameters,
    .applies = applies,
    .build = build,
    .cost = cost,
    .is_the_same_for_all = true,
};

}  // namespace tutti::algorithm
