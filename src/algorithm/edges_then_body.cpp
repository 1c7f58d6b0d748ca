#include "algorithm/edges_then_body.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "algorithm/edges.hpp"

namespace tutti::algorithm {

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

std::vector<Peer> all_ranks(Rank count) {
  std::vector<Peer> ranks;
  for (Rank rank = 0; rank < count; ++rank) ranks.push_back(Peer::rank(rank));
  return ranks;
}

}  // namespace

base::Result<Schedule> build_edges_then_body(EdgesAndBody rows, const Request& request, Rank me,
                                             const Topology& topology, const ParameterSet& of_body) {
  ScheduleBuilder builder;
  const std::vector<Peer> peers = all_ranks(request.rank_count);
  for (const Part& part : parts_of(request)) {
    const Algorithm& row = part.is_edge ? rows.edges : rows.body;
    const ParameterSet& parameters = part.is_edge ? default_parameters(rows.edges) : of_body;
    const auto nested = row.build(request.with_bytes(part.bytes), me, topology, parameters);
    if (!nested) return nested.status();
    builder.nest(*nested, {.input = {Slot::input, part.offset, part.bytes},
                           .output = {Slot::output, part.offset, part.bytes},
                           .peers = peers});
  }
  return std::move(builder).finish();
}

Cost edges_then_body_cost(EdgesAndBody rows, const Request& request, const Topology& topology,
                          const ParameterSet& of_body) {
  Cost all{.is_upper_bound = true};
  for (const Part& part : parts_of(request)) {
    const Algorithm& row = part.is_edge ? rows.edges : rows.body;
    const Cost one = row.cost(request.with_bytes(part.bytes), topology,
                              part.is_edge ? default_parameters(rows.edges) : of_body);
    all.rounds = std::max(all.rounds, one.rounds);
    all.busiest_bytes += one.busiest_bytes;
  }
  return all;
}

}  // namespace tutti::algorithm
