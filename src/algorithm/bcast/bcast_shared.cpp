// Broadcast through the node's shared memory: the root writes each chunk once, and all other ranks copy it as soon as
// it is published (the chunk pipeline of DESIGN §5; paper 000 §3, PDMPIC_intra_bcastseg).
//
//   root    c0 ─► slot 0    c1 ─► slot 1    (c0 read by all) c2 ─► slot 0 …
//   others       slot 0 ─► c0    slot 1 ─► c1 …
//
// Messages carry no data: one publishes a chunk, one confirms that it was read. Rounds 2·⌈chunks / slots⌉: the chunks
// of a slot follow each other, with these two messages each. Bytes sent: none. All ranks share one node.

#include <algorithm>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "algorithm/segments.hpp"

namespace tutti::algorithm {
namespace {

constexpr Parameter k_parameters[] = {
    {.name = "chunk",
     .summary = "bytes published at once",
     .unit = Parameter::Unit::bytes,
     .default_value = 32 << 10,
     .min = 64,
     .max = 1 << 20},
    {.name = "depth",
     .summary = "chunks in the shared memory at a time",
     .default_value = 2,
     .min = 1,
     .max = 64},
};

bool applies(const RankInvariantRequest& request, const Topology& topology, const ParameterSet& parameters,
             std::string* why_not) {
  if (topology.node_count() != 1)
    *why_not = "the ranks do not share one node";
  else
    return segments_fit(request.bytes, parameters[0], why_not);
  return false;
}

/// The root's part: publishes the chunks in order; a slot is reused after all ranks have read it.
void build_root(ScheduleBuilder& builder, const Request& request, const std::vector<BufRef>& slots,
                uint64_t chunk) {
  std::vector<TaskId> slot_free(slots.size(), k_no_task);
  for (uint64_t at = 0, index = 0; at < request.bytes; at += chunk, ++index) {
    const uint64_t length = std::min(chunk, request.bytes - at);
    const size_t slot = index % slots.size();
    const TaskId published =
        builder.copy({Slot::output, at, length}, slots[slot].part(0, length), slot_free[slot]);
    std::vector<TaskId> read;
    for (Rank r = 0; r < request.rank_count; ++r) {
      if (r == request.root) continue;
      builder.notify(Peer::local(r), published);
      read.push_back(builder.await(Peer::local(r), published));
    }
    slot_free[slot] = builder.join(read);
  }
}

void build_reader(ScheduleBuilder& builder, const Request& request, const std::vector<BufRef>& slots,
                  uint64_t chunk) {
  const Peer root = Peer::local(request.root);
  for (uint64_t at = 0, index = 0; at < request.bytes; at += chunk, ++index) {
    const uint64_t length = std::min(chunk, request.bytes - at);
    const TaskId published = builder.await(root);
    const TaskId copied =
        builder.copy(slots[index % slots.size()].part(0, length), {Slot::output, at, length}, published);
    builder.notify(root, copied);
  }
}

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet& parameters) {
  const uint64_t chunk = std::min(parameters[0], std::max<uint64_t>(request.bytes, 1));
  ScheduleBuilder builder;
  if (request.rank_count == 1 || request.bytes == 0) return std::move(builder).finish();
  std::vector<BufRef> slots;
  for (uint64_t i = 0; i < std::min(parameters[1], segment_count(request.bytes, chunk)); ++i)
    slots.push_back(builder.node(chunk));
  if (me == request.root)
    build_root(builder, request, slots, chunk);
  else
    build_reader(builder, request, slots, chunk);
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
  if (request.bytes == 0 || request.rank_count == 1) return {};
  const uint64_t chunk = std::min(parameters[0], request.bytes);
  const uint64_t chunks = segment_count(request.bytes, chunk);
  const uint64_t depth = std::min(parameters[1], chunks);
  // The chunks of one slot follow each other, with two messages each.
  return {.rounds = 2 * segment_count(chunks, depth), .busiest_bytes = 0};
}

}  // namespace

extern const Algorithm bcast_shared = {
    .name = "shared",
    .summary = "chunks pass through the node's shared memory",
    .source = "Liu et al., Journal of Software 22(10), 2011, section 3",
    .collective = Collective::bcast,
    .parameters = k_parameters,
    .applies = applies,
    .build = build,
    .cost = cost,
};

}  // namespace tutti::algorithm
