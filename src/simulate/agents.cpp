#include "simulate/agents.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "agent/between_nodes.hpp"
#include "agent/board.hpp"
#include "agent/calls.hpp"
#include "agent/layout.hpp"

namespace tutti::simulate {

using agent::Description;
using agent::Layout;
using algorithm::Request;
using base::Result;
using base::Status;
using schedule::BufRef;
using schedule::Peer;
using schedule::Rank;
using schedule::Schedule;
using schedule::ScheduleBuilder;
using schedule::Slot;
using schedule::TaskId;
using topology::Topology;

Result<AgentCall> AgentCall::make(const Request& request, const Topology& topology,
                                  const algorithm::Choice& choice) {
  std::string why_not;
  Request predefined = request;
  predefined.is_predefined = true;
  if (!agent::serves(predefined, topology, &why_not)) return Status::not_supported(why_not);
  const Description whole =
      agent::describe(predefined, topology, agent::Board::area_bytes(agent::Board::k_usual_bytes), choice);
  if (!agent::fits(whole))
    return Status::not_supported("not even one element of each rank fits into node memory");
  return AgentCall(topology, whole);
}

template <class Visit>
void AgentCall::for_each_part(Visit visit) const {
  Description part = whole_;
  do {
    part.bytes = std::min(whole_.bytes, whole_.block_bytes - part.begin);
    visit(part);
    part.begin += whole_.bytes;
  } while (part.begin < whole_.block_bytes);
}

Result<Schedule> AgentCall::of_rank(const Request& request, Rank rank) const {
  ScheduleBuilder builder;
  const Peer agent = agent_of(topology_->node_of(rank));
  for_each_part([&](const Description& part) {
    const Layout layout(*topology_, part, rank);
    const BufRef area = builder.node(layout.bytes());
    if (layout.deposits()) {
      std::vector<TaskId> deposited;
      layout.for_each_deposit(
          request.in_place, request.blocks, [&](uint64_t from, uint64_t to, uint64_t bytes) {
            const Slot source = request.collective == algorithm::Collective::bcast || request.in_place
                                    ? Slot::output
                                    : Slot::input;
            deposited.push_back(builder.copy({source, from, bytes}, area.part(to, bytes)));
          });
      builder.notify(agent, deposited);
    }
    if (!layout.takes()) return;
    const TaskId is_there = builder.await(agent);
    layout.for_each_take(
        request.collective == algorithm::Collective::alltoall ? request.receive_blocks : request.blocks,
        [&](uint64_t from, uint64_t to, uint64_t bytes) {
          builder.copy(area.part(from, bytes), {Slot::output, to, bytes}, is_there);
        });
  });
  return std::move(builder).finish();
}

Result<Schedule> AgentCall::of_agent(int32_t node) const {
  ScheduleBuilder builder;
  Status failed;
  std::vector<Peer> others;
  for (int32_t other = 0; other < topology_->node_count(); ++other)
    others.push_back(Peer::rank(topology_->rank_count() + other));
  const Topology nodes = Topology::flat(topology_->node_count());
  const auto members = topology_->ranks_of(node);
  for_each_part([&](const Description& part) {
    const Layout layout(*topology_, part, members.front());
    const BufRef area = builder.node(layout.bytes());
    std::vector<TaskId> deposits;
    for (const Rank member : members)
      if (Layout(*topology_, part, member).deposits()) deposits.push_back(builder.await(Peer::local(member)));
    TaskId combined = builder.join(deposits);
    if (agent::combines(part.collective))
      for (size_t i = 1; i < deposits.size(); ++i)
        combined = builder.reduce(area.part(i * layout.vector_bytes(), layout.vector_bytes()),
                                  area.part(0, layout.vector_bytes()), combined);
    const algorithm::OwnedRequest request = layout.between_nodes();
    const algorithm::Choice choice = agent::choose_between_nodes(request.get(), nodes, part);
    const auto nested = choice.algorithm->build(request.get(), node, nodes, choice.parameters);
    if (!nested) {
      failed = nested.status();
      return;
    }
    const uint64_t begin = layout.output_begin();
    const auto done = builder.nest(*nested,
                                   {.input = area.part(0, layout.input_bytes()),
                                    .output = area.part(begin, layout.bytes() - begin),
                                    .peers = others},
                                   combined);
    for (const Rank member : members)
      if (Layout(*topology_, part, member).takes()) builder.notify(Peer::local(member), done.ready);
  });
  if (!failed) return failed;
  return std::move(builder).finish();
}

}  // namespace tutti::simulate
