// Two-level alltoall (DESIGN §2; the aggregation of Kumar, Mamidala, Panda: Scaling alltoall collective on multi-core
// systems, IPDPS 2008): the leader of a node collects its members' blocks for another node, the leaders exchange one
// message per pair of nodes, and each leader distributes the received blocks. Far fewer than p·(p-1) messages cross the
// network.
//
//   members ─► leader      everything for node d            segment s+1
//   leader ◄═► leaders     alltoallv of node blocks         segment s
//   leader ─► members      everything from node a           segment s-1
//
// A segment is the same range of every block. The data between nodes is ordered by destination rank, then by source
// rank; the leader reorders it while it collects. Ranks of one node exchange their blocks directly.
//
// With several lanes a node has one leader per lane (after the multi-leader alltoall of Kinkead et al.,
// arXiv:2601.17606, in which each leader exchanges the blocks of a group of members): lane l serves the pairs of nodes
// whose numbers add up to l modulo the number of lanes. The number of messages between nodes stays the same, and the
// leaders' work is divided.

#include <algorithm>
#include <deque>

#include "algorithm/hierarchy.hpp"
#include "algorithm/segments.hpp"

namespace tutti::algorithm {
namespace {

constexpr std::string_view k_inter[] = {"pairwise", "linear", "ring"};

constexpr Parameter k_parameters[] = {
    choice_parameter("inter", "algorithm between nodes", k_inter),
    segment_parameter(4 << 10, "bytes of every block that travel together"),
    {.name = "lanes",
     .summary = "members of a node that lead, each the exchange with its part of the other nodes",
     .default_value = 1,
     .min = 1,
     .max = 64},
};

/// Number of segments that members may send to their leaders ahead of the exchange.
constexpr uint64_t k_segments_ahead = 2;

/// Upper limit of the staging memory of the largest node's leader for one segment.
constexpr uint64_t k_max_staging_bytes = 8 << 20;

LevelAlgorithm inter_algorithm(const ParameterSet& parameters, const Topology& topology) {
  return LevelAlgorithm::between_nodes(chosen(Collective::alltoallv, k_parameters[0], parameters[0]),
                                       topology);
}

/// Adds the exchange of whole blocks between ranks of one node.
void exchange_inside(ScheduleBuilder& builder, uint64_t block, Rank me, const Topology& topology) {
  const BufRef input{Slot::input, 0, UINT64_MAX}, output{Slot::output, 0, UINT64_MAX};
  const auto members = topology.ranks_of(topology.node_of(me));
  const auto m = static_cast<Rank>(members.size());
  const Rank my_index = topology.local_index(me);
  const auto at = [&](Rank rank) { return block * static_cast<uint64_t>(rank); };
  builder.copy(input.part(at(me), block), output.part(at(me), block));
  for (Rank step = 1; step < m; ++step) {
    const Rank to = members[static_cast<size_t>((my_index + step) % m)];
    const Rank from = members[static_cast<size_t>((my_index - step + m) % m)];
    builder.send(Peer::local(to), input.part(at(to), block));
    builder.recv(Peer::local(from), output.part(at(from), block));
  }
}

/// One rank's tasks for the nodes of one lane.
class Lane {
 public:
  Lane(ScheduleBuilder& builder, const Request& request, Rank me, const Topology& topology,
       const ParameterSet& parameters, uint64_t lane)
      : block_(request.blocks.uniform_bytes),
        segment_(segment_bytes(block_, parameters[1])),
        me_(me),
        request_(request),
        topology_(topology),
        inter_(inter_algorithm(parameters, topology)),
        two_(topology, me, -1, lane),
        nodes_(other_nodes(lane, lanes_of(topology, parameters[2]))),
        builder_(builder),
        collected_(builder, two_.leads() ? bytes_of_all(segment_) : 0, 0),
        sent_(builder, two_.leads() ? bytes_of_all(segment_) : 0, 0),
        received_(builder, two_.leads() ? bytes_of_all(segment_) : 0, 0),
        own_out_(builder, two_.leads() ? 0 : bytes_of_one(segment_), 0),
        own_in_(builder, two_.leads() ? 0 : bytes_of_one(segment_), 0) {}

  /// Moves the members' blocks for these nodes to the leader.
  void collect(uint64_t segment) {
    if (two_.leads())
      take_from_members(segment, length(segment));
    else
      give_to_leader(segment, length(segment));
  }

  base::Status exchange(uint64_t segment) {
    if (!two_.leads()) return {};
    std::vector<uint64_t> sizes(static_cast<size_t>(two_.node_count()), 0), offsets(sizes.size(), 0);
    for (const OtherNode& node : nodes_) {
      sizes[node.number] = node.ranks.size() * members() * length(segment);
      offsets[node.number] = node.ranks_before * members() * length(segment);
    }
    Request between = level_request(request_, Collective::alltoallv, two_.node_count(), 0, 0);
    between.own_bytes = 0;
    between.blocks = between.receive_blocks = {.sizes = sizes, .offsets = offsets};
    auto flat = inter_.build(between, two_.my_node());
    if (!flat) return flat.status();
    exchanged_ = builder_.nest(
        *flat,
        {.input = sent_.scratch(segment), .output = received_.scratch(segment), .peers = two_.leaders()},
        {ordered_.at(segment), received_.free(segment)});
    sent_.set_done(segment, exchanged_.done);
    return {};
  }

