#pragma once
// The mailbox of one rank as a thread (paper 000 §3.1: ranks of a node share their memory, so that a message
// is one copy from buffer to buffer).

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "actors/messages/operation.hpp"
#include "base/clock.hpp"

namespace tutti::actors {

/// When a send completes.
enum class SendMode : uint8_t {
  standard,     // a short message immediately, a long one when received
  synchronous,  // when its receive has been matched and has the data
};

/// A message that was removed from matching (MPI 4.0, §3.8.2), for one receive.
class TakenMessage;

/// The data of a long message in another process.
class DistantData {
 public:
  virtual ~DistantData() = default;
  /// The message has matched its receive: requests the data into `buffer`, which may be shorter. The thread
  /// that delivers the data calls Mailbox::finish(). Called once, by any thread.
  virtual void fetch(std::span<std::byte> buffer, ReceiveOperation* operation) = 0;
};

/// Any thread may send to it. Only the owner probes and waits, one thread at a time. Only the owner receives,
/// except for receives that another mailbox's owner waits for. Messages of one sender with one context are
/// matched in send order, receives in posting order.
class Mailbox final : public Keeper {
 public:
  /// Longer messages wait for their receive instead of being copied twice.
  static constexpr uint64_t k_eager_bytes = 4096;

  Mailbox();
  /// Remaining messages are lost; no thread may send any more.
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// Sends to this mailbox. `sender`: the mailbox of the sending rank, which waits there.
  void send(Mailbox& sender, const Envelope& envelope, std::span<const std::byte> data, SendMode mode,
            SendOperation* operation);
  void receive(const Pattern& pattern, std::span<std::byte> buffer, ReceiveOperation* operation) {
    receive(pattern, buffer, operation, *this);
  }
  /// The owner of `receiver` waits for the receive in its own mailbox.
  void receive(const Pattern& pattern, std::span<std::byte> buffer, ReceiveOperation* operation,
               Mailbox& receiver);
  /// A message of another process: a short one, or the head of a long one of `bytes`.
  void arrive(const Envelope& envelope, std::span<const std::byte> data);
  void arrive(const Envelope& envelope, uint64_t bytes, std::unique_ptr<DistantData> data);

  /// begin() and finish() of an operation that involves another process; this mailbox's owner waits for it.
  /// `keeper`: holds the data of an unmatched send; nullptr: the send cannot be detached.
  void begin(Operation& operation);
  void begin(SendOperation& operation, Keeper* keeper, std::span<const std::byte> data);
  static void finish(Operation& operation, const Delivery& delivery) { operation.finish(delivery); }

  void keep(std::shared_ptr<const DetachedCopy> copy, SendOperation& operation) override;

  /// Ends a receive without a message. False: it has one, and will be done, or is done.
  bool cancel(ReceiveOperation& operation);

  /// The next message that a receive would match; nullopt: none has arrived. `bytes` as in its Delivery.
  std::optional<Delivery> probe(const Pattern& pattern) const;
  /// The same, but removes the message: only receive(TakenMessage) gets it.
  std::unique_ptr<TakenMessage> take(const Pattern& pattern);
  void receive(std::unique_ptr<TakenMessage> message, std::span<std::byte> buffer,
               ReceiveOperation* operation);

  /// Returns when the operation, which belongs to this mailbox's rank, is done.
  void wait(const Operation& operation);
  /// Returns when `condition` holds. It may depend on completed operations and arrived messages only.
  /// `avoid(waited_ns)` may make it true itself, and is called before the owner sleeps. `avoid` returns 0 if
  /// it changed something, otherwise the length of the wait after which it wants to be called again.
  template <class Condition, class Avoid>
  void wait_until(Condition condition, Avoid avoid);
  template <class Condition>
  void wait_until(Condition condition) {
    wait_until(std::move(condition), [](uint64_t) { return k_never; });
  }
  static constexpr uint64_t k_never = UINT64_MAX;

  /// Makes the owner in wait_until() evaluate its condition again.
  void wake() { static_cast<void>(parking_.wake()); }

  /// Total number of bytes that this mailbox has copied.
  uint64_t copied_bytes() const { return copied_bytes_.load(std::memory_order_relaxed); }

 private:
  friend class TakenMessage;
  struct Arrived;

  void append(std::unique_ptr<Arrived> message);

  std::unique_ptr<Arrived> find_arrived(const Pattern& pattern);
  ReceiveOperation* find_posted(const Envelope& envelope);
  void append(ReceiveOperation* operation);
  void remove(ReceiveOperation& operation);
  Delivery copy(const Envelope& envelope, std::span<const std::byte> data, std::span<std::byte> buffer);
  void complete(std::unique_ptr<Arrived> message, std::span<std::byte> buffer, ReceiveOperation* operation);

  mutable std::mutex mutex_;
  std::list<std::unique_ptr<Arrived>> arrived_;  // unmatched, in order of arrival
  ReceiveOperation *first_posted_ = nullptr, *last_posted_ = nullptr;
  std::atomic<uint64_t> copied_bytes_{0};
  engine::Parking parking_;  // of the owner
};

class TakenMessage {
 public:
  explicit TakenMessage(std::unique_ptr<Mailbox::Arrived> message);
  ~TakenMessage();
  Delivery delivery() const;

 private:
  friend class Mailbox;
  std::unique_ptr<Mailbox::Arrived> message_;
};

template <class Condition, class Avoid>
void Mailbox::wait_until(Condition condition, Avoid avoid) {
  constexpr int k_polls = 32;  // a reply often arrives soon
  for (int poll = 0; poll < k_polls; ++poll) {
    if (condition()) return;
    if (avoid(0) != 0) std::this_thread::yield();
  }
  uint64_t begin = base::monotonic_ns();
  for (;;) {
    parking_.prepare();
    if (condition()) {
      parking_.cancel();
      return;
    }
    const uint64_t waited = base::monotonic_ns() - begin, enough = avoid(waited);
    if (enough == 0) {
      parking_.cancel();
    } else if (enough == k_never) {
      parking_.park();
      begin = base::monotonic_ns();
    } else if (parking_.park_for(enough - std::min(enough, waited))) {
      begin = base::monotonic_ns();
    }
  }
}

}  // namespace tutti::actors
