#pragma once
// The agent of one communicator on one node, with all that it works with, from the first call to the last.

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
class Station {
 public:
  /// `board`: initialised. `me`: any rank of this node. `homes[n]`: the network's number of the process where node n
  /// has its agent. Its tags are `first_tag` + 0 … 0xFFFF. Board, topology and network outlive it.
  Station(const Board& board, const Topology& topology, Rank me, transport::Network& network,
          std::vector<int> homes, transport::Tag first_tag);

  /// Does what can be done now; true when something moved. Never waits.
  bool advance() { return agent_.advance(); }
  /// Nothing is under way.
  bool is_idle() const { return agent_.is_idle(); }
  /// All members have closed the board, and nothing is left to do.
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
