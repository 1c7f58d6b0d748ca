// Two-level alltoall (DESIGN §2; the aggregation of Kumar, Mamidala, Panda: Scaling alltoall collective on
// multi-core systems, IPDPS 2008): the leader of a node collects what its members have for another node, the
// leaders exchange one message per pair of nodes, and each leader hands out what came. Far fewer messages
// cross the network than p·(p-1).
//
//   members ─► leader      everything for node d            segment s+1
//   leader ◄═► leaders     alltoallv of node blocks         segment s
//   leader ─► members      everything from node a           segment s-1
//
// A segment is the same range of every block. What nodes exchange is ordered by destination rank, then by
// source rank; the leader reorders it while it collects. Ranks of one node exchange their blocks directly.

#include <algorithm>

#include "algorithm/hierarchy.hpp"
#include "algorithm/segments.hpp"

namespace tutti::algorithm {
namespace {

constexpr std::string_view k_inter[] = {"pairwise", "linear", "ring"};

constexpr Parameter k_parameters[] = {
    {.name = "inter",
     .summary = "algorithm between nodes",
     .unit = Parameter::Unit::choice,
     .max = 2,
     .choices = k_inter},
    {.name = "segment",
     .summary = "bytes of every block that travel together",
     .unit = Parameter::Unit::bytes,
     .default_value = 4 << 10,
     .min = 1,
     .max = uint64_t{1} << 30},
};

/// What the leader of the largest node may keep for one segment.
constexpr uint64_t k_max_staging_bytes = 8 << 20;

const Algorithm& inter_algorithm(const ParameterSet& parameters) {
  return chosen(Collective::alltoallv, k_parameters[0], parameters[0]);
}

/// Writes the schedule of one rank.
class Builder {
 public:
  Builder(const Request& request, Rank me, const Topology& topology, const ParameterSet& parameters)
      : block_(request.blocks.uniform_bytes),
        me_(me),
        request_(request),
        topology_(topology),
        inter_(inter_algorithm(parameters)),
        two_(topology, me),
        flat_(Topology::flat(two_.node_count())),
        segment_(segment_bytes(block_, parameters[1])),
        collected_(builder_, two_.leads() ? remote_bytes() * members() : 0, 0),
        sent_(builder_, two_.leads() ? remote_bytes() * members() : 0, 0),
        received_(builder_, two_.leads() ? remote_bytes() * members() : 0, 0),
        own_out_(builder_, two_.leads() ? 0 : remote_bytes(), 0),
        own_in_(builder_, two_.leads() ? 0 : remote_bytes(), 0) {}

  base::Result<Schedule> build() {
    if (block_ > 0) exchange_inside();
    for (uint64_t from = 0, index = 0; from < block_; from += segment_, ++index) {
      length_ = std::min(segment_, block_ - from);
      from_ = from;
      if (!two_.leads()) {
        add_member_segment(index);
      } else if (base::Status status = add_leader_segment(index); !status) {
        return status;
      }
    }
    return std::move(builder_).finish();
  }

 private:
  uint64_t members() const { return static_cast<uint64_t>(two_.member_count()); }
  uint64_t ranks_on(int32_t node) const { return topology_.ranks_of(node).size(); }
  /// Bytes of one segment that one rank exchanges with other nodes.
  uint64_t remote_bytes() const {
    return (static_cast<uint64_t>(request_.rank_count) - members()) * segment_;
  }
  BufRef input_block(Rank to) const {
    return {Slot::input, block_ * static_cast<uint64_t>(to) + from_, length_};
  }
  BufRef output_block(Rank from) const {
    return {Slot::output, block_ * static_cast<uint64_t>(from) + from_, length_};
  }

