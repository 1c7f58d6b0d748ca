#include "algorithm/hierarchy.hpp"

#include <algorithm>

#include "algorithm/segments.hpp"

namespace tutti::algorithm {

namespace {

Choice choice_of(const Algorithm* algorithm) {
  return algorithm == nullptr ? Choice{} : Choice{algorithm, default_parameters(*algorithm)};
}

/// The two-level form of the algorithm's collective, with `flat` between its nodes; no algorithm if there is none. Its
/// message is a segment already.
Choice two_level_form(const Algorithm& flat) {
  Choice choice = choice_of(find(flat.collective, "hierarchical"));
  if (choice.algorithm == nullptr) return choice;
  for (size_t i = 0; i < choice.algorithm->parameters.size(); ++i) {
    const Parameter& parameter = choice.algorithm->parameters[i];
    const auto name = std::ranges::find(parameter.choices, flat.name);
    if (parameter.name == "inter")
      choice.parameters.values[i] = static_cast<uint64_t>(name - parameter.choices.begin());
    else if (parameter.unit == Parameter::Unit::bytes)
      choice.parameters.values[i] = parameter.max;
  }
  return choice;
}

}  // namespace

LevelAlgorithm LevelAlgorithm::inside_node(const Algorithm* flat, Rank ranks) {
  LevelAlgorithm level;
  level.choice_ = choice_of(flat);
  level.ranks_ = ranks;
  level.is_inside_ = true;
  return level;
}

LevelAlgorithm LevelAlgorithm::between_nodes(const Algorithm* flat, const Topology& topology) {
  LevelAlgorithm level;
  level.ranks_ = topology.node_count();
  if (flat != nullptr && topology.has_groups()) level.choice_ = two_level_form(*flat);
  if (level.choice_.algorithm != nullptr)
    level.grouped_ = &topology;
  else
    level.choice_ = choice_of(flat);
  return level;
}

Topology LevelAlgorithm::topology() const {
  if (grouped_ != nullptr) return grouped_->between_nodes();
  return is_inside_ ? Topology::blocked(ranks_, ranks_) : Topology::flat(ranks_);
}

bool LevelAlgorithm::applies(const RankInvariantRequest& level_request, std::string* why_not) const {
  std::string why;
  if (!is_needed() || choice_.algorithm->applies(level_request, topology(), choice_.parameters, &why))
    return true;
  *why_not = std::string(is_inside_ ? "inside a node, " : "between nodes, ") +
             std::string(choice_.algorithm->name) + ": " + why;
  return false;
}

BuildResult LevelAlgorithm::build(const Request& level_request, Rank me) {
  if (!topology_) topology_ = topology();
  return choice_.algorithm->build(level_request, me, *topology_, choice_.parameters);
}

Cost LevelAlgorithm::cost(const Request& level_request) const {
  if (!is_needed()) return {};
  return choice_.algorithm->cost(level_request, topology(), choice_.parameters);
}

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

const Schedule& LevelBuilder::get(const Request& request) {
  if (!algorithm_.is_needed()) return empty_;
  const auto [at, is_new] = by_bytes_.try_emplace(request.bytes);
  if (is_new) {
    auto built = algorithm_.build(request, me_);
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

base::Status first_error(std::initializer_list<const LevelBuilder*> levels) {
  for (const LevelBuilder* level : levels)
    if (!level->status()) return level->status();
  return {};
}

}  // namespace tutti::algorithm
