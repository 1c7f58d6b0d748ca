#include "algorithm/hierarchy.hpp"

#include "algorithm/catalogue.hpp"

namespace tutti::algorithm {

namespace {
// Segments in flight that own memory. More would only spread the working set; fewer would stall the chain.
constexpr uint64_t k_segment_ring_depth = 8;
}  // namespace

uint64_t turns_of(uint64_t segment_count) {
  return (segment_count + k_segment_ring_depth - 1) / k_segment_ring_depth;
}

TwoLevel::TwoLevel(const Topology& topology, Rank me, Rank root)
    : topology_(topology), me_(me), my_node_(topology.node_of(me)) {
  if (root >= 0) root_node_ = topology.node_of(root);
  for (int32_t n = 0; n < topology.node_count(); ++n) {
    const Rank leads = root >= 0 && n == root_node_ ? root : topology.leader_of(n);
    // Where leaders compete, nobody knows who leads another node until a message meets its leader there.
    leaders_.push_back(topology.leaders_compete() ? Peer::node(n) : Peer::rank(leads));
    if (n == my_node_) leader_ = leads;
  }
  for (Rank member : members()) locals_.push_back(Peer::local(member));
}

FlatBuilder::FlatBuilder(const Algorithm& algorithm, Level level, Rank ranks, Rank me)
    : algorithm_(algorithm),
      topology_(level == Level::inter ? Topology::flat(ranks) : Topology::blocked(ranks, ranks)),
      me_(me) {}

const Schedule& FlatBuilder::get(const Request& request) {
  const auto [at, is_new] = by_bytes_.try_emplace(request.bytes);
  if (is_new && topology_.rank_count() > 1) {
    auto built = algorithm_.build(request, me_, topology_, default_parameters(algorithm_));
    if (built)
      at->second = std::move(*built);
    else
      status_ = built.status();
  }
  return at->second;
}

SegmentRing::SegmentRing(ScheduleBuilder& builder, uint64_t scratch_bytes, uint64_t node_bytes)
    : owns_memory_(scratch_bytes + node_bytes > 0) {
  for (uint64_t i = 0; i < k_segment_ring_depth; ++i)
    slots_.push_back({.scratch = builder.scratch(scratch_bytes), .node = builder.node(node_bytes)});
}

const Algorithm& chosen(Collective collective, const Parameter& parameter, uint64_t value) {
  return *find(collective, parameter.choices[value]);
}

bool has_two_levels(const Topology& topology, std::string* why_not) {
  if (topology.node_count() == 1) {
    *why_not = "all ranks are on one node";
    return false;
  }
  if (topology.largest_node_size() == 1) {
    *why_not = "every rank is alone on its node";
    return false;
  }
  return true;
}

bool level_applies(const Algorithm& algorithm, FlatBuilder::Level level, const Request& request, Rank ranks,
                   std::string* why_not) {
  if (ranks <= 1) return true;
  const bool inter = level == FlatBuilder::Level::inter;
  Request flat = request;
  flat.rank_count = ranks;
  flat.root = 0;
  std::string why;
  if (algorithm.applies(flat, inter ? Topology::flat(ranks) : Topology::blocked(ranks, ranks),
                        default_parameters(algorithm), &why))
    return true;
  *why_not = std::string(inter ? "between nodes " : "inside a node ") + std::string(algorithm.name) + ": " + why;
  return false;
}

}  // namespace tutti::algorithm