  /// Blocks between ranks of one node, whole.
  void exchange_inside() {
    const BufRef input{Slot::input, 0, UINT64_MAX}, output{Slot::output, 0, UINT64_MAX};
    const Rank m = two_.member_count();
    const auto at = [&](Rank rank) { return block_ * static_cast<uint64_t>(rank); };
    builder_.copy(input.part(at(me_), block_), output.part(at(me_), block_));
    for (Rank step = 1; step < m; ++step) {
      const Rank to = two_.members()[static_cast<size_t>((two_.my_local_index() + step) % m)];
      const Rank from = two_.members()[static_cast<size_t>((two_.my_local_index() - step + m) % m)];
      builder_.send(Peer::local(to), input.part(at(to), block_));
      builder_.recv(Peer::local(from), output.part(at(from), block_));
    }
  }

  template <class Visit>
  void for_other_nodes(Visit visit) const {
    for (int32_t step = 1; step < two_.node_count(); ++step)
      visit((two_.my_node() + step) % two_.node_count());
  }

  /// A member packs what it has for each node, and unpacks what comes from each.
  void add_member_segment(uint64_t index) {
    std::vector<TaskId> sent, unpacked;
    uint64_t at = 0;
    for_other_nodes([&](int32_t node) {
      const BufRef packed = own_out_.scratch(index).part(at, ranks_on(node) * length_);
      std::vector<TaskId> copies;
      uint64_t position = 0;
      for (Rank to : topology_.ranks_of(node))
        copies.push_back(
            builder_.copy(input_block(to), packed.part(length_ * position++, length_), own_out_.free(index)));
      sent.push_back(builder_.send(two_.local_leader(), packed, copies));
      at += packed.length;
    });
    own_out_.set_done(index, builder_.join(sent));
    at = 0;
    for_other_nodes([&](int32_t node) {
      const BufRef landing = own_in_.scratch(index).part(at, ranks_on(node) * length_);
      const TaskId arrived = builder_.recv(two_.local_leader(), landing, own_in_.free(index));
      uint64_t position = 0;
      for (Rank from : topology_.ranks_of(node))
        unpacked.push_back(
            builder_.copy(landing.part(length_ * position++, length_), output_block(from), arrived));
      at += landing.length;
    });
    own_in_.set_done(index, builder_.join(unpacked));
  }

  base::Status add_leader_segment(uint64_t index) {
    std::vector<uint64_t> sizes(static_cast<size_t>(two_.node_count()), 0), offsets(sizes.size(), 0);
    uint64_t at = 0;
    for_other_nodes([&](int32_t node) {
      const auto n = static_cast<size_t>(node);
      sizes[n] = ranks_on(node) * members() * length_;
      offsets[n] = at;
      at += sizes[n];
    });
    Request between = level_request(request_, Collective::alltoallv, two_.node_count(), 0, 0);
    between.own_bytes = 0;
    between.blocks = between.receive_blocks = {.sizes = sizes, .offsets = offsets};
    auto flat = inter_.build(between, two_.my_node(), flat_, default_parameters(inter_));
    if (!flat) return flat.status();

    const BufRef out = sent_.scratch(index), in = received_.scratch(index);
    const TaskId ordered = collect(index, out, offsets);
    const Nested exchanged = builder_.nest(*flat, {.input = out, .output = in, .peers = two_.leaders()},
                                           {ordered, received_.free(index)});
    sent_.set_done(index, exchanged.done);
    received_.set_done(index, builder_.join({exchanged.done, hand_out(in, offsets, exchanged.ready)}));
    return {};
  }

  /// Brings what all members have for other nodes into the order [destination rank][source rank].
  TaskId collect(uint64_t index, BufRef out, const std::vector<uint64_t>& offsets) {
    const BufRef landing = collected_.scratch(index);
    std::vector<TaskId> ordered;
    for (Rank source = 0; source < two_.member_count(); ++source) {
      const Rank member = two_.members()[static_cast<size_t>(source)];
      uint64_t at = static_cast<uint64_t>(source) * remote_bytes();
      for_other_nodes([&](int32_t node) {
        const uint64_t count = ranks_on(node);
        const BufRef theirs = landing.part(at, count * length_);
        const TaskId here =
            member == me_ ? k_no_task : builder_.recv(Peer::local(member), theirs, collected_.free(index));
        for (uint64_t to = 0; to < count; ++to) {
          const BufRef block =
              member == me_ ? input_block(topology_.ranks_of(node)[to]) : theirs.part(to * length_, length_);
          const uint64_t place =
              offsets[static_cast<size_t>(node)] + (to * members() + static_cast<uint64_t>(source)) * length_;
          ordered.push_back(builder_.copy(block, out.part(place, length_), {here, sent_.free(index)}));
        }
        at += theirs.length;
      });
    }
    const TaskId done = builder_.join(ordered);
    collected_.set_done(index, done);
    return done;
  }

