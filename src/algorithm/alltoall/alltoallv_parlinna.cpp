// ParLinNa, the two-level alltoallv without leaders (Fan, Domke, Ba, Kumar: Configurable Non-uniform All-to-all
// Algorithms, arXiv:2411.02581, §4, there TuNA with the levels l and g, coalesced; HPDC 2025). Every member of a node
// carries the blocks of its whole node for the ranks of other nodes with the same local index:
//
//   members ─► carriers      by the digits of local indices, sizes first (digit_exchange.hpp)
//   carriers ─► ranks        all blocks of their node for one rank, in one message, a few nodes at a time
//
// If this node has fewer members than another, a member carries for several ranks of that node. Messages between nodes:
// one for every pair of a rank and another node, p·(N-1), compared with p·(p-m) direct ones. All members use the
// network.
//
// Rounds at most ⌈log_radix m⌉ inside a node, as many for the sizes, and ⌈(N-1) / steps⌉ between nodes. Bytes of a
// rank: its blocks for others, the blocks that it forwards inside its node, and those that it carries.

#include <span>
#include <utility>
#include <vector>

#include "algorithm/alltoall/digit_exchange.hpp"
#include "algorithm/block_forwarding.hpp"
#include "algorithm/block_layout.hpp"
#include "algorithm/hierarchy.hpp"
#include "algorithm/in_flight_limit.hpp"
#include "pattern/bruck.hpp"

namespace tutti::algorithm {
namespace {

constexpr Parameter k_parameters[] = {
    radix_parameter(4, "inside a node; more: fewer bytes, more messages", 1 << 16),
    {.name = "steps",
     .summary = "other nodes with which messages are under way",
     .default_value = 4,
     .min = 1,
     .max = 1 << 20},
};

/// The member of a node with `members` members that carries the node's blocks for a rank with this local index.
Rank carrier(Rank local_index, Rank members) {
  return local_index % members;
}

/// The ranks of `node` for which `member`, on a node with `members` members, carries.
std::vector<Rank> carried_for(const Topology& topology, int32_t node, Rank member, Rank members) {
  const auto ranks = topology.ranks_of(node);
  std::vector<Rank> found;
  for (auto i = member; i < static_cast<Rank>(ranks.size()); i += members)
    found.push_back(ranks[static_cast<size_t>(i)]);
  return found;
}

/// One rank's view of its node.
struct Node {
  Node(const Topology& all, Rank rank, uint64_t radix)
      : topology(all),
        number(topology.node_of(rank)),
        ranks(topology.ranks_of(number)),
        group{.members = {}, .me = topology.local_index(rank), .radix = static_cast<int64_t>(radix)} {
    for (const Rank member : ranks) group.members.push_back(Peer::local(member));
    for (Rank member = 0; member < group.size(); ++member) {
      std::vector<Rank>& targets = targets_of.emplace_back();
      for (int32_t node = 0; node < topology.node_count(); ++node) {
        if (member == group.me) first_target.push_back(targets.size());
        for (const Rank target : carried_for(topology, node, member, group.size())) targets.push_back(target);
      }
      group.blocks_of.push_back(static_cast<uint32_t>(targets.size()));
    }
  }

  /// The ranks for which this rank carries, those of its own node included.
  const std::vector<Rank>& targets() const { return targets_of[static_cast<size_t>(group.me)]; }

  const Topology& topology;
  int32_t number;
  std::span<const Rank> ranks;
  DigitGroup group;
  std::vector<std::vector<Rank>> targets_of;  // the ranks for which a member carries, by member
  std::vector<size_t> first_target;           // index of a node's first rank in targets(), by node
};

std::vector<ForwardedBlock> forwarded_blocks(const Request&, Rank me, const Topology& topology,
                                             const ParameterSet& parameters) {
  const Node node(topology, me, parameters[0]);
  std::vector<ForwardedBlock> found;
  for (const auto [source, destination] : arriving_parcels(node.group))
    for (const Rank target : node.targets_of[static_cast<size_t>(destination)])
      found.push_back({node.ranks[static_cast<size_t>(source)], target});
  return found;
}

/// Gives every member the blocks that it carries; `block_for` returns the block for a rank.
template <class BlockFor>
void put_all(DigitExchange& exchange, const Node& node, BlockFor block_for) {
  for (Rank member = 0; member < node.group.size(); ++member) {
    DigitExchange::Parcel parcel;
    for (const Rank target : node.targets_of[static_cast<size_t>(member)])
      parcel.push_back({block_for(target)});
    exchange.put(member, std::move(parcel));
  }
}

BuildResult build_sizes(const Request& request, Rank me, const Topology& topology,
                        const ParameterSet& parameters) {
  const Node node(topology, me, parameters[0]);
  const size_t passing = forwarded_blocks(request, me, topology, parameters).size();
  ScheduleBuilder builder;
  DigitExchange exchange(
      builder, node.group,
      {.sizes = {.uniform_bytes = k_size_bytes}, .memory = {Slot::output, 0, passing * k_size_bytes}});
  put_all(exchange, node, [](Rank target) {
    return BufRef{Slot::input, static_cast<uint64_t>(target) * k_size_bytes, k_size_bytes};
  });
  exchange.move_all();
  return std::move(builder).finish();
}

/// Builds the tasks of one rank.
class Carrier {
 public:
  Carrier(ScheduleBuilder& builder, const Request& request, Rank me, const Topology& topology,
          const ParameterSet& parameters)
      : builder_(builder),
        me_(me),
        node_(topology, me, parameters[0]),
        outgoing_(request.blocks, request.rank_count, Slot::input),
        incoming_(request.receive_blocks, request.rank_count, Slot::output),
        exchange_(builder, node_.group,
                  {.sizes = request.passing_blocks,
                   .place = [this](Rank source, uint32_t block) { return place(source, block); }}),
        sends_(parameters[1], steps()),
        receives_(parameters[1], steps()) {}

