#include "algorithm/alltoall/exchange.hpp"

namespace tutti::algorithm {

using schedule::BufRef;
using schedule::Peer;
using schedule::Slot;

namespace {
BufRef block_of(const BlockLayout& layout, Rank rank) {
  return rank < 0 ? BufRef{} : layout.block(rank);
}
}  // namespace

AlltoallExchange::AlltoallExchange(schedule::ScheduleBuilder& builder, const Request& request, Rank me,
                                   uint64_t step_count, uint64_t limit)
    : builder_(builder),
      me_(me),
      outgoing_(request.blocks, request.rank_count, Slot::input),
      incoming_(request.receive_blocks, request.rank_count, Slot::output),
      sends_(limit, step_count),
      receives_(limit, step_count) {}

void AlltoallExchange::add(uint64_t step, Rank to, Rank from) {
  const BufRef incoming = block_of(incoming_, from), outgoing = block_of(outgoing_, to);
  // The receive comes first: where both sides meet in one step, it is open when the partner's block arrives.
  if (!incoming.empty())
    receives_.set_last(step, builder_.recv(Peer::rank(from), incoming, receives_.before(step)));
  if (!outgoing.empty()) sends_.set_last(step, builder_.send(Peer::rank(to), outgoing, sends_.before(step)));
}

void AlltoallExchange::add_local(Rank to, Rank from) {
  const BufRef incoming = block_of(incoming_, from), outgoing = block_of(outgoing_, to);
  if (!incoming.empty()) builder_.recv(Peer::local(from), incoming);
  if (!outgoing.empty()) builder_.send(Peer::local(to), outgoing);
}

void AlltoallExchange::copy_own() {
  builder_.copy(outgoing_.block(me_), incoming_.block(me_));
}

Cost exchange_cost(const Request& request, uint64_t step_count, uint64_t limit) {
  const auto bytes_to_others = [&](const Blocks& blocks) {
    const uint64_t total = BlockLayout(blocks, request.rank_count, Slot::input).total_bytes();
    return total - (blocks.is_uniform() ? blocks.uniform_bytes : request.own_bytes);
  };
  const uint64_t sent = bytes_to_others(request.blocks);
  const bool idle = sent == 0 && bytes_to_others(request.receive_blocks) == 0;
  return {.rounds = idle ? 0 : lane_turns(step_count, limit),
          .busiest_bytes = sent,
          .is_upper_bound = request.collective != Collective::alltoall};
}

}  // namespace tutti::algorithm
