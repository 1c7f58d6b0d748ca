#include "algorithm/specification.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "algorithm/block_forwarding.hpp"

namespace tutti::algorithm {

namespace {

using schedule::Failure;
using schedule::Holding;
using schedule::RankContents;
using schedule::VerifyReport;

using EveryRank = std::span<const Request>;
using Contents = std::vector<RankContents>;

const Request& request_of(EveryRank ranks, Rank r) {
  return ranks[static_cast<size_t>(r)];
}

/// A rank's own contribution: in its input, or in its output if in place.
std::vector<Holding>& operand_of(RankContents& contents, const Request& request) {
  return request.in_place ? contents.output_before : contents.input;
}

void specify_bcast(EveryRank ranks, Rank me, RankContents& mine) {
  const Request& request = request_of(ranks, me);
  const Holding message{.at = 0, .length = request.bytes, .first = request.root};
  if (me == request.root) mine.output_before = {message};
  mine.output_after = {message};
}

/// reduce, allreduce, scan, exscan: the result combines ranks 0 … last (no ranks if last is -1).
void specify_reduction(EveryRank ranks, Rank me, Rank last, RankContents& mine) {
  const Request& request = request_of(ranks, me);
  operand_of(mine, request) = {{.at = 0, .length = request.bytes, .first = me}};
  if (last >= 0)
    mine.output_after = {{.at = 0, .length = request.bytes, .first = 0, .contributor_count = last + 1}};
  else
    mine.output_after = mine.output_before;
}

void specify_reduce_scatter(EveryRank ranks, Rank me, RankContents& mine) {
  const Request& request = request_of(ranks, me);
  mine.input = {{.at = 0, .length = request.bytes, .first = me}};
  mine.output_after = {{.at = 0,
                        .length = request.blocks.size(me),
                        .first = 0,
                        .contributor_count = request.rank_count,
                        .origin = request.blocks.offset(me)}};
}

/// gather and allgather: `receives` is true if this rank gets the result.
void specify_gather(EveryRank ranks, Rank me, bool receives, RankContents& mine) {
  const Request& request = request_of(ranks, me);
  if (receives && request.in_place)
    mine.output_before = {{.at = request.blocks.offset(me), .length = request.blocks.size(me), .first = me}};
  else
    mine.input = {{.at = 0, .length = request.own_bytes, .first = me}};
  if (!receives) return;
  for (Rank r = 0; r < request.rank_count; ++r)
    mine.output_after.push_back(
        {.at = request.blocks.offset(r), .length = request.blocks.size(r), .first = r});
}

void specify_scatter(EveryRank ranks, Rank me, RankContents& mine) {
  const Request& request = request_of(ranks, me);
  const Blocks& blocks = request_of(ranks, request.root).blocks;
  if (me == request.root)
    for (Rank r = 0; r < request.rank_count; ++r)
      mine.input.push_back(
          {.at = blocks.offset(r), .length = blocks.size(r), .first = me, .origin = blocks.offset(r)});
  if (me != request.root || !request.in_place)
    mine.output_after = {
        {.at = 0, .length = request.own_bytes, .first = request.root, .origin = blocks.offset(me)}};
}

void specify_alltoall(EveryRank ranks, Rank me, RankContents& mine) {
  const Request& request = request_of(ranks, me);
  for (Rank r = 0; r < request.rank_count; ++r) {
    const uint64_t at = request.blocks.offset(r);
    mine.input.push_back({.at = at, .length = request.blocks.size(r), .first = me, .origin = at});
    mine.output_after.push_back({.at = request.receive_blocks.offset(r),
                                 .length = request.receive_blocks.size(r),
                                 .first = r,
                                 .origin = request_of(ranks, r).blocks.offset(me)});
  }
}

RankContents specify_rank(EveryRank ranks, Rank me) {
  const Request& request = request_of(ranks, me);
  RankContents mine;
  switch (request.collective) {
    case Collective::barrier:
      break;
    case Collective::bcast:
      specify_bcast(ranks, me, mine);
      break;
    case Collective::reduce:
      specify_reduction(ranks, me, me == request.root ? request.rank_count - 1 : -1, mine);
      break;
    case Collective::allreduce:
      specify_reduction(ranks, me, request.rank_count - 1, mine);
      break;
    case Collective::scan:
      specify_reduction(ranks, me, me, mine);
      break;
    case Collective::exscan:
      specify_reduction(ranks, me, me - 1, mine);
      break;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      specify_reduce_scatter(ranks, me, mine);
      break;
    case Collective::allgather:
    case Collective::allgatherv:
      specify_gather(ranks, me, true, mine);
      break;
    case Collective::gather:
    case Collective::gatherv:
      specify_gather(ranks, me, me == request.root, mine);
      break;
    case Collective::scatter:
    case Collective::scatterv:
      specify_scatter(ranks, me, mine);
      break;
    case Collective::alltoall:
    case Collective::alltoallv:
    case Collective::alltoallw:
      specify_alltoall(ranks, me, mine);
      break;
  }
  return mine;
}

Cost cost_of(const Algorithm& algorithm, EveryRank ranks, const Topology& topology,
             const ParameterSet& parameters) {
  if (is_rooted(algorithm.collective))
    return algorithm.cost(request_of(ranks, ranks.front().root), topology, parameters);
  Cost most;
  for (const Request& request : ranks) {
    const Cost cost = algorithm.cost(request, topology, parameters);
    most.rounds = std::max(most.rounds, cost.rounds);
    most.busiest_bytes = std::max(most.busiest_bytes, cost.busiest_bytes);
    most.is_upper_bound |= cost.is_upper_bound;
  }
  return most;
}

/// The placement of the ranks, as the verifier knows it and as each rank sees it.
class Placement {
 public:
  Placement(const Topology& topology, const Request& request) {
    for (Rank r = 0; r < topology.rank_count(); ++r) node_of_rank_.push_back(topology.node_of(r));
    for (int32_t n = 0; n < topology.node_count(); ++n) leader_of_node_.push_back(topology.leader_of(n));
    if (is_rooted(request.collective))
      leader_of_node_[static_cast<size_t>(topology.node_of(request.root))] = request.root;
    if (!topology.leaders_compete()) {
      views_ = {topology};
      return;
    }
    Topology plain = Topology::from_node_of_rank(node_of_rank_).value();
    if (topology.has_groups()) plain = plain.with_groups(topology.group_of_node());
    for (int32_t n = 0; n < topology.node_count(); ++n)
      views_.push_back(plain.with_leader(topology.leader_of(n)));
  }