  /// What came from a node is ordered by destination, so each member's part is one run.
  TaskId hand_out(BufRef in, const std::vector<uint64_t>& offsets, TaskId ready) {
    std::vector<TaskId> given;
    for (Rank target = 0; target < two_.member_count(); ++target) {
      const Rank member = two_.members()[static_cast<size_t>(target)];
      for_other_nodes([&](int32_t node) {
        const uint64_t run = ranks_on(node) * length_;
        const BufRef theirs =
            in.part(offsets[static_cast<size_t>(node)] + static_cast<uint64_t>(target) * run, run);
        if (member != me_) {
          given.push_back(builder_.send(Peer::local(member), theirs, ready));
          return;
        }
        uint64_t position = 0;
        for (Rank from : topology_.ranks_of(node))
          given.push_back(
              builder_.copy(theirs.part(length_ * position++, length_), output_block(from), ready));
      });
    }
    return builder_.join(given);
  }

  const uint64_t block_;
  const Rank me_;
  const Request& request_;
  const Topology& topology_;
  const Algorithm& inter_;
  const TwoLevel two_;
  const Topology flat_;
  const uint64_t segment_;
  ScheduleBuilder builder_;
  SegmentRing collected_, sent_, received_;  // the leader's
  SegmentRing own_out_, own_in_;             // a member's
  uint64_t from_ = 0, length_ = 0;           // the current segment
};

uint64_t staging_bytes(const Request& request, const Topology& topology, uint64_t segment) {
  return segment * static_cast<uint64_t>(request.rank_count) *
         static_cast<uint64_t>(topology.largest_node_size());
}

bool applies(const Request& request, const Topology& topology, const ParameterSet& parameters,
             std::string* why_not) {
  const uint64_t block = request.blocks.uniform_bytes;
  const uint64_t segment = segment_bytes(block, parameters[1]);
  if (!has_two_levels(topology, why_not) || !segments_fit(block, segment, why_not)) return false;
  if (staging_bytes(request, topology, segment) > k_max_staging_bytes) {
    *why_not = "a leader would have to keep more than " + std::to_string(k_max_staging_bytes >> 20) +
               " MiB per segment; use smaller ones";
    return false;
  }
  return level_applies(inter_algorithm(parameters), FlatBuilder::Level::inter,
                       level_request(request, Collective::alltoallv, topology.node_count(), 0, 0), why_not);
}

base::Result<Schedule> build(const Request& request, Rank me, const Topology& topology,
                             const ParameterSet& parameters) {
  return Builder(request, me, topology, parameters).build();
}

Cost cost(const Request& request, const Topology& topology, const ParameterSet& parameters) {
  const uint64_t block = request.blocks.uniform_bytes;
  if (block == 0) return {};
  const auto p = static_cast<uint64_t>(request.rank_count);
  const auto most = static_cast<uint64_t>(topology.largest_node_size());
  const uint64_t segment = segment_bytes(block, parameters[1]);
  Request between = level_request(request, Collective::alltoallv, topology.node_count(), 0, 0);
  between.blocks = between.receive_blocks = {.uniform_bytes = most * most * segment};
  const Cost inter = level_cost(inter_algorithm(parameters), FlatBuilder::Level::inter, between);
  return {.rounds = (2 + inter.rounds) * segment_count(block, segment),
          .busiest_bytes = 2 * most * p * block,
          .is_upper_bound = true};
}

}  // namespace

extern const Algorithm alltoall_hierarchical;
const Algorithm alltoall_hierarchical = {
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
