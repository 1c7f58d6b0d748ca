#include "algorithm/hierarchy.hpp"

#include <algorithm>

#include "algorithm/segments.hpp"

namespace tutti::algorithm {

namespace {
Topology level_topology(Level level, Rank ranks) {
  return level == Level::inter ? Topology::flat(ranks) : Topology::blocked(ranks, ranks);
}
}  // namespace

uint64_t lanes_of(const Topology& topology, uint64_t wanted) {
  if (topology.leaders_compete()) return 1;
  return std::clamp<uint64_t>(wanted, 1, static_cast<uint64_t>(topology.smallest_node_size()));
}

TwoLevel::TwoLevel(const Topology& topology, Rank me, Rank root, uint64_t lane)
    : topology_(topology), me_(me), my_node_(topology.node_of(me)) {
  if (root >= 0) root_node_ = topology.node_of(root);
  for (int32_t n = 0; n < topology.node_count(); ++n) {
    const Rank in_turn = lane == 0 ? topology.leader_of(n) : topology.ranks_of(n)[lane];
    const Rank leads = root >= 0 && n == root_node_ ? root : in_turn;
    // If leaders compete, the leader of another node is unknown until a message arrives there.
    leaders_.push_back(topology.leaders_compete() ? Peer::node(n) : Peer::rank(leads));
    if (n == my_node_) leader_ = leads;
  }
  for (Rank member : members()) locals_.push_back(Peer::local(member));
}

const Schedule& FlatBuilder::get(const Request& request) {
  if (ranks_ <= 1) return empty_;
  const auto [at, is_new] = by_bytes_.try_emplace(request.bytes);
  if (is_new) {
    if (!topology_) topology_ = level_topology(level_, ranks_);
    auto built = algorithm_->build(request, me_, *topology_, default_parameters(*algorithm_));
    if (built)
      at->second = std::move(*built);
    else
      status_ = built.status();
  }
  return at->second;
}

SegmentRing::SegmentRing(ScheduleBuilder& builder, uint64_t scratch_bytes, uint64_t node_bytes)
    : owns_memory_(scratch_bytes + node_bytes > 0) {
  if (!owns_memory_) return;
  for (SlotState& slot : slots_)
    slot = {.scratch = builder.scratch(scratch_bytes), .node = builder.node(node_bytes)};
}

const Algorithm* chosen(Collective collective, const Parameter& parameter, uint64_t value) {
  return find(collective, parameter.choices[value]);
}

bool nodes_may_combine(const RankInvariantRequest& request, const Topology&, const ParameterSet&,
                       std::string* why_not) {
  if (request.commutative) return true;
  *why_not = "the operator does not commute, and nodes are reduced before they meet";
  return false;
}

Request level_request(const Request& request, Collective collective, Rank ranks, Rank root, uint64_t bytes) {
  Request level = request.with_bytes(bytes);
  level.collective = collective;
  level.rank_count = ranks;
  level.root = root;
  level.in_place = false;
  return level;
}

bool level_applies(const Algorithm* algorithm, Level level, const RankInvariantRequest& request,
                   std::string* why_not) {
  if (algorithm == nullptr || request.rank_count <= 1) return true;
  std::string why;
  if (algorithm->applies(request, level_topology(level, request.rank_count), default_parameters(*algorithm),
                         &why))
    return true;
  *why_not = std::string(level == Level::inter ? "between nodes, " : "inside a node, ") +
             std::string(algorithm->name) + ": " + why;
  return false;
}

Cost level_cost(const Algorithm* algorithm, Level level, const Request& request) {
  if (algorithm == nullptr || request.rank_count <= 1) return {};
  return algorithm->cost(request, level_topology(level, request.rank_count), default_parameters(*algorithm));
}

Cost two_level_bound(std::initializer_list<Cost> levels, uint64_t segments) {
  Cost bound{.is_upper_bound = true};
  for (const Cost& level : levels) {
    bound.rounds += level.rounds;
    bound.busiest_bytes += level.busiest_bytes;
  }
  // Segments wait for each other only through the memory that they use in turn.
  bound.rounds *= segment_count(segments, k_segment_ring_depth);
  bound.busiest_bytes *= segments;
  return bound;
}

base::Status first_error(std::initializer_list<const FlatBuilder*> levels) {
  for (const FlatBuilder* level : levels)
    if (!level->status()) return level->status();
  return {};
}

}  // namespace tutti::algorithm
