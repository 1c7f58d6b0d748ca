#pragma once
// Matches the messages and receives of one destination. Internal to loopback.cpp.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "tests/support/transport/loopback.hpp"
#include "transport/endpoint.hpp"

namespace tutti::transport {

/// Completions of one rank: any thread pushes, the rank's own thread takes.
class CompletionQueue {
 public:
  void push(const Completion& completion);
  size_t take(std::span<Completion> done);

 private:
  std::mutex mutex_;
  std::vector<Completion> ended_;  // in order of completion
};

/// The sender: a rank, or a node that its leader sends for.
struct Source {
  Peer::Kind kind;
  int32_t index;
  bool operator==(const Source&) const = default;
};

/// The mailbox of one rank or of one node. Any thread.
class LoopbackMailbox {
 public:
  /// Matches the oldest receive for this source and tag, or waits for one. Error: try_again().
  base::Status send(Source source, Tag tag, ConstBytes data, uint64_t cookie, CompletionQueue& sender,
                    const LoopbackLimits& limits);
  /// Matches the oldest message from this source and tag, or waits for one.
  void recv(Source source, Tag tag, Bytes data, uint64_t cookie, CompletionQueue& receiver);

  /// Ends the receive with this cookie if no message has matched it.
  void cancel(uint64_t cookie, CompletionQueue& receiver);

  /// Ends all waiting transfers with this error, and every later send and recv.
  void fail(base::Code code, int native);

  size_t waiting_count() const;

 private:
  struct Message {
    Source source;
    Tag tag;
    ConstBytes data;  // the sender's memory, or `buffer`
    uint64_t cookie;
    CompletionQueue* sender;  // nullptr: the send has completed
    std::vector<std::byte> buffer;
  };
  struct Receive {
    Source source;
    Tag tag;
    Bytes data;
    uint64_t cookie;
    CompletionQueue* receiver;
  };

  static void deliver(const Message& message, const Receive& receive);

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Message>> messages_;  // in order of arrival
  std::vector<Receive> receives_;                   // in posting order
  std::vector<std::unique_ptr<Message>> spare_;     // free messages, with their buffers
  Completion failure_;                              // code is not ok once failed
};

}  // namespace tutti::transport
