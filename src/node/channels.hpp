#pragma once
// The two ends of a mailbox (protocol: local_endpoint.hpp). Private to src/node; used by one thread at a
// time.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "node/one_copy.hpp"
#include "node/shared_mailbox.hpp"
#include "transport/endpoint.hpp"

namespace tutti::node {

/// A first-in first-out queue of fixed capacity. The owner must not push into a full queue.
template <class T>
class FixedQueue {
 public:
  explicit FixedQueue(uint32_t capacity) : content_(capacity) {}

  bool empty() const { return count_ == 0; }
  bool full() const { return count_ == content_.size(); }
  T& front() { return content_[first_]; }
  void push(const T& value) {
    const size_t at = first_ + count_++;
    content_[at < content_.size() ? at : at - content_.size()] = value;
  }
  T pop() {
    const size_t at = first_;
    first_ = first_ + 1 < content_.size() ? first_ + 1 : 0;
    --count_;
    return content_[at];
  }
  /// Removes the elements that `is_wanted` holds for; the others keep their order. Returns the number of
  /// removed ones.
  template <class Predicate>
  size_t remove_if(Predicate is_wanted) {
    const size_t before = count_;
    for (size_t i = 0; i < before; ++i)
      if (const T value = pop(); !is_wanted(value)) push(value);
    return before - count_;
  }
  size_t footprint_bytes() const { return content_.capacity() * sizeof(T); }

 private:
  std::vector<T> content_;
  size_t first_ = 0;
  size_t count_ = 0;
};

using Completions = FixedQueue<transport::Completion>;

/// The latest 16 tags whose receives were cancelled: messages with them are dropped.
class CancelledTags {
 public:
  void add(transport::Tag tag) {
    if (!contains(tag)) tags_[count_++ % tags_.size()] = tag;
  }
  bool contains(transport::Tag tag) const {
    const auto known = tags_.begin() + std::min<ptrdiff_t>(count_, std::ssize(tags_));
    return std::find(tags_.begin(), known, tag) != known;
  }

 private:
  std::array<transport::Tag, 16> tags_{};
  uint32_t count_ = 0;
};

/// Channel from this rank to one peer.
class SendChannel {
 public:
  SendChannel(const Region& region, uint32_t to);

  /// False if the mailbox is full.
  bool send(transport::Tag tag, transport::ConstBytes data, uint64_t cookie, Completions& done);
  /// Ends transfers whose bytes the receiver has, and copies chunks for a receiver that pulls. Not called
  /// when idle.
  void progress(Completions& done);
  bool is_idle() const { return pending_.empty(); }
  /// Changes whenever the receiver has something new to process.
  uint32_t news() const { return sent_ + chunks_posted_; }
  size_t footprint_bytes() const { return pending_.footprint_bytes(); }

 private:
  /// A rendezvous that the receiver has not completed.
  struct Pending {
    uint32_t message = 0;
    transport::ConstBytes data;
    uint64_t cookie = 0;
    uint64_t pulled_bytes = 0;
  };
  /// Ends the transfers that the receiver has completed.
  void end_consumed(Completions& done);
  void pass_chunks(Pending& pending);

  SharedMailbox mailbox_;
  Pool pool_;
  uint32_t sent_;      // messages
  uint32_t consumed_;  // last value read from the receiver's counter
  uint32_t chunks_posted_;
  FixedQueue<Pending> pending_;
};

/// Channel from one peer to this rank.
class ReceiveChannel {
 public:
  ReceiveChannel(const Region& region, OneCopy& one_copy, uint32_t from, uint32_t max_posted);

  /// False if too many receives are posted.
  bool post(transport::Tag tag, transport::Bytes data, uint64_t cookie);
  /// Receives what has arrived for the posted receives, and drops messages with a cancelled tag.
  void progress(const CancelledTags& cancelled, Completions& done);
  /// Ends a posted receive that no message has matched. False if there is none with this cookie.
  bool cancel(uint64_t cookie, CancelledTags& cancelled, Completions& done);
  bool is_idle() const { return posted_.empty(); }
  /// Changes whenever the sender has something new to process.
  uint32_t news() const { return received_ + chunks_taken_ + pulls_; }
  size_t footprint_bytes() const { return posted_.footprint_bytes(); }

 private:
  struct Posted {
    transport::Tag tag = 0;
    transport::Bytes data;
    uint64_t cookie = 0;
  };
  /// State of the rendezvous at the head of the mailbox.
  enum class Phase : uint8_t { none, reading, pulling };

  /// True when all bytes of the message are in the posted buffer.
  bool take(Slot& slot, const Posted& posted);
  bool take_rendezvous(Slot& slot, const Posted& posted);
  bool read_on(const Slot& slot, const Posted& posted);
  void pull_on(const Slot& slot, const Posted& posted);
  void start_pulling(Slot& slot);
  /// Returns the slot to the sender, which also completes the sender's rendezvous.
  void give_back(const Slot& slot);

  const Region& region_;
  OneCopy& one_copy_;
  uint32_t from_;
  SharedMailbox mailbox_;
  Pool pool_;  // the sender's
  uint32_t received_;
  uint32_t chunks_taken_;
  uint32_t pulls_ = 0;  // messages that the sender was asked to copy
  Phase phase_ = Phase::none;
  uint64_t moved_bytes_ = 0;  // of the rendezvous
  FixedQueue<Posted> posted_;
};

}  // namespace tutti::node