  /// Moves the blocks that the previous exchange received from these nodes to the members.
  void hand_out(uint64_t segment) {
    if (two_.leads())
      give_to_members(segment, length(segment));
    else
      take_from_leader(segment, length(segment));
  }

 private:
  struct OtherNode {
    size_t number;
    std::span<const Rank> ranks;
    uint64_t ranks_before;  // number of ranks on the preceding nodes of this list
  };

  /// Both nodes of a pair select the same lane.
  std::vector<OtherNode> other_nodes(uint64_t lane, uint64_t lanes) const {
    std::vector<OtherNode> nodes;
    uint64_t before = 0;
    for (int32_t step = 1; step < two_.node_count(); ++step) {
      const int32_t node = (two_.my_node() + step) % two_.node_count();
      if (static_cast<uint64_t>(two_.my_node() + node) % lanes != lane) continue;
      nodes.push_back({static_cast<size_t>(node), topology_.ranks_of(node), before});
      before += nodes.back().ranks.size();
    }
    return nodes;
  }
  uint64_t members() const { return static_cast<uint64_t>(two_.member_count()); }
  uint64_t length(uint64_t segment) const { return std::min(segment_, block_ - segment * segment_); }
  /// Bytes of these nodes' blocks that one rank (all members) exchanges, for blocks of this length.
  uint64_t bytes_of_one(uint64_t length) const {
    return nodes_.empty() ? 0 : (nodes_.back().ranks_before + nodes_.back().ranks.size()) * length;
  }
  uint64_t bytes_of_all(uint64_t length) const { return bytes_of_one(length) * members(); }
  BufRef part_of_block(Slot slot, Rank rank, uint64_t segment) const {
    return {slot, block_ * static_cast<uint64_t>(rank) + segment * segment_, length(segment)};
  }

  /// A member packs its blocks for each node.
  void give_to_leader(uint64_t segment, uint64_t length) {
    std::vector<TaskId> sent;
    for (const OtherNode& node : nodes_) {
      const BufRef packed =
          own_out_.scratch(segment).part(node.ranks_before * length, node.ranks.size() * length);
      std::vector<TaskId> copies;
      for (size_t i = 0; i < node.ranks.size(); ++i)
        copies.push_back(builder_.copy(part_of_block(Slot::input, node.ranks[i], segment),
                                       packed.part(i * length, length), own_out_.free(segment)));
      sent.push_back(builder_.send(two_.local_leader(), packed, copies));
    }
    own_out_.set_done(segment, builder_.join(sent));
  }

  void take_from_leader(uint64_t segment, uint64_t length) {
    std::vector<TaskId> unpacked;
    for (const OtherNode& node : nodes_) {
      const BufRef landing =
          own_in_.scratch(segment).part(node.ranks_before * length, node.ranks.size() * length);
      const TaskId arrived = builder_.recv(two_.local_leader(), landing, own_in_.free(segment));
      unpack(landing, node, segment, arrived, unpacked);
    }
    own_in_.set_done(segment, builder_.join(unpacked));
  }

  void unpack(BufRef packed, const OtherNode& node, uint64_t segment, TaskId ready,
              std::vector<TaskId>& copies) {
    for (size_t i = 0; i < node.ranks.size(); ++i)
      copies.push_back(builder_.copy(packed.part(i * length(segment), length(segment)),
                                     part_of_block(Slot::output, node.ranks[i], segment), ready));
  }

  /// Sorts the members' blocks for these nodes by [destination rank][source rank].
  void take_from_members(uint64_t segment, uint64_t length) {
    const BufRef out = sent_.scratch(segment);
    std::vector<TaskId> ordered;
    for (uint64_t source = 0; source < members(); ++source) {
      const Rank member = two_.members()[source];
      const BufRef landing =
          collected_.scratch(segment).part(source * bytes_of_one(length), bytes_of_one(length));
      for (const OtherNode& node : nodes_) {
        const BufRef theirs = landing.part(node.ranks_before * length, node.ranks.size() * length);
        const TaskId here =
            member == me_ ? k_no_task : builder_.recv(Peer::local(member), theirs, collected_.free(segment));
        for (size_t to = 0; to < node.ranks.size(); ++to) {
          const BufRef block = member == me_ ? part_of_block(Slot::input, node.ranks[to], segment)
                                             : theirs.part(to * length, length);
          const uint64_t place = ((node.ranks_before + to) * members() + source) * length;
          ordered.push_back(builder_.copy(block, out.part(place, length), {here, sent_.free(segment)}));
        }
      }
    }
    ordered_.push_back(builder_.join(ordered));
    collected_.set_done(segment, ordered_.back());
  }

