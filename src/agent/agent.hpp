#pragma once
// The agent of one communicator on one node (DESIGN §5, leader policy `agent`): the network side of its collectives,
// carried out by a thread that is always there, whichever of the node's ranks are late.

#include <cstdint>
#include <memory>
#include <vector>

#include "agent/announcements.hpp"
#include "agent/board.hpp"
#include "agent/layout.hpp"
#include "engine/engine.hpp"
#include "engine/plan.hpp"

namespace tutti::agent {

/// Used by one thread at a time.
///
/// Operations begin as soon as they can: a broadcast on nodes other than the root's when the agent knows of it,
/// from a member or from another agent, and everything else when the members have deposited what their node
/// contributes. They are independent of each other, and end in any order.
class Agent {
 public:
  /// `engine` exchanges messages with the agents of the other nodes, rank n being node n, and so do `announcements`
  /// over another endpoint. `me`: any rank of this node. Tags are `first_tag` and what follows, one for each entry and
  /// turn, up to `first_tag + k_tag_count`. What is referred to outlives the agent.
  static constexpr uint32_t k_tag_count = 1 << 12;
  Agent(const Board& board, const Topology& topology, Rank me, engine::Engine& engine,
        Announcements& announcements, transport::Tag first_tag, uint32_t first_sequence = 0);
  /// Nothing is under way.
  ~Agent();

  /// Does what can be done now; true when something moved. Never waits.
  bool advance();
  /// Nothing is under way: only a member or another agent brings work.
  bool is_idle() const { return under_way_ == 0 && announcements_.is_quiet(); }
  /// All operations before this one are over on this node.
  uint32_t first_open() const { return first_open_; }

 private:
  enum class State : uint8_t { unknown, described, deposited, running, done };
  struct Work;
  struct Kept {
    Description key;
    std::shared_ptr<const engine::Plan> plan;
  };

  Work& work(uint32_t sequence);
  bool is_announced(const Description& description) const;
  bool take_announcements();
  bool advance(uint32_t sequence);
  bool learn(uint32_t sequence, Work& one);
  bool await_deposits(uint32_t sequence, Work& one);
  bool start(uint32_t sequence, Work& one);
  base::Status start_operation(uint32_t sequence, const Layout& layout, Work& one);
  bool end(uint32_t sequence, Work& one);
  bool recycle(uint32_t sequence, Work& one);
  void finish(uint32_t sequence, Work& one, base::Code code);
  void combine(uint32_t sequence, const Layout& layout, const engine::Reducer& reducer) const;
  base::Result<std::shared_ptr<const engine::Plan>> plan_for(const Description& description,
                                                             const Layout& layout);

  const Board& board_;
  const Topology& topology_;
  const Topology nodes_;  // each a rank
  const Rank me_;
  const int32_t node_;
  const uint32_t members_;
  engine::Engine& engine_;
  Announcements& announcements_;
  const transport::Tag first_tag_;
  uint32_t first_open_;
  uint32_t under_way_ = 0;   // described and not recycled
  uint32_t running_ = 0;     // operations of the engine
  std::vector<Work> works_;  // by entry
  std::vector<Kept> plans_;  // most recently used first
};

}  // namespace tutti::agent
