#include <algorithm>
#include <cstring>

#include "node/channels.hpp"

namespace tutti::node {

SendChannel::SendChannel(const Region& region, uint32_t to)
    : mailbox_(region, region.me().index, to),
      pool_(region, region.me().index),
      sent_(region.layout().shape().counter_start),
      consumed_(sent_),
      chunks_posted_(sent_),
      pending_(mailbox_.slot_count()) {}

bool SendChannel::send(transport::Tag tag, transport::ConstBytes data, uint64_t cookie, Completions& done) {
  if (sent_ - consumed_ == mailbox_.slot_count() || pending_.full()) {
    end_consumed(done);
    if (sent_ - consumed_ == mailbox_.slot_count()) return false;
  }
  Slot& slot = mailbox_.slot(sent_);
  slot.tag = tag;
  slot.length = data.size();
  std::optional<uint32_t> block;
  if (data.size() <= k_inline_bytes) {
    slot.kind = Slot::Kind::in_slot;
    if (!data.empty()) std::memcpy(slot.bytes, data.data(), data.size());
  } else if (data.size() <= pool_.block_bytes() && (block = pool_.take(PoolFlags::k_reserved_for_chunks))) {
    slot.kind = Slot::Kind::in_block;
    slot.block = static_cast<uint16_t>(*block);
    std::memcpy(pool_.block(*block), data.data(), data.size());
  } else {
    slot.kind = Slot::Kind::rendezvous;
    slot.address = reinterpret_cast<uint64_t>(data.data());
    slot.pull.store(0, std::memory_order_relaxed);
  }
  if (slot.kind == Slot::Kind::rendezvous) {
    // There is capacity: what is pending after end_consumed() still occupies its slot.
    pending_.push({.message = sent_, .data = data, .cookie = cookie});
  } else {
    done.push({.cookie = cookie});
  }
  ++sent_;
  slot.turn.store(sent_, std::memory_order_release);
  return true;
}

void SendChannel::progress(Completions& done) {
  end_consumed(done);
  if (pending_.empty()) return;
  Pending& head = pending_.front();
  if (mailbox_.slot(head.message).pull.load(std::memory_order_acquire) != 0) pass_chunks(head);
}

void SendChannel::end_consumed(Completions& done) {
  consumed_ = mailbox_.receiver().consumed.load(std::memory_order_acquire);
  while (!pending_.empty() && has_reached(consumed_, pending_.front().message + 1)) {
    done.push({.cookie = pending_.pop().cookie});
  }
}

void SendChannel::pass_chunks(Pending& pending) {
  SenderLine& line = mailbox_.sender();
  const uint32_t taken = mailbox_.receiver().chunks_taken.load(std::memory_order_acquire);
  while (pending.pulled_bytes < pending.data.size() && chunks_posted_ - taken < SenderLine::k_chunk_count) {
    const std::optional<uint32_t> block = pool_.take(0);
    // Without a free block the slot is used as a chunk, one at a time.
    if (!block && chunks_posted_ != taken) return;
    const uint64_t room = block ? pool_.block_bytes() : k_inline_bytes;
    const uint64_t bytes = std::min(room, pending.data.size() - pending.pulled_bytes);
    std::byte* to = block ? pool_.block(*block) : mailbox_.slot(pending.message).bytes;
    std::memcpy(to, pending.data.data() + pending.pulled_bytes, bytes);
    line.chunks[chunks_posted_ % SenderLine::k_chunk_count] = {.block = block.value_or(SenderLine::k_in_slot),
                                                               .bytes = static_cast<uint32_t>(bytes)};
    pending.pulled_bytes += bytes;
    line.chunks_posted.store(++chunks_posted_, std::memory_order_release);
  }
}

}  // namespace tutti::node
