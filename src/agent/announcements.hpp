#pragma once
// How an agent learns of a broadcast before any rank of its node has come: the root's agent announces it, and agents
// forward the announcement.
//
// Announcements travel along a binomial tree, relative to the root's node: node v, counted from the root's, forwards
// to v + 2^i for every 2^i > v. So every node receives from nodes 2^i before it only, whatever the root: log2(nodes)
// receives are posted, and a node that does not take what it is told holds up nothing but its senders' announcements.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "agent/description.hpp"
#include "base/status.hpp"
#include "transport/endpoint.hpp"

namespace tutti::agent {

struct Announcement {
  uint32_t sequence = 0;
  Description description;
};

/// Used by one thread at a time.
class Announcements {
 public:
  /// `endpoint`: rank n is the agent of node n; used by nothing else. It outlives this object.
  Announcements(transport::Endpoint& endpoint, int32_t node, int32_t node_count, transport::Tag tag);
  /// is_quiet(). Receives that no message has met are cancelled; waits for their end, which does not need the other
  /// nodes.
  ~Announcements();
  Announcements(const Announcements&) = delete;
  Announcements& operator=(const Announcements&) = delete;

  /// Sends it to the nodes that get it from this one. `root_node`: where the tree begins.
  void forward(const Announcement& announcement, int32_t root_node);

  /// Moves messages on; true when something moved.
  bool progress();
  /// Calls take(announcement) for what has come, in any order; what it does not take (false) is offered again. True
  /// when something was taken.
  template <class Take>
  bool deliver(Take take);

  /// Nothing is being sent, and nothing has come that was not taken.
  bool is_quiet() const { return sends_in_flight_ == 0 && to_send_.empty() && arrived_count_ == 0; }
  /// The first error of a transfer: from then on this node may miss announcements.
  const base::Status& status() const { return status_; }

 private:
  struct Receive {
    enum class State : uint8_t { unposted, posted, arrived, failed };
    int32_t from = 0;
    State state = State::unposted;
    Announcement announcement;
  };
  struct Send {
    int32_t to = 0;
    Announcement announcement;
  };
  bool post_receives();
  bool post_sends();
  void end(const transport::Completion& completion);
  bool is_receiving() const;

  transport::Endpoint& endpoint_;
  const int32_t node_, node_count_;
  const transport::Tag tag_;
  std::vector<Receive> receives_;
  std::vector<std::unique_ptr<Send>> sends_;  // their number is the cookie
  std::vector<size_t> to_send_;               // those that the endpoint has not taken yet, in order
  std::vector<size_t> free_sends_;
  size_t sends_in_flight_ = 0;
  size_t arrived_count_ = 0;
  bool is_closing_ = false;
  base::Status status_;
};

template <class Take>
bool Announcements::deliver(Take take) {
  bool has_taken = false;
  for (Receive& receive : receives_) {
    if (receive.state != Receive::State::arrived || !take(receive.announcement)) continue;
    receive.state = Receive::State::unposted;
    --arrived_count_;
    has_taken = true;
  }
  return has_taken;
}

}  // namespace tutti::agent
