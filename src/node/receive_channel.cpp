#include <algorithm>
#include <cstring>

#include "node/channels.hpp"

namespace tutti::node {
namespace {

/// Maximum bytes per step of a long read: poll() returns within a fraction of a millisecond.
constexpr uint64_t k_step_bytes = 1 << 20;

}  // namespace

ReceiveChannel::ReceiveChannel(const Region& region, OneCopy& one_copy, uint32_t from, uint32_t max_posted)
    : region_(region),
      one_copy_(one_copy),
      from_(from),
      mailbox_(region, from, region.me().index),
      pool_(region, from),
      received_(region.layout().shape().counter_start),
      chunks_taken_(received_),
      posted_(max_posted) {}

bool ReceiveChannel::post(transport::Tag tag, transport::Bytes data, uint64_t cookie) {
  if (posted_.full()) return false;
  posted_.push({.tag = tag, .data = data, .cookie = cookie});
  return true;
}

void ReceiveChannel::progress(const CancelledTags& cancelled, Completions& done) {
  while (!posted_.empty()) {
    Slot& slot = mailbox_.slot(received_);
    if (slot.turn.load(std::memory_order_acquire) != received_ + 1) return;
    const Posted& posted = posted_.front();
    base::Code code = base::Code::ok;
    if (slot.tag != posted.tag) {
      if (cancelled.contains(slot.tag)) {
        give_back(slot);
        continue;
      }
      code = base::Code::internal;
    } else if (slot.length != posted.data.size()) {
      code = base::Code::invalid_argument;
    } else if (!take(slot, posted)) {
      return;
    }
    done.push({.cookie = posted_.pop().cookie, .code = code});
    give_back(slot);
  }
}

bool ReceiveChannel::cancel(uint64_t cookie, CancelledTags& cancelled, Completions& done) {
  if (!posted_.empty() && posted_.front().cookie == cookie && phase_ != Phase::none) return true;
  const auto is_meant = [&](const Posted& posted) {
    if (posted.cookie == cookie) cancelled.add(posted.tag);
    return posted.cookie == cookie;
  };
  if (posted_.remove_if(is_meant) == 0) return false;
  done.push(transport::cancelled(cookie));
  return true;
}

bool ReceiveChannel::take(Slot& slot, const Posted& posted) {
  switch (slot.kind) {
    case Slot::Kind::in_slot:
      if (slot.length > 0) std::memcpy(posted.data.data(), slot.bytes, slot.length);
      return true;
    case Slot::Kind::in_block:
      std::memcpy(posted.data.data(), pool_.block(slot.block), slot.length);
      return true;
    case Slot::Kind::rendezvous:
      return take_rendezvous(slot, posted);
  }
  return true;
}

bool ReceiveChannel::take_rendezvous(Slot& slot, const Posted& posted) {
  if (phase_ == Phase::none) {
    moved_bytes_ = 0;
    phase_ = Phase::reading;
    if (one_copy_.reach(member_line(region_, from_).process) == Reach::none) start_pulling(slot);
  }
  if (phase_ == Phase::reading && !read_on(slot, posted)) start_pulling(slot);
  if (phase_ == Phase::pulling) pull_on(slot, posted);
  return moved_bytes_ == slot.length;
}

/// False if the sender's memory proves unreadable.
bool ReceiveChannel::read_on(const Slot& slot, const Posted& posted) {
  const uint64_t bytes = std::min(k_step_bytes, slot.length - moved_bytes_);
  const base::Status read = one_copy_.read(member_line(region_, from_).process, slot.address + moved_bytes_,
                                           posted.data.subspan(moved_bytes_, bytes));
  if (read) moved_bytes_ += bytes;
  return read.is_ok();
}

void ReceiveChannel::start_pulling(Slot& slot) {
  phase_ = Phase::pulling;
  moved_bytes_ = 0;  // the sender starts at the beginning
  slot.pull.store(1, std::memory_order_release);
  ++pulls_;
}

void ReceiveChannel::pull_on(const Slot& slot, const Posted& posted) {
  const SenderLine& line = mailbox_.sender();
  const uint32_t available = line.chunks_posted.load(std::memory_order_acquire);
  while (chunks_taken_ != available) {
    const SenderLine::Chunk chunk = line.chunks[chunks_taken_ % SenderLine::k_chunk_count];
    const bool in_slot = chunk.block == SenderLine::k_in_slot;
    std::memcpy(posted.data.data() + moved_bytes_, in_slot ? slot.bytes : pool_.block(chunk.block),
                chunk.bytes);
    moved_bytes_ += chunk.bytes;
    if (!in_slot) pool_.give_back(chunk.block);
    mailbox_.receiver().chunks_taken.store(++chunks_taken_, std::memory_order_release);
  }
}

void ReceiveChannel::give_back(const Slot& slot) {
  if (slot.kind == Slot::Kind::in_block) pool_.give_back(slot.block);
  phase_ = Phase::none;
  mailbox_.receiver().consumed.store(++received_, std::memory_order_release);
}

}  // namespace tutti::node
