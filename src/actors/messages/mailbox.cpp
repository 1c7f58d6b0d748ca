#include "actors/messages/mailbox.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace tutti::actors {

/// An unmatched message. A short one has its data here; the data of a long one are still in the sender's
/// buffer.
struct Mailbox::Arrived {
  Envelope envelope;
  uint64_t bytes = 0;
  std::vector<std::byte> own = {};
  std::shared_ptr<const DetachedCopy> kept = {};  // of a long one that its sender has detached
  const std::byte* data = nullptr;
  SendOperation* sender = nullptr;            // not done; nullptr: the send has completed
  std::unique_ptr<DistantData> distant = {};  // nullptr: the data are in this process
};

TakenMessage::TakenMessage(std::unique_ptr<Mailbox::Arrived> message) : message_(std::move(message)) {}
TakenMessage::~TakenMessage() = default;

Delivery TakenMessage::delivery() const {
  return {.envelope = message_->envelope, .bytes = message_->bytes};
}

/// The owner may destroy the operation as soon as it is done; its mailbox remains.
void Operation::finish(const Delivery& delivery) {
  delivery_ = delivery;
  engine::Parking* const waiter = waiter_;
  is_done_.store(true, std::memory_order_seq_cst);
  static_cast<void>(waiter->wake());
}

Mailbox::Mailbox() = default;
Mailbox::~Mailbox() = default;

void Mailbox::send(Mailbox& sender, const Envelope& envelope, std::span<const std::byte> data, SendMode mode,
                   SendOperation* operation) {
  const bool is_standard = mode == SendMode::standard,
             ends_at_once = is_standard && data.size() <= k_eager_bytes;
  sender.begin(*operation, is_standard ? this : nullptr, data);
  std::unique_lock lock(mutex_);
  if (ReceiveOperation* const posted = find_posted(envelope)) {
    lock.unlock();
    const Delivery delivery = copy(envelope, data, posted->buffer_);
    posted->finish(delivery);
    operation->finish({.envelope = envelope, .bytes = data.size()});
    return;
  }
  auto message = std::make_unique<Arrived>(Arrived{.envelope = envelope, .bytes = data.size()});
  if (ends_at_once) {
    message->own.assign(data.begin(), data.end());
    copied_bytes_.fetch_add(data.size(), std::memory_order_relaxed);
  }
  message->data = ends_at_once ? message->own.data() : data.data();
  message->sender = ends_at_once ? nullptr : operation;
  append(std::move(message));
  static_cast<void>(parking_.wake());  // a probe may wait for it
  lock.unlock();
  if (ends_at_once) operation->finish({.envelope = envelope, .bytes = data.size()});
}

void Mailbox::keep(std::shared_ptr<const DetachedCopy> copy, SendOperation& operation) {
  std::unique_lock lock(mutex_);
  const auto found =
      std::ranges::find_if(arrived_, [&](const auto& message) { return message->sender == &operation; });
  if (found == arrived_.end()) return;
  Arrived& message = **found;
  message.data = copy->data().data();
  message.kept = std::move(copy);
  message.sender = nullptr;
  const Delivery delivery{.envelope = message.envelope, .bytes = message.bytes};
  lock.unlock();
  copied_bytes_.fetch_add(delivery.bytes, std::memory_order_relaxed);
  operation.finish(delivery);
}

void Mailbox::begin(SendOperation& operation, Keeper* keeper, std::span<const std::byte> data) {
  begin(operation);
  operation.keeper_ = keeper;
  operation.data_ = data;
}

void Mailbox::begin(Operation& operation) {
  operation.waiter_ = &parking_;
  operation.is_done_.store(false, std::memory_order_relaxed);
}

void Mailbox::arrive(const Envelope& envelope, std::span<const std::byte> data) {
  std::unique_lock lock(mutex_);
  if (ReceiveOperation* const posted = find_posted(envelope)) {
    lock.unlock();
    posted->finish(copy(envelope, data, posted->buffer_));
    return;
  }
  auto message = std::make_unique<Arrived>(Arrived{.envelope = envelope, .bytes = data.size()});
  message->own.assign(data.begin(), data.end());
  copied_bytes_.fetch_add(data.size(), std::memory_order_relaxed);
  message->data = message->own.data();
  append(std::move(message));
  static_cast<void>(parking_.wake());
}

