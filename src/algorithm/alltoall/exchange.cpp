#include "algorithm/alltoall/exchange.hpp"

#include <algorithm>
#include <utility>

#include "algorithm/segments.hpp"

namespace tutti::algorithm {

uint64_t piece_bytes(uint64_t block_bytes, uint64_t wanted) {
  return std::max(wanted, segment_count(block_bytes, k_max_pieces));
}

namespace {

uint64_t piece_count(uint64_t block_bytes, uint64_t wanted) {
  return segment_count(block_bytes, piece_bytes(block_bytes, wanted));
}

/// Piece number `index` of a block; empty if the block has fewer.
BufRef piece_of(BufRef block, uint64_t index, uint64_t wanted) {
  const uint64_t length = piece_bytes(block.length, wanted);
  if (index >= piece_count(block.length, wanted)) return {};
  return block.part(index * length, std::min(length, block.length - index * length));
}

BufRef block_of(const BlockLayout& layout, Rank rank) {
  return rank < 0 ? BufRef{} : layout.block(rank);
}

}  // namespace

std::vector<ExchangeStep> ring_steps(Rank me, Rank rank_count) {
  std::vector<ExchangeStep> steps;
  for (Rank s = 1; s < rank_count; ++s)
    steps.push_back({.to = (me + s) % rank_count, .from = (me - s + rank_count) % rank_count});
  return steps;
}

AlltoallExchange::AlltoallExchange(ScheduleBuilder& builder, const Request& request, Rank me,
                                   ExchangeLimits limits)
    : builder_(builder),
      me_(me),
      limits_(limits),
      outgoing_(request.blocks, request.rank_count, Slot::input),
      incoming_(request.receive_blocks, request.rank_count, Slot::output) {}

uint64_t AlltoallExchange::most_pieces(std::span<const ExchangeStep> steps) const {
  uint64_t most = 0;
  for (const auto [to, from] : steps) {
    most = std::max({most, piece_count(block_of(outgoing_, to).length, limits_.segment_bytes),
                     piece_count(block_of(incoming_, from).length, limits_.segment_bytes)});
  }
  return most;
}

void AlltoallExchange::add_steps(std::span<const ExchangeStep> steps) {
  const uint64_t rounds = most_pieces(steps);
  InFlightLimit sends(limits_.steps, steps.size() * rounds), receives(limits_.steps, steps.size() * rounds);
  for (uint64_t round = 0, turn = 0; round < rounds; ++round) {
    for (const auto [to, from] : steps) {
      const BufRef incoming = piece_of(block_of(incoming_, from), round, limits_.segment_bytes);
      const BufRef outgoing = piece_of(block_of(outgoing_, to), round, limits_.segment_bytes);
      // The receive is added first: if both sides meet in one step, it is posted when the partner's piece arrives.
      if (!incoming.empty())
        receives.set_last(turn, builder_.recv(Peer::rank(from), incoming, receives.before(turn)));
      if (!outgoing.empty())
        sends.set_last(turn, builder_.send(Peer::rank(to), outgoing, sends.before(turn)));
      ++turn;
    }
  }
}

void AlltoallExchange::add_local(Rank to, Rank from) {
  const BufRef incoming = block_of(incoming_, from), outgoing = block_of(outgoing_, to);
  if (!incoming.empty()) builder_.recv(Peer::local(from), incoming);
  if (!outgoing.empty()) builder_.send(Peer::local(to), outgoing);
}

void AlltoallExchange::copy_own() {
  builder_.copy(outgoing_.block(me_), incoming_.block(me_));
}

BuildResult build_exchange(const Request& request, Rank me, std::span<const ExchangeStep> steps,
                           ExchangeLimits limits) {
  ScheduleBuilder builder;
  AlltoallExchange exchange(builder, request, me, limits);
  exchange.add_steps(steps);
  exchange.copy_own();
  return std::move(builder).finish();
}

Cost exchange_cost(const Request& request, uint64_t step_count, ExchangeLimits limits) {
  const auto bytes_to_others = [&](const Blocks& blocks) {
    return blocks.total(request.rank_count) -
           (blocks.is_uniform() ? blocks.uniform_bytes : request.own_bytes);
  };
  const auto most_pieces = [&](const Blocks& blocks) {
    uint64_t most = 0;
    for (Rank r = 0; r < request.rank_count; ++r)
      most = std::max(most, piece_count(blocks.size(r), limits.segment_bytes));
    return most;
  };
  const uint64_t sent = bytes_to_others(request.blocks);
  const bool idle = sent == 0 && bytes_to_others(request.receive_blocks) == 0;
  const uint64_t rounds = std::max(most_pieces(request.blocks), most_pieces(request.receive_blocks));
  return {.rounds = idle ? 0 : steps_one_after_another(step_count * rounds, limits.steps),
          .busiest_bytes = sent,
          .is_upper_bound = request.collective != Collective::alltoall};
}

}  // namespace tutti::algorithm
