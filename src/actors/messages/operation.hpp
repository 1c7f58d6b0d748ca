#pragma once
// A send or a receive of one rank, from its start to its end.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "actors/messages/envelope.hpp"
#include "actors/messages/kept_copy.hpp"
#include "engine/parking.hpp"

namespace tutti::actors {

/// How an operation has ended.
struct Delivery {
  Envelope envelope;   // of the message
  uint64_t bytes = 0;  // of the message, of which as many are there as the buffer has
  bool is_truncated = false;
  bool is_cancelled = false;
};

/// Belongs to the rank that has started it, and stays where it is until it is done: other ranks' threads end it.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  /// What has been delivered is visible to the thread that sees it.
  bool is_done() const { return is_done_.load(std::memory_order_acquire); }
  /// Once it is done.
  const Delivery& delivery() const { return delivery_; }

 protected:
  ~Operation() = default;

 private:
  friend class Mailbox;
  /// Not touched any more when this returns.
  void finish(const Delivery& delivery);

  engine::Parking* waiter_ = nullptr;
  Delivery delivery_;
  std::atomic<bool> is_done_{true};
};

class SendOperation;

/// Where a long message is while it has no receive.
class Keeper {
 public:
  /// Ends `operation`, unless a receive has come: the message has `copy` of its data.
  virtual void keep(std::shared_ptr<const KeptCopy> copy, SendOperation& operation) = 0;

 protected:
  ~Keeper() = default;
};

/// The data stays until it is done.
class SendOperation final : public Operation {
 public:
  /// Pending, and not yet detached. Owner thread only, as are the following members.
  bool can_be_let_go() const { return !is_done() && keeper_ != nullptr; }
  std::span<const std::byte> data() const { return data_; }
  /// Ends before its receive comes. Where that has come already, nothing happens.
  void let_go(std::shared_ptr<const KeptCopy> copy) {
    std::exchange(keeper_, nullptr)->keep(std::move(copy), *this);
  }

 private:
  friend class Mailbox;
  Keeper* keeper_ = nullptr;  // nullptr: its receive has to come
  std::span<const std::byte> data_;
};

class ReceiveOperation final : public Operation {
  friend class Mailbox;
  Pattern pattern_;
  std::span<std::byte> buffer_;
  ReceiveOperation *before_ = nullptr, *after_ = nullptr;  // in the order in which they were posted
};

}  // namespace tutti::actors