void Mailbox::arrive(const Envelope& envelope, uint64_t bytes, std::unique_ptr<DistantData> data) {
  std::unique_lock lock(mutex_);
  if (ReceiveOperation* const posted = find_posted(envelope)) {
    lock.unlock();
    data->fetch(posted->buffer_, posted);
    return;
  }
  auto message = std::make_unique<Arrived>(Arrived{.envelope = envelope, .bytes = bytes});
  message->distant = std::move(data);
  append(std::move(message));
  static_cast<void>(parking_.wake());
}

void Mailbox::append(std::unique_ptr<Arrived> message) {
  arrived_.push_back(std::move(message));
}

void Mailbox::receive(const Pattern& pattern, std::span<std::byte> buffer, ReceiveOperation* operation,
                      Mailbox& receiver) {
  operation->waiter_ = &receiver.parking_;
  operation->pattern_ = pattern;
  operation->buffer_ = buffer;
  operation->is_done_.store(false, std::memory_order_relaxed);
  std::unique_lock lock(mutex_);
  auto message = find_arrived(pattern);
  if (message == nullptr) {
    append(operation);
    return;
  }
  lock.unlock();
  complete(std::move(message), buffer, operation);
}

void Mailbox::receive(std::unique_ptr<TakenMessage> message, std::span<std::byte> buffer,
                      ReceiveOperation* operation) {
  operation->waiter_ = &parking_;
  operation->is_done_.store(false, std::memory_order_relaxed);
  complete(std::move(message->message_), buffer, operation);
}

bool Mailbox::cancel(ReceiveOperation& operation) {
  {
    const std::lock_guard lock(mutex_);
    const ReceiveOperation* posted = first_posted_;
    while (posted != nullptr && posted != &operation) posted = posted->after_;
    if (posted == nullptr) return false;
    remove(operation);
  }
  operation.finish({.is_cancelled = true});
  return true;
}

std::optional<Delivery> Mailbox::probe(const Pattern& pattern) const {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::ranges::find_if(arrived_, [&](const auto& message) { return pattern.matches(message->envelope); });
  if (found == arrived_.end()) return std::nullopt;
  return Delivery{.envelope = (*found)->envelope, .bytes = (*found)->bytes};
}

std::unique_ptr<TakenMessage> Mailbox::take(const Pattern& pattern) {
  const std::lock_guard lock(mutex_);
  auto message = find_arrived(pattern);
  return message == nullptr ? nullptr : std::make_unique<TakenMessage>(std::move(message));
}

void Mailbox::wait(const Operation& operation) {
  wait_until([&operation] { return operation.is_done(); });
}

std::unique_ptr<Mailbox::Arrived> Mailbox::find_arrived(const Pattern& pattern) {
  const auto found =
      std::ranges::find_if(arrived_, [&](const auto& message) { return pattern.matches(message->envelope); });
  if (found == arrived_.end()) return nullptr;
  auto message = std::move(*found);
  arrived_.erase(found);
  return message;
}

/// Removes the receive from the list: it is now matched.
ReceiveOperation* Mailbox::find_posted(const Envelope& envelope) {
  ReceiveOperation* posted = first_posted_;
  while (posted != nullptr && !posted->pattern_.matches(envelope)) posted = posted->after_;
  if (posted != nullptr) remove(*posted);
  return posted;
}

void Mailbox::append(ReceiveOperation* operation) {
  operation->before_ = last_posted_;
  operation->after_ = nullptr;
  (last_posted_ == nullptr ? first_posted_ : last_posted_->after_) = operation;
  last_posted_ = operation;
}

void Mailbox::remove(ReceiveOperation& operation) {
  (operation.before_ == nullptr ? first_posted_ : operation.before_->after_) = operation.after_;
  (operation.after_ == nullptr ? last_posted_ : operation.after_->before_) = operation.before_;
}

Delivery Mailbox::copy(const Envelope& envelope, std::span<const std::byte> data,
                       std::span<std::byte> buffer) {
  const size_t bytes = std::min(data.size(), buffer.size());
  if (bytes > 0) std::memcpy(buffer.data(), data.data(), bytes);
  copied_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  return {.envelope = envelope, .bytes = data.size(), .is_truncated = data.size() > buffer.size()};
}

void Mailbox::complete(std::unique_ptr<Arrived> message, std::span<std::byte> buffer,
                       ReceiveOperation* operation) {
  if (message->distant != nullptr) {
    message->distant->fetch(buffer, operation);
    return;
  }
  const Delivery delivery = copy(message->envelope, {message->data, message->bytes}, buffer);
  if (message->sender != nullptr)
    message->sender->finish({.envelope = message->envelope, .bytes = message->bytes});
  operation->finish(delivery);
}

}  // namespace tutti::actors