  std::span<const int32_t> node_of_rank() const { return node_of_rank_; }
  /// The leader of each node. The root of a rooted collective leads its node, independent of the order of arrival.
  std::span<const Rank> leader_of_node() const { return leader_of_node_; }
  /// If leaders compete, a rank knows only the leader of its own node.
  const Topology& seen_by(Rank r) const {
    return views_.size() == 1 ? views_.front()
                              : views_[static_cast<size_t>(node_of_rank_[static_cast<size_t>(r)])];
  }

 private:
  std::vector<int32_t> node_of_rank_;
  std::vector<Rank> leader_of_node_;
  std::vector<Topology> views_;  // one for all, or one per node
};

/// Whether the counted cost matches the documented formula.
bool holds(const Cost& cost, const schedule::Counts& counts) {
  if (cost.is_upper_bound) return counts.rounds <= cost.rounds && counts.busiest_bytes <= cost.busiest_bytes;
  return counts.rounds == cost.rounds && counts.busiest_bytes == cost.busiest_bytes;
}

}  // namespace

std::vector<RankContents> specify(EveryRank every_rank) {
  Contents contents;
  contents.reserve(every_rank.size());
  for (Rank r = 0; r < static_cast<Rank>(every_rank.size()); ++r)
    contents.push_back(specify_rank(every_rank, r));
  return contents;
}

namespace {

/// One part of a call, with the required contents.
struct Part {
  BuildResult (*build)(const Request&, Rank, const Topology&, const ParameterSet&);
  Contents contents;
  uint64_t element_bytes = 1;
};

VerifyReport verify_part(const Part& part, EveryRank every_rank, const Placement& where,
                         const ParameterSet& parameters) {
  std::vector<Schedule> schedules;
  for (Rank r = 0; r < static_cast<Rank>(every_rank.size()); ++r) {
    auto built = part.build(request_of(every_rank, r), r, where.seen_by(r), parameters);
    if (!built)
      return {.failure = Failure::build,
              .rank = r,
              .message = "rank " + std::to_string(r) + ": " + built.status().message()};
    schedules.push_back(std::move(*built));
  }
  const Request& any = every_rank.front();
  return schedule::verify({.ranks = part.contents,
                           .node_of_rank = where.node_of_rank(),
                           .leader_of_node = where.leader_of_node(),
                           .commutative = any.commutative,
                           .element_bytes = part.element_bytes,
                           .synchronises = any.collective == Collective::barrier},
                          schedules);
}

/// Checks that every rank receives the sizes of its forwarded_blocks.
VerifyReport verify_sizes(const Algorithm& algorithm, EveryRank every_rank, const Topology& topology,
                          const Placement& where, const ParameterSet& parameters) {
  Contents contents(every_rank.size());
  for (Rank me = 0; me < static_cast<Rank>(every_rank.size()); ++me) {
    RankContents& mine = contents[static_cast<size_t>(me)];
    mine.input = {{.at = 0, .length = every_rank.size() * k_size_bytes, .first = me}};
    const Request& request = request_of(every_rank, me);
    for (const auto& [source, destination] :
         algorithm.forwarding->forwarded_blocks(request, me, topology, parameters))
      mine.output_after.push_back({.at = mine.output_after.size() * k_size_bytes,
                                   .length = k_size_bytes,
                                   .first = source,
                                   .origin = static_cast<uint64_t>(destination) * k_size_bytes});
  }
  VerifyReport report =
      verify_part({.build = algorithm.forwarding->build_sizes, .contents = std::move(contents)}, every_rank,
                  where, parameters);
  if (!report.is_ok()) report.message = "sizes: " + report.message;
  return report;
}

}  // namespace

VerifyReport verify(const Algorithm& algorithm, EveryRank every_rank, const Topology& topology,
                    const ParameterSet& parameters) {
  const Placement where(topology, every_rank.front());
  if (algorithm.forwarding != nullptr)
    if (VerifyReport report = verify_sizes(algorithm, every_rank, topology, where, parameters);
        !report.is_ok())
      return report;
  const TwoPhaseRequests two_phase(algorithm, every_rank, topology, parameters);
  every_rank = two_phase.every_rank();
  VerifyReport report = verify_part({.build = algorithm.build,
                                     .contents = specify(every_rank),
                                     .element_bytes = every_rank.front().element_bytes},
                                    every_rank, where, parameters);
  if (!report.is_ok()) return report;
  const Cost cost = cost_of(algorithm, every_rank, topology, parameters);
  if (holds(cost, report.counts)) return report;
  report.failure = Failure::cost;
  report.message = "counted " + std::to_string(report.counts.rounds) + " rounds and " +
                   std::to_string(report.counts.busiest_bytes) +
                   " bytes of the busiest rank, but cost() says " + (cost.is_upper_bound ? "at most " : "") +
                   std::to_string(cost.rounds) + " and " + std::to_string(cost.busiest_bytes);
  return report;
}

}  // namespace tutti::algorithm
