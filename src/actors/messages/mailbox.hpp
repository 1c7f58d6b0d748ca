#pragma once
// Messages for one rank that is a thread (paper 000 §3.1: ranks of a node share their memory, so that a message is one
// copy from buffer to buffer).

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

/// When a send is done.
enum class SendMode : uint8_t {
  standard,     // a short message at once, a long one when it has been received
  synchronous,  // when its receive has been matched and has the data
};

/// A message that has been taken out of the matching (MPI 4.0, §3.8.2), for one receive.
class TakenMessage;

/// The data of a long message that another process has.
class DistantData {
 public:
  virtual ~DistantData() = default;
  /// The message has met its receive: the data is wanted in `buffer`, which may be shorter. Whoever brings it calls
  /// Mailbox::finish(). Called once, by any thread.
  virtual void fetch(std::span<std::byte> buffer, ReceiveOperation* operation) = 0;
};

/// Any thread may send to it. Probes and waits are its owner's, one thread at a time, and so are receives, but for
/// those of which another mailbox's owner waits for the end. Messages of one sender with one context are matched in
/// the order in which they were sent, receives in the order in which they were posted.
class Mailbox final : public Keeper {
 public:
  /// Longer messages wait for their receive instead of being copied twice.
  static constexpr uint64_t k_eager_bytes = 4096;

  Mailbox();
  /// What is still there is lost; nobody sends any more.
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// Sends to this mailbox. `sender` is that of the sending rank, which waits there.
  void send(Mailbox& sender, const Envelope& envelope, std::span<const std::byte> data, SendMode mode,
            SendOperation* operation);
  void receive(const Pattern& pattern, std::span<std::byte> buffer, ReceiveOperation* operation) {
    receive(pattern, buffer, operation, *this);
  }
  /// The owner of `receiver` waits for it, there.
  void receive(const Pattern& pattern, std::span<std::byte> buffer, ReceiveOperation* operation,
               Mailbox& receiver);
  /// A message of another process: a short one, and the head of a long one, of `bytes`.
  void arrive(const Envelope& envelope, std::span<const std::byte> data);
  void arrive(const Envelope& envelope, uint64_t bytes, std::unique_ptr<DistantData> data);

  /// An operation that another process has part in: it begins, for the owner to wait for, and has ended. `keeper`: of a
  /// send's data, while it has no receive; nullptr: that has to come.
  void begin(Operation& operation);
  void begin(SendOperation& operation, Keeper* keeper, std::span<const std::byte> data);
  static void finish(Operation& operation, const Delivery& delivery) { operation.finish(delivery); }

  void keep(std::shared_ptr<const KeptCopy> copy, SendOperation& operation) override;

  /// Ends a receive that has no message yet. False: it has one, and will be done, or is.
  bool cancel(ReceiveOperation& operation);

  /// The next message that a receive would get; nothing: none is here. `bytes` as in its Delivery.
  std::optional<Delivery> probe(const Pattern& pattern) const;
  /// The same, and only receive(TakenMessage) gets it any more.
  std::unique_ptr<TakenMessage> take(const Pattern& pattern);
  void receive(std::unique_ptr<TakenMessage> message, std::span<std::byte> buffer,
               ReceiveOperation* operation);

  /// Returns when the operation of this mailbox's rank is done.
  void wait(const Operation& operation);
  /// Returns when `condition` holds. It depends on what is done or has come here. `avoid(waited_ns)` may change that by
  /// itself, and is called before the owner sleeps. It returns 0 if it has, and otherwise after how much of a wait it
  /// wants to be called again.
  template <class Condition, class Avoid>
  void wait_until(Condition condition, Avoid avoid);
  template <class Condition>
  void wait_until(Condition condition) {
    wait_until(std::move(condition), [](uint64_t) { return k_never; });
  }
  static constexpr uint64_t k_never = UINT64_MAX;

  /// Whoever waits in wait_until() looks again.
  void wake() { static_cast<void>(parking_.wake()); }

  /// Copies of data that have been made in all, by this mailbox.
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
  std::list<std::unique_ptr<Arrived>> arrived_;  // without a receive, in order
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
  constexpr int k_polls = 32;  // an answer is often under way
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
