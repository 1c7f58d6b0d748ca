// Reductions for early return (paper 002, section 4.1.2): a collective on one vector becomes three of the same kind.
// The head and the tail of the vector come first, a page each, so that the call can return: along a tree (reduce) or by
// recursive doubling (allreduce). The body between them follows along a chain (reduce) or by a ring (allreduce).
//
// Rounds: those of the edges or of the body, whichever are more; busiest rank: at most the sum of the three parts.

#include <algorithm>
#include <array>
#include <utility>

#include "algorithm/edges.hpp"
#include "algorithm/parameters.hpp"
#include "algorithm/phase.hpp"

namespace tutti::algorithm {

extern const Algorithm reduce_knomial, reduce_chain, allreduce_recursive_doubling, allreduce_ring;

namespace {

struct Part {
  uint64_t offset = 0, bytes = 0;
  bool is_edge = true;
};

/// Head, tail and body, each of whole elements.
std::array<Part, 3> parts_of(const Request& request) {
  const uint64_t element = std::max<uint64_t>(request.element_bytes, 1);
  const uint64_t edge = (EdgesFirst::k_edge_bytes + element - 1) / element * element;
  const uint64_t head = std::min(request.bytes, edge);
  const uint64_t tail = std::min(request.bytes - head, edge);
  const uint64_t body = request.bytes - head - tail;
  return {Part{0, head}, Part{head + body, tail}, Part{head, body, false}};
}

/// Functions of a catalogue entry; its parameters are those of the body. Both algorithms accept a vector of any length.
template <const Algorithm& k_edges, const Algorithm& k_body>
struct EdgesThenBody {
  static bool applies(const RankInvariantRequest& request, const Topology& topology,
                      const ParameterSet& parameters, std::string* why_not) {
    return k_body.applies(request, topology, parameters, why_not);
  }

  static BuildResult build(const Request& request, Rank me, const Topology& topology,
                           const ParameterSet& parameters) {
    ScheduleBuilder builder;
    const std::vector<Peer> peers = all_ranks(request.rank_count);
    for (const Part& part : parts_of(request)) {
      const Choice row = choice_for(part, parameters);
      const auto nested = row.algorithm->build(request.with_bytes(part.bytes), me, topology, row.parameters);
      if (!nested) return nested.status();
      builder.nest(*nested, {.input = {Slot::input, part.offset, part.bytes},
                             .output = {Slot::output, part.offset, part.bytes},
                             .peers = peers});
    }
    return std::move(builder).finish();
  }

  static Cost cost(const Request& request, const Topology& topology, const ParameterSet& parameters) {
    Cost all{.is_upper_bound = true};
    for (const Part& part : parts_of(request)) {
      const Choice row = choice_for(part, parameters);
      const Cost one = row.algorithm->cost(request.with_bytes(part.bytes), topology, row.parameters);
      all.rounds = std::max(all.rounds, one.rounds);
      all.busiest_bytes += one.busiest_bytes;
    }
    return all;
  }

 private:
  static Choice choice_for(const Part& part, const ParameterSet& of_body) {
    return part.is_edge ? Choice{&k_edges, default_parameters(k_edges)} : Choice{&k_body, of_body};
  }
};

template <class Parts>
constexpr Algorithm row(Collective collective, std::string_view summary,
                        std::span<const Parameter> parameters) {
  return {.name = "ordered",
          .summary = summary,
          .source = "after Li, Sun, Huo, Ma: T-NBC, section 4.1.2",
          .collective = collective,
          .parameters = parameters,
          .applies = Parts::applies,
          .build = Parts::build,
          .cost = Parts::cost,
          .is_for_early_return = true};
}

constexpr Parameter k_reduce_parameters[] = {segment_parameter(16 << 10)};
constexpr Parameter k_allreduce_parameters[] = {
    segment_parameter(16 << 10, "bytes of a block that travel together")};

}  // namespace

extern const Algorithm reduce_ordered = row<EdgesThenBody<reduce_knomial, reduce_chain>>(
    Collective::reduce, "the edges of the vector, then a chain: for calls that return early",
    k_reduce_parameters);
extern const Algorithm allreduce_ordered = row<EdgesThenBody<allreduce_recursive_doubling, allreduce_ring>>(
    Collective::allreduce, "the edges of the vector, then a ring: for calls that return early",
    k_allreduce_parameters);

}  // namespace tutti::algorithm
