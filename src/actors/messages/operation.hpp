#pragma once
// A send or a receive of one rank, from its start to its completion.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "actors/messages/detached_copy.hpp"
#include "actors/messages/envelope.hpp"
#include "engine/parking.hpp"

namespace tutti::actors {

/// The result of an operation.
struct Delivery {
  Envelope envelope;   // of the message
  uint64_t bytes = 0;  // length of the message; the buffer may hold fewer
  bool is_truncated = false;
  bool is_cancelled = false;
};

/// Belongs to the rank that started it, and must not move until it is done: other ranks' threads complete it.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  /// Delivered data are visible to a thread that sees true.
  bool is_done() const { return is_done_.load(std::memory_order_acquire); }
  /// Valid once done.
  const Delivery& delivery() const { return delivery_; }

 protected:
  ~Operation() = default;

 private:
  friend class Mailbox;
  /// Does not access the object after it is marked done.
  void finish(const Delivery& delivery);

  engine::Parking* waiter_ = nullptr;
  Delivery delivery_;
  std::atomic<bool> is_done_{true};
};

class SendOperation;

/// Holds a long message while it has no receive.
class Keeper {
 public:
  /// Completes `operation` with `copy` of its data, unless a receive has matched it.
  virtual void keep(std::shared_ptr<const DetachedCopy> copy, SendOperation& operation) = 0;

 protected:
  ~Keeper() = default;
};

/// The data must remain valid until it is done.
class SendOperation final : public Operation {
 public:
  /// Pending, and not yet detached. Owner thread only, as are the following members.
  bool can_be_let_go() const { return !is_done() && keeper_ != nullptr; }
  std::span<const std::byte> data() const { return data_; }
  /// Completes before its receive is matched. Does nothing if that has been matched.
  void detach(std::shared_ptr<const DetachedCopy> copy) {
    std::exchange(keeper_, nullptr)->keep(std::move(copy), *this);
  }

 private:
  friend class Mailbox;
  Keeper* keeper_ = nullptr;  // nullptr: cannot complete before its receive is matched
  std::span<const std::byte> data_;
};

class ReceiveOperation final : public Operation {
  friend class Mailbox;
  Pattern pattern_;
  std::span<std::byte> buffer_;
  ReceiveOperation *before_ = nullptr, *after_ = nullptr;  // in posting order
};

}  // namespace tutti::actors
