// The software engine of barrier descriptors (paper 003 §2.2; docs/offload-descriptor.md): the CPU engine executes the
// descriptor that a NIC would execute. The rank encodes the descriptor, decodes it from its words, and turns its rounds
// into tasks: the signals of round r wait for all arrivals of earlier rounds.
//
//   radix 3, 9 ranks, rank 0       round 0   signals 1 8    waits for 8 1
//                                  round 1   signals 3 6    waits for 6 3
//
// Rounds ⌈log_radix p⌉, no bytes. The last round sends only the signals that are still needed. Barrier id and epoch
// stay 0: the tags of the engine distinguish communicators and operations.

#include <array>
#include <utility>

#include "algorithm/parameters.hpp"
#include "offload/descriptor_words.hpp"
#include "offload/lower.hpp"
#include "offload/radix.hpp"
#include "offload/rounds.hpp"
#include "pattern/shape.hpp"

namespace tutti::algorithm {
namespace {

using pattern::DisseminationShape;

constexpr auto k_radices =
    std::to_array<std::string_view>({"auto", "2", "3", "4", "5", "6", "8", "9", "12", "16"});
constexpr auto k_radix_values = std::to_array<uint32_t>({0, 2, 3, 4, 5, 6, 8, 9, 12, 16});
static_assert(k_radices.size() == k_radix_values.size());

// A choice instead of a number, so that selection tries each radix on each communicator.
constexpr Parameter k_parameters[] = {
    choice_parameter("radix",
                     "ranks heard of grow by this factor per round; auto: the best for a cluster's network",
                     k_radices),
};

/// Approximate cost of an MPI message without data on cluster networks: 1.3 µs one way, of which each side spends 0.3.
/// Used only by `auto`, with which selection begins.
constexpr offload::NetworkCosts k_costs{
    .latency_ps = 700'000, .send_overhead_ps = 300'000, .receive_overhead_ps = 300'000};

uint32_t radix_of(Rank ranks, const ParameterSet& parameters) {
  if (const uint32_t radix = k_radix_values[parameters[0]]; radix != 0) return radix;
  return offload::best_of(
             offload::dissemination_times(static_cast<uint32_t>(ranks), DisseminationShape::forward, k_costs))
      .radix;
}

uint64_t rounds_of(Rank ranks, const ParameterSet& parameters) {
  return pattern::ceil_log(static_cast<uint64_t>(ranks), radix_of(ranks, parameters));
}

bool applies(const RankInvariantRequest& request, const Topology&, const ParameterSet& parameters,
             std::string* why_not) {
  const uint64_t rounds = rounds_of(request.rank_count, parameters);
  if (rounds <= offload::k_most_rounds) return true;
  *why_not =
      "a descriptor has " + std::to_string(offload::k_most_rounds) + " rounds, not " + std::to_string(rounds);
  return false;
}

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet& parameters) {
  offload::Descriptor descriptor{.nodes = static_cast<uint32_t>(request.rank_count),
                                 .rank = static_cast<offload::NodeId>(me)};
  const uint32_t radix = radix_of(request.rank_count, parameters);
  auto rounds =
      offload::dissemination(descriptor.nodes, descriptor.rank, radix,
                             radix % 2 == 1 ? DisseminationShape::symmetric : DisseminationShape::forward);
  if (!rounds) return rounds.status();
  descriptor.rounds = std::move(*rounds);
  const auto words = offload::encode(descriptor);
  if (!words) return words.status();
  const auto decoded = offload::decode(*words);
  return decoded ? offload::lower(*decoded) : decoded.status();
}

Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
  return {rounds_of(request.rank_count, parameters), 0};
}

}  // namespace

extern const Algorithm barrier_descriptor = {
    .name = "descriptor",
    .summary = "a NIC's barrier descriptor, carried out in software; two-way for radix 3",
    .source = "paper 003 §1.2, §2.2",
    .collective = Collective::barrier,
    .parameters = k_parameters,
    .applies = applies,
    .build = build,
    .cost = cost,
};

}  // namespace tutti::algorithm
