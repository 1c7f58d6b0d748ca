#pragma once
// How an agent hears of a broadcast before any rank of its node has come: the root's agent announces it, and agents
// hand the announcement on.
//
// Announcements travel along a binomial tree, relative to the root's node: node v, counted from the root's, hands on to
// v + 2^i for every 2^i > v. So every node hears from nodes 2^i before it only, whatever the root: log2(nodes) receives
// are posted, and a node that does not take what it is told holds up nothing but its senders' announcements.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "agent/description.hpp"
#include "transport/endpoint.hpp"

namespace tutti::agent {

/// Used by one thread at a time.
class Heralds {
 public:
  /// `endpoint`: rank n is the agent of node n; used by nothing else. It outlives this object.
  Heralds(transport::Endpoint& endpoint, int32_t node, int32_t node_count, transport::Tag tag);
  /// Receives that nothing has met are cancelled; waits for the end of everything, which does not need the other nodes.
  ~Heralds();
  Heralds(const Heralds&) = delete;
  Heralds& operator=(const Heralds&) = delete;

  struct News {
    uint32_t sequence = 0;
    Description description;
  };

  /// Hands `news` on to the nodes that hear of it from this one. `root_node`: where the tree begins.
  void announce(const News& news, int32_t root_node);

  /// Moves messages on; true when something moved.
  bool progress();
  /// Calls take(news) for what has come, in any order; what it does not take (false) is asked about again. True when
  /// something was taken.
  template <class Take>
  bool hear(Take take);

  /// No announcement is being sent, and none has come that was not taken.
  bool is_quiet() const { return sends_in_flight_ == 0 && to_send_.empty() && heard_count_ == 0; }

 private:
  struct Ear {
    int32_t from = 0;
    bool has_heard = false;
    bool is_posted = false;
    News news;
  };
  struct Message {
    int32_t to = 0;
    bool is_in_flight = false;
    News news;
  };
  void listen(size_t ear);
  bool send();

  transport::Endpoint& endpoint_;
  const int32_t node_, node_count_;
  const transport::Tag tag_;
  std::vector<Ear> ears_;
  std::vector<std::unique_ptr<Message>> messages_;  // their number is the cookie
  std::vector<size_t> to_send_;                     // messages that the endpoint has not taken yet, in order
  std::vector<size_t> free_messages_;
  size_t sends_in_flight_ = 0;
  size_t heard_count_ = 0;
};

template <class Take>
bool Heralds::hear(Take take) {
  bool has_taken = false;
  for (size_t ear = 0; heard_count_ > 0 && ear < ears_.size(); ++ear) {
    if (!ears_[ear].has_heard || !take(ears_[ear].news)) continue;
    ears_[ear].has_heard = false;
    --heard_count_;
    has_taken = true;
    listen(ear);
  }
  return has_taken;
}

}  // namespace tutti::agent
