#include "tests/support/transport/loopback_mailbox.hpp"
#include <algorithm>
#include <cstring>
#include <utility>

namespace tutti::transport {

using base::Code;
using base::Status;

namespace {

Completion ended_well(uint64_t cookie) {
  return {.cookie = cookie};
}

Completion ended_badly(uint64_t cookie, const Completion& failure) {
  return {.cookie = cookie, .code = failure.code, .native = failure.native};
}

template <class Waiting>
auto first_match(Waiting& waiting, Source source, Tag tag) {
  return std::ranges::find_if(waiting, [&](const auto& entry) {
    if constexpr (requires { entry->source; })
      return entry->source == source && entry->tag == tag;
    else
      return entry.source == source && entry.tag == tag;
  });
}

}  // namespace

void CompletionQueue::push(const Completion& completion) {
  const std::lock_guard lock(mutex_);
  ended_.push_back(completion);
}

size_t CompletionQueue::take(std::span<Completion> done) {
  const std::lock_guard lock(mutex_);
  const size_t count = std::min(done.size(), ended_.size());
  std::copy_n(ended_.begin(), count, done.begin());
  ended_.erase(ended_.begin(), ended_.begin() + static_cast<ptrdiff_t>(count));
  return count;
}

void LoopbackMailbox::deliver(const Message& message, const Receive& receive) {
  Completion end = ended_well(receive.cookie);
  if (message.data.size() != receive.data.size())
    end.code = Code::invalid_argument;  // as for a truncated message
  const size_t bytes = std::min(message.data.size(), receive.data.size());
  if (bytes > 0) std::memcpy(receive.data.data(), message.data.data(), bytes);
  receive.receiver->push(end);
  if (message.sender != nullptr) message.sender->push(ended_well(message.cookie));
}

Status LoopbackMailbox::send(Source source, Tag tag, ConstBytes data, uint64_t cookie,
                             CompletionQueue& sender, const LoopbackLimits& limits) {
  const std::lock_guard lock(mutex_);
  if (failure_.code != Code::ok) {
    sender.push(ended_badly(cookie, failure_));
    return {};
  }
  if (const auto receive = first_match(receives_, source, tag); receive != receives_.end()) {
    deliver({.source = source, .tag = tag, .data = data, .cookie = cookie, .sender = &sender, .buffer = {}},
            *receive);
    receives_.erase(receive);
    return {};
  }
  // Counted per sender and tag: with a common limit, messages for later operations would block the one needed
  // now.
  const auto waiting = std::ranges::count_if(
      messages_, [&](const auto& message) { return message->source == source && message->tag == tag; });
  if (static_cast<size_t>(waiting) >= limits.waiting_count) return try_again();

  if (spare_.empty()) spare_.push_back(std::make_unique<Message>());
  messages_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  Message& message = *messages_.back();
  message.source = source;
  message.tag = tag;
  message.cookie = cookie;
  message.data = data;
  message.sender = &sender;
  if (data.size() <= limits.eager_bytes) {
    message.buffer.assign(data.begin(), data.end());
    message.data = message.buffer;
    message.sender = nullptr;
    sender.push(ended_well(cookie));
  }
  return {};
}

void LoopbackMailbox::recv(Source source, Tag tag, Bytes data, uint64_t cookie, CompletionQueue& receiver) {
  const std::lock_guard lock(mutex_);
  const Receive receive{.source = source, .tag = tag, .data = data, .cookie = cookie, .receiver = &receiver};
  if (const auto found = first_match(messages_, source, tag); found != messages_.end()) {
    deliver(**found, receive);
    spare_.push_back(std::move(*found));
    messages_.erase(found);
  } else if (failure_.code != Code::ok) {
    receiver.push(ended_badly(cookie, failure_));
  } else {
    receives_.push_back(receive);
  }
}

void LoopbackMailbox::cancel(uint64_t cookie, CompletionQueue& receiver) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(receives_, [&](const Receive& receive) {
    return receive.receiver == &receiver && receive.cookie == cookie;
  });
  if (found == receives_.end()) return;
  receives_.erase(found);
  receiver.push(cancelled(cookie));
}

void LoopbackMailbox::fail(Code code, int native) {
  const std::lock_guard lock(mutex_);
  failure_ = {.code = code, .native = native};
  for (const Receive& receive : receives_) receive.receiver->push(ended_badly(receive.cookie, failure_));
  for (const auto& message : messages_)
    if (message->sender != nullptr) message->sender->push(ended_badly(message->cookie, failure_));
  receives_.clear();
  messages_.clear();
}

size_t LoopbackMailbox::waiting_count() const {
  const std::lock_guard lock(mutex_);
  return messages_.size() + receives_.size();
}

}  // namespace tutti::transport
