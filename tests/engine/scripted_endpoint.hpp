#pragma once
// An endpoint whose transfers end when the test says so, and which remembers what it was asked.

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "transport/endpoint.hpp"

namespace tutti::test {

class ScriptedEndpoint final : public transport::Endpoint {
 public:
  struct Call {
    bool is_send;
    transport::Peer peer;
    transport::Tag tag;
    const std::byte* data;
    size_t bytes;
    uint64_t cookie;
    bool has_ended = false;
  };

  base::Status send(transport::Peer to, transport::Tag tag, transport::ConstBytes data,
                    uint64_t cookie) override {
    return accept({true, to, tag, data.data(), data.size(), cookie});
  }
  base::Status recv(transport::Peer from, transport::Tag tag, transport::Bytes data,
                    uint64_t cookie) override {
    return accept({false, from, tag, data.data(), data.size(), cookie});
  }
  size_t poll(std::span<transport::Completion> done) override {
    ++poll_count;
    if (at_poll) at_poll();
    const size_t count = std::min(done.size(), ended_.size());
    std::copy_n(ended_.begin(), count, done.begin());
    ended_.erase(ended_.begin(), ended_.begin() + static_cast<ptrdiff_t>(count));
    return count;
  }
  /// Nothing ends by itself here: the test says how each transfer ends.
  void cancel(uint64_t cookie) override { cancelled.push_back(cookie); }
  transport::Capabilities capabilities() const override { return {.has_events = has_events}; }

  void end(size_t call, base::Code code = base::Code::ok, int native = 0) {
    calls[call].has_ended = true;
    ended_.push_back({.cookie = calls[call].cookie, .code = code, .native = native});
  }
  size_t in_flight() const { return static_cast<size_t>(std::ranges::count(calls, false, &Call::has_ended)); }
  /// "s1 r0": what was started, in order: direction and peer.
  std::string log() const {
    std::string text;
    for (const Call& call : calls) {
      if (!text.empty()) text += ' ';
      text += (call.is_send ? 's' : 'r') + std::to_string(call.peer.index);
    }
    return text;
  }

  bool was_cancelled(size_t call) const { return std::ranges::count(cancelled, calls[call].cookie) == 1; }

  std::vector<Call> calls;
  std::vector<uint64_t> cancelled;  // cookies, in the order of the calls of cancel()
  size_t poll_count = 0;
  std::function<void()> at_poll;  // may end transfers
  bool has_events = false;
  /// The answer of send() and recv(); ok starts the transfer.
  std::function<base::Status(const Call&)> answer = [](const Call&) { return base::Status{}; };

 private:
  base::Status accept(Call call) {
    base::Status status = answer(call);
    if (status) calls.push_back(call);
    return status;
  }

  std::vector<transport::Completion> ended_;
};

/// Node memory whose readiness the test decides.
class ScriptedNodeMemory final : public engine::NodeMemory {
 public:
  explicit ScriptedNodeMemory(size_t bytes) : bytes_(bytes) {}
  std::span<std::byte> memory() override { return bytes_; }
  bool may_write() override {
    ++asked_count;
    return is_writable;
  }
  void end_operation() override { ++ended_count; }

  bool is_writable = true;
  size_t asked_count = 0;
  size_t ended_count = 0;

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace tutti::test
