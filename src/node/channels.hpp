#pragma once
// The two ends of a mailbox (local_endpoint.hpp says what travels how). Private to this room; one thread at a
// time.

#include <cstdint>
#include <memory>
#include <vector>

#include "node/mailbox.hpp"
#include "node/one_copy.hpp"
#include "transport/endpoint.hpp"

namespace tutti::node {

/// A first-in first-out queue that never grows. Its owner never puts more into it than it holds.
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
  size_t footprint_bytes() const { return content_.capacity() * sizeof(T); }

 private:
  std::vector<T> content_;
  size_t first_ = 0;
  size_t count_ = 0;
};

using Completions = FixedQueue<transport::Completion>;

/// From this rank to one peer.
class SendChannel {
 public:
  SendChannel(const Region& region, uint32_t to);

  /// False when the mailbox is full.
  bool send(transport::Tag tag, transport::ConstBytes data, uint64_t cookie, Completions& done);
  /// Ends transfers whose bytes the receiver has, and passes chunks to a receiver that pulls. Not when idle.
  void progress(Completions& done);
  bool is_idle() const { return pending_.empty(); }
  size_t footprint_bytes() const { return pending_.footprint_bytes(); }

 private:
  /// A rendezvous that the receiver has not finished.
  struct Pending {
    uint32_t message = 0;
    transport::ConstBytes data;
    uint64_t cookie = 0;
    uint64_t pulled_bytes = 0;
  };
  /// Ends the transfers that the receiver has finished.
  void end_consumed(Completions& done);
  void pass_chunks(Pending& pending);

  Mailbox mailbox_;
  Pool pool_;
  uint32_t sent_;      // messages
  uint32_t consumed_;  // what we know of the receiver's counter
  uint32_t chunks_posted_;
  FixedQueue<Pending> pending_;
};

/// From one peer to this rank.
class ReceiveChannel {
 public:
  ReceiveChannel(const Region& region, OneCopy& one_copy, uint32_t from, uint32_t max_posted);

  /// False when too many receives are posted.
  bool post(transport::Tag tag, transport::Bytes data, uint64_t cookie);
  /// Takes what has arrived for the posted receives.
  void progress(Completions& done);
  bool is_idle() const { return posted_.empty(); }
  size_t footprint_bytes() const { return posted_.footprint_bytes(); }

 private:
  struct Posted {
    transport::Tag tag = 0;
    transport::Bytes data;
    uint64_t cookie = 0;
  };
  /// Where the rendezvous at the head of the mailbox stands.
  enum class Phase : uint8_t { none, reading, pulling };

  /// True when all bytes of the message are in the posted buffer.
  bool take(Slot& slot, const Posted& posted);
  bool take_rendezvous(Slot& slot, const Posted& posted);
  bool read_on(const Slot& slot, const Posted& posted);
  void pull_on(const Slot& slot, const Posted& posted);
  void start_pulling(Slot& slot);
  void finish(Slot& slot, base::Code code, Completions& done);

  const Region& region_;
  OneCopy& one_copy_;
  uint32_t from_;
  Mailbox mailbox_;
  Pool pool_;  // the sender's
  uint32_t received_;
  uint32_t chunks_taken_;
  Phase phase_ = Phase::none;
  uint64_t moved_bytes_ = 0;  // of the rendezvous
  FixedQueue<Posted> posted_;
};

}  // namespace tutti::node
