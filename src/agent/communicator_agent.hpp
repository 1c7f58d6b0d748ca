#pragma once
// The agent of one communicator on one node with the objects that it uses, from the first call to the last.

#include <memory>
#include <vector>

#include "agent/agent.hpp"
#include "agent/announcements.hpp"
#include "agent/board.hpp"
#include "engine/cpu_engine.hpp"
#include "topology/topology.hpp"
#include "transport/network.hpp"

namespace tutti::agent {

/// Used by one thread at a time.
class CommunicatorAgent {
 public:
  /// `board`: initialised. `me`: any rank of this node. `homes[n]`: the network's number of the process that
  /// runs the agent of node n. Uses the tags `first_tag` + 0 … 0xFFFF. Board, topology and network must
  /// outlive it.
  CommunicatorAgent(const Board& board, const Topology& topology, Rank me, transport::Network& network,
                    std::vector<int> homes, transport::Tag first_tag);

  /// Advances all operations without blocking; true if something moved.
  bool advance() { return agent_.advance(); }
  /// No operation is pending.
  bool is_idle() const { return agent_.is_idle(); }
  /// All members have closed the board, and no operation is pending.
  bool is_over() const { return board_.closed() == members_ && agent_.is_idle(); }

 private:
  const Board board_;
  const uint32_t members_;
  const std::vector<int> homes_;
  const std::unique_ptr<transport::Endpoint> operations_, messages_;
  engine::CpuEngine engine_;
  Announcements announcements_;
  Agent agent_;
};

}  // namespace tutti::agent
