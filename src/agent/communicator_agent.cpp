#include "agent/communicator_agent.hpp"

#include <utility>

namespace tutti::agent {

namespace {

constexpr transport::Tag k_announcement_tag = 0xFFFF;

}  // namespace

CommunicatorAgent::CommunicatorAgent(const Board& board, const Topology& topology, Rank me,
                                     transport::Network& network, std::vector<int> homes,
                                     transport::Tag first_tag)
    : board_(board),
      members_(static_cast<uint32_t>(topology.ranks_of(topology.node_of(me)).size())),
      homes_(std::move(homes)),
      operations_(network.make_endpoint(transport::Space::agents, homes_)),
      messages_(network.make_endpoint(transport::Space::agents, homes_)),
      engine_({.networks = {operations_.get()}, .local = operations_.get()}),
      announcements_(*messages_, topology.node_of(me), topology.node_count(), first_tag + k_announcement_tag),
      agent_(board_, topology, me, engine_, announcements_, first_tag) {}

}  // namespace tutti::agent
