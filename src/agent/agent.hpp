#pragma once
// The agent of one communicator on one node (DESIGN §5, leader policy `agent`): a helper thread runs the
// network side of the communicator's collectives, so that late ranks of the node do not delay it.

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
/// Operations start as early as possible: a broadcast on nodes other than the root's when the agent learns of
/// it from a member or from another agent, any other operation when the members have deposited the
/// contribution of their node. Operations are independent of each other, and end in any order.
class Agent {
 public:
  /// `engine` exchanges messages with the agents of the other nodes (rank n is node n), and so do
  /// `announcements` over another endpoint. `me`: any rank of this node. Uses k_tag_count tags from
  /// `first_tag`, by sequence number. The referenced objects must outlive the agent.
  static constexpr uint32_t k_tag_count = 1 << 12;
  Agent(const Board& board, const Topology& topology, Rank me, engine::Engine& engine,
        Announcements& announcements, transport::Tag first_tag, uint32_t first_sequence = 0);
  /// No operation may be pending.
  ~Agent();

  /// Advances all operations without blocking; true if something moved.
  bool advance();
  /// No operation is pending: new work can come only from a member or another agent.
  bool is_idle() const { return under_way_ == 0 && announcements_.is_quiet(); }
  /// All operations before this one have ended on this node.
  uint32_t first_open() const { return first_open_; }

 private:
  enum class State : uint8_t { unknown, described, deposited, running, done };
  struct Work;
  struct CachedPlan {
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
  const Topology nodes_;  // one rank per node
  const Rank me_;
  const int32_t node_;
  const uint32_t members_;
  engine::Engine& engine_;
  Announcements& announcements_;
  const transport::Tag first_tag_;
  uint32_t first_open_;
  uint32_t under_way_ = 0;         // described and not recycled
  uint32_t running_ = 0;           // operations running in the engine
  std::vector<Work> works_;        // by board entry
  std::vector<CachedPlan> plans_;  // most recently used first
};

}  // namespace tutti::agent
