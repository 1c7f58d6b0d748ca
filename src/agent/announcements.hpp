#pragma once
// Informs an agent of a broadcast before any rank of its node has called it: the root's agent announces it,
// and agents forward the announcement.
//
// Announcements travel along a binomial tree, relative to the root's node: node v, counted from the root's
// node, forwards to v + 2^i for every 2^i > v. Hence every node receives only from the nodes 2^i before it,
// for any root: log2(nodes) receives are posted, and a node that does not take its announcements delays only
// the announcements of its senders.

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
  /// `endpoint`: rank n is the agent of node n; used exclusively by this object, which it must outlive.
  Announcements(transport::Endpoint& endpoint, int32_t node, int32_t node_count, transport::Tag tag);
  /// Requires is_quiet(). Cancels the unmatched receives and waits for their end, which does not depend on
  /// other nodes.
  ~Announcements();
  Announcements(const Announcements&) = delete;
  Announcements& operator=(const Announcements&) = delete;

  /// Sends the announcement to the nodes that receive it from this one. `root_node`: root of the tree.
  void forward(const Announcement& announcement, int32_t root_node);

  /// Advances messages; true if something moved.
  bool progress();
  /// Calls take(announcement) for every received announcement, in any order; one that it does not take
  /// (false) is offered again. True if one was taken.
  template <class Take>
  bool deliver(Take take);

  /// No send is pending, and no received announcement is left.
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
  std::vector<std::unique_ptr<Send>> sends_;  // their index is the cookie
  std::vector<size_t> to_send_;               // not yet accepted by the endpoint, in order
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