  void exchange_inside() {
    put_all(exchange_, node_, [this](Rank target) { return outgoing_.block(target); });
    exchange_.move_all();
    const size_t mine = node_.first_target[static_cast<size_t>(node_.number)];
    for (Rank member = 0; member < node_.group.size(); ++member)
      copy_to_place(builder_, exchange_.from(member)[mine],
                    incoming_.block(node_.ranks[static_cast<size_t>(member)]));
  }

  /// Step s sends to the node s after this one, and receives from the node s before it.
  void exchange_between() {
    for (int32_t step = 1; step < nodes(); ++step) {
      receive_from((node_.number - step + nodes()) % nodes(), static_cast<uint64_t>(step - 1));
      send_to((node_.number + step) % nodes(), static_cast<uint64_t>(step - 1));
    }
  }

 private:
  int32_t nodes() const { return node_.topology.node_count(); }
  uint64_t steps() const { return static_cast<uint64_t>(nodes() - 1); }

  /// Blocks for this rank are received at their final offsets.
  BufRef place(Rank source, uint32_t block) const {
    return node_.targets()[block] == me_ ? incoming_.block(node_.ranks[static_cast<size_t>(source)])
                                         : BufRef{};
  }

  void send_to(int32_t node, uint64_t turn) {
    std::vector<TaskId> sent;
    const std::vector<Rank>& targets = node_.targets();
    for (size_t i = node_.first_target[static_cast<size_t>(node)];
         i < targets.size() && node_.topology.node_of(targets[i]) == node; ++i)
      sent.push_back(send_to_rank(i, sends_.before(turn)));
    sends_.set_last(turn, builder_.join(sent));
  }

  /// Sends to one of the ranks for which this rank carries.
  TaskId send_to_rank(size_t index, TaskId after) {
    std::vector<CarriedBlock> blocks;
    for (Rank member = 0; member < node_.group.size(); ++member)
      blocks.push_back(exchange_.from(member)[index]);
    return send_together(builder_, Peer::rank(node_.targets()[index]), blocks, after);
  }

  /// One message with the blocks of all ranks of `node` for this rank.
  void receive_from(int32_t node, uint64_t turn) {
    const auto sources = node_.topology.ranks_of(node);
    const Rank from =
        sources[static_cast<size_t>(carrier(node_.group.me, static_cast<Rank>(sources.size())))];
    std::vector<BufRef> places;
    uint64_t bytes = 0;
    for (const Rank source : sources) {
      const BufRef place = incoming_.block(source);
      if (place.empty()) continue;
      places.push_back(place);
      bytes += place.length;
    }
    if (places.empty()) return;
    const BufRef landing = places.size() == 1 ? places.front() : builder_.scratch(bytes);
    const TaskId arrived = builder_.recv(Peer::rank(from), landing, receives_.before(turn));
    receives_.set_last(turn, arrived);
    uint64_t at = 0;
    for (const BufRef& place : places) {
      builder_.copy(landing.part(at, place.length), place, arrived);
      at += place.length;
    }
  }

  ScheduleBuilder& builder_;
  const Rank me_;
  const Node node_;
  const BlockLayout outgoing_, incoming_;
  DigitExchange exchange_;
  InFlightLimit sends_, receives_;
};

BuildResult build(const Request& request, Rank me, const Topology& topology, const ParameterSet& parameters) {
  ScheduleBuilder builder;
  Carrier carrier(builder, request, me, topology, parameters);
  carrier.exchange_inside();
  carrier.exchange_between();
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology& topology, const ParameterSet& parameters) {
  const Rank members = topology.largest_node_size();
  const pattern::Bruck inside{members, static_cast<int64_t>(parameters[0])};
  const auto nodes = static_cast<uint64_t>(topology.node_count());
  const auto most_carried = nodes * static_cast<uint64_t>(members);  // if this rank's node has one member
  return {.rounds = inside.rounds() + steps_one_after_another(nodes - 1, parameters[1]),
          .busiest_bytes = relayed_bytes(request, inside.moving_count() * most_carried),
          .is_upper_bound = true};
}

constexpr BlockForwarding k_forwarding = {.forwarded_blocks = forwarded_blocks, .build_sizes = build_sizes};

}  // namespace

extern const Algorithm alltoallv_parlinna = {
    .name = "parlinna",
    .summary = "two levels: each member carries its node's blocks for the ranks of its local index",
    .source = "Fan, Domke, Ba, Kumar, HPDC 2025",
    .collective = Collective::alltoallv,
    .parameters = k_parameters,
    .applies = has_two_levels,
    .build = build,
    .cost = cost,
    .forwarding = &k_forwarding,
};

}  // namespace tutti::algorithm
