#include "agent/member.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tutti::agent {

BoardCall::BoardCall(const Board& board, const Topology& topology, Rank me, const Description& whole,
                     uint32_t first, const Buffers& buffers, std::function<void()> ring)
    : board_(board),
      topology_(topology),
      me_(me),
      whole_(whole),
      first_(first),
      buffers_(buffers),
      blocks_(buffers.blocks.is_uniform() ? algorithm::Blocks{.uniform_bytes = whole.block_bytes}
                                          : buffers.blocks),
      ring_(std::move(ring)),
      parts_(part_count(whole)) {}

uint32_t BoardCall::part_count(const Description& whole) {
  if (whole.bytes == 0 || whole.block_bytes <= whole.bytes) return 1;
  return static_cast<uint32_t>((whole.block_bytes + whole.bytes - 1) / whole.bytes);
}

Description BoardCall::part(uint32_t number) const {
  Description part = whole_;
  part.begin = number * whole_.bytes;
  part.bytes = std::min(whole_.bytes, whole_.block_bytes - part.begin);
  return part;
}

bool BoardCall::progress() {
  // Do both: on another node the result of an earlier part may depend on a deposit of this one.
  const bool has_deposited = deposit_next();
  return take_next() || has_deposited;
}

bool BoardCall::deposit_next() {
  const uint32_t sequence = first_ + deposited_;
  if (deposited_ == parts_ || !board_.is_free_for(sequence)) return false;
  const Description description = part(deposited_++);
  const Layout layout(topology_, description, me_);
  board_.describe(sequence, description);
  if (layout.deposits()) {
    if (!blocks_.is_uniform() && combines(description.collective))
      std::memset(board_.area(sequence) + layout.own_vector(), 0, layout.vector_bytes());
    if (buffers_.input != nullptr)
      layout.for_each_deposit(buffers_.in_place, blocks_, [&](uint64_t from, uint64_t to, uint64_t bytes) {
        std::memcpy(board_.area(sequence) + to, buffers_.input + from, bytes);
      });
    board_.entry(sequence).deposited.fetch_add(1, std::memory_order_release);
  }
  ring_();
  return true;
}

bool BoardCall::take_next() {
  if (taken_ == deposited_) return false;
  const uint32_t sequence = first_ + taken_;
  const Layout layout(topology_, part(taken_), me_);
  if (layout.takes()) {
    if (!board_.is_done(sequence)) return false;
    const bool has_place = buffers_.output != nullptr;  // null: a scatter's root keeps its own block
    if (has_place)
      layout.for_each_take(blocks_, [&](uint64_t from, uint64_t to, uint64_t bytes) {
        std::memcpy(buffers_.output + to, board_.area(sequence) + from, bytes);
      });
    const auto code = static_cast<base::Code>(board_.entry(sequence).error.load(std::memory_order_relaxed));
    if (code != base::Code::ok && status_)
      status_ = {code, "the agent of this node could not exchange the data"};
    if (board_.entry(sequence).description.block_bytes != whole_.block_bytes && status_)
      status_ = base::Status::invalid_argument("another rank gave the message another length");
  }
  ++taken_;
  board_.entry(sequence).left.fetch_add(1, std::memory_order_release);
  ring_();
  return true;
}

}  // namespace tutti::agent