  /// Data from a node is ordered by destination, so that each member's part is contiguous.
  void give_to_members(uint64_t segment, uint64_t length) {
    std::vector<TaskId> given{exchanged_.done};
    for (uint64_t target = 0; target < members(); ++target) {
      const Rank member = two_.members()[target];
      for (const OtherNode& node : nodes_) {
        const uint64_t run = node.ranks.size() * length;
        const BufRef theirs =
            received_.scratch(segment).part(node.ranks_before * members() * length + target * run, run);
        if (member == me_)
          unpack(theirs, node, segment, exchanged_.ready, given);
        else
          given.push_back(builder_.send(Peer::local(member), theirs, exchanged_.ready));
      }
    }
    received_.set_done(segment, builder_.join(given));
  }

  const uint64_t block_, segment_;
  const Rank me_;
  const Request& request_;
  const Topology& topology_;
  LevelAlgorithm inter_;
  const TwoLevel two_;
  const std::vector<OtherNode> nodes_;
  ScheduleBuilder& builder_;
  SegmentRing collected_, sent_, received_;  // used by the leader
  SegmentRing own_out_, own_in_;             // used by a member
  std::vector<TaskId> ordered_;              // task that the exchange of a segment waits for, by segment
  Nested exchanged_;                         // the latest exchange
};

/// Upper limit of a leader's staging memory for one segment.
uint64_t staging_bytes(const Request& request, const Topology& topology, uint64_t segment, uint64_t lanes) {
  const auto nodes = static_cast<uint64_t>(topology.node_count()),
             most = static_cast<uint64_t>(topology.largest_node_size());
  const uint64_t nodes_of_one = (nodes + lanes - 1) / lanes;
  return segment * most * std::min(static_cast<uint64_t>(request.rank_count), nodes_of_one * most);
}

bool applies(const RankInvariantRequest& request, const Topology& topology, const ParameterSet& parameters,
             std::string* why_not) {
  const uint64_t block = request.blocks.uniform_bytes;
  const uint64_t segment = segment_bytes(block, parameters[1]);
  if (!has_two_levels(request, topology, parameters, why_not) || !segments_fit(block, segment, why_not))
    return false;
  const Request any_rank = request.representative();
  if (staging_bytes(any_rank, topology, segment, lanes_of(topology, parameters[2])) > k_max_staging_bytes) {
    *why_not = "a leader would have to keep more than " + std::to_string(k_max_staging_bytes >> 20) +
               " MiB per segment; use smaller ones, or more lanes";
    return false;
  }
  return inter_algorithm(parameters, topology)
      .applies(level_request(any_rank, Collective::alltoallv, topology.node_count(), 0, 0), why_not);
}

/// Members send their next segments before leaders distribute received ones: messages of a channel do not overtake, and
/// with several lanes both kinds share a channel.
BuildResult build(const Request& request, Rank me, const Topology& topology, const ParameterSet& parameters) {
  const uint64_t block = request.blocks.uniform_bytes;
  ScheduleBuilder builder;
  if (block == 0) return std::move(builder).finish();
  exchange_inside(builder, block, me, topology);
  std::deque<Lane> lanes;
  for (uint64_t lane = 0; lane < lanes_of(topology, parameters[2]); ++lane)
    lanes.emplace_back(builder, request, me, topology, parameters, lane);
  const uint64_t segments = segment_count(block, segment_bytes(block, parameters[1]));
  for (uint64_t step = 0; step < segments + k_segments_ahead; ++step) {
    if (step < segments)
      for (Lane& lane : lanes) lane.collect(step);
    if (step < k_segments_ahead) continue;
    for (Lane& lane : lanes)
      if (base::Status status = lane.exchange(step - k_segments_ahead); !status) return status;
    for (Lane& lane : lanes) lane.hand_out(step - k_segments_ahead);
  }
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology& topology, const ParameterSet& parameters) {
  const uint64_t block = request.blocks.uniform_bytes;
  if (block == 0) return {};
  const auto p = static_cast<uint64_t>(request.rank_count);
  const auto most = static_cast<uint64_t>(topology.largest_node_size());
  const uint64_t segment = segment_bytes(block, parameters[1]);
  Request between = level_request(request, Collective::alltoallv, topology.node_count(), 0, 0);
  between.blocks = between.receive_blocks = {.uniform_bytes = most * most * segment};
  const Cost inter = inter_algorithm(parameters, topology).cost(between);
  return {.rounds = (2 + inter.rounds) * segment_count(block, segment),
          .busiest_bytes = 2 * most * p * block,
          .is_upper_bound = true};
}

}  // namespace

extern const Algorithm alltoall_hierarchical = {
    .name = "hierarchical",
    .summary = "two levels: leaders exchange what their nodes have for each other, per segment",
    .source = "Kumar, Mamidala, Panda, IPDPS 2008",
    .collective = Collective::alltoall,
    .parameters = k_parameters,
    .applies = applies,
    .build = build,
    .cost = cost,
};

}  // namespace tutti::algorithm
