#include "actors/calls/choices.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithm/catalogue.hpp"
#include "base/settings.hpp"

namespace tutti::actors {

namespace {

using algorithm::Choice;
using algorithm::Collective;

/// From this size on, algorithms that send fewer bytes replace algorithms that send fewer messages.
constexpr uint64_t k_long_bytes = uint64_t{32} << 10;

struct Preference {
  Collective collective;
  const char* for_short;
  const char* for_long;  // long by the bytes that all ranks know
};

using Table = std::span<const Preference>;

/// Between threads a message costs about a microsecond, and a byte costs as much as a copy of it. A
/// collective whose sizes only one rank knows has one algorithm for all sizes.
constexpr Preference k_preferences[] = {
    {Collective::barrier, "dissemination", "dissemination"},
    {Collective::bcast, "knomial:segment=1G", "knomial:segment=1G"},
    {Collective::reduce, "knomial", "knomial"},
    {Collective::allreduce, "recursive_doubling", "rabenseifner"},
    {Collective::reduce_scatter, "recursive_halving", "pairwise"},
    {Collective::reduce_scatter_block, "recursive_halving", "pairwise"},
    {Collective::allgather, "bruck", "ring"},
    {Collective::allgatherv, "ring", "ring"},
    {Collective::alltoall, "linear", "pairwise"},
    {Collective::alltoallv, "linear", "linear"},
    {Collective::alltoallw, "linear", "linear"},
    {Collective::gather, "binomial", "linear"},
    {Collective::gatherv, "linear", "linear"},
    {Collective::scatter, "binomial", "linear"},
    {Collective::scatterv, "linear", "linear"},
    {Collective::scan, "linear", "linear"},
    {Collective::exscan, "linear", "linear"},
};

/// In one container a rank waits only for the data of its direct peer: with messages that are forwarded or
/// exchanged in rounds, a rank that is late or has no core would delay others (paper 000 §3.2).
constexpr Preference k_in_one_container[] = {
    {Collective::alltoall, "linear", "linear"},
    {Collective::bcast, "linear", "linear"},
    {Collective::scatter, "linear", "linear"},
};

/// Broadcasts across containers: short ones to few containers as within one, long ones by the paper's
/// algorithm (figure 7).
constexpr int32_t k_few = 8;
constexpr std::string_view k_short_to_few = "hierarchical:inter=linear:segment=1G";
constexpr std::string_view k_short_to_many = "hierarchical:inter=knomial:segment=1G";
constexpr std::string_view k_long_to_power_of_two = "hierarchical:inter=rdaas:segment=16K";
constexpr std::string_view k_long_to_any = "hierarchical:inter=ringaas:segment=16K";

uint64_t known_bytes(const algorithm::Request& request) {
  switch (request.collective) {
    case Collective::allgather:
    case Collective::gather:
    case Collective::scatter:
    case Collective::alltoall:
      return request.blocks.uniform_bytes;
    case Collective::bcast:
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      return request.bytes;
    default:
      return 0;
  }
}

bool applies(const Choice& choice, const algorithm::Request& request, const topology::Topology& topology) {
  std::string why_not;
  return choice.algorithm->forwarding == nullptr && !choice.algorithm->is_for_early_return &&
         choice.algorithm->applies(request, topology, choice.parameters, &why_not);
}

/// The user's setting for a collective, read once.
const std::optional<Choice>& named(Collective collective) {
  static const auto all = [] {
    std::array<std::optional<Choice>, algorithm::k_collective_count> found;
    std::vector<std::string> problems;  // `tutti run` has reported them
    const base::Settings settings = base::Settings::of_process(&problems);
    for (int i = 0; i < algorithm::k_collective_count; ++i) {
      const auto one = static_cast<Collective>(i);
      std::string name = "TUTTI_";
      for (const char letter : to_string(one)) name += static_cast<char>(std::toupper(letter));
      if (auto choice = algorithm::parse_choice(one, settings.text(name)))
        found[static_cast<size_t>(i)] = *choice;  // "auto" and "native" do not name algorithms
    }
    return found;
  }();
  return all[static_cast<size_t>(collective)];
}

/// The choice for a name in the tables; nullptr: not all collectives have two-level algorithms. Parsed once.
const Choice* parsed(Collective collective, std::string_view name) {
  using Key = std::pair<Collective, std::string_view>;
  static const auto all = [] {
    std::map<Key, Choice> found;
    const auto add = [&found](Collective one, std::string_view text) {
      if (const auto choice = algorithm::parse_choice(one, text)) found.emplace(Key{one, text}, *choice);
    };
    for (const Table table : {Table(k_preferences), Table(k_in_one_container)})
      for (const Preference& row : table) {
        add(row.collective, row.for_short);
        add(row.collective, row.for_long);
      }
    for (const std::string_view text :
         {k_short_to_few, k_short_to_many, k_long_to_power_of_two, k_long_to_any})
      add(Collective::bcast, text);
    for (const Preference& row : k_preferences) add(row.collective, k_two_levels);
    return found;
  }();
  const auto found = all.find({collective, name});
  return found == all.end() ? nullptr : &found->second;
}

/// Empty: not in the table.
std::string_view preferred(Table table, const algorithm::Request& request) {
  const auto row = std::ranges::find(table, request.collective, &Preference::collective);
  if (row == table.end()) return {};
  return known_bytes(request) >= k_long_bytes ? row->for_long : row->for_short;
}

std::string_view on_two_levels(const algorithm::Request& request, int32_t containers) {
  if (request.collective != Collective::bcast) return k_two_levels;
  if (request.bytes < k_long_bytes) return containers <= k_few ? k_short_to_few : k_short_to_many;
  return std::has_single_bit(static_cast<uint32_t>(containers)) ? k_long_to_power_of_two : k_long_to_any;
}

/// In order of preference.
std::array<std::string_view, 3> preferences(const algorithm::Request& request,
                                            const topology::Topology& topology) {
  const bool has_levels = topology.node_count() > 1 && topology.largest_node_size() > 1;
  return {has_levels ? on_two_levels(request, topology.node_count()) : std::string_view(),
          topology.node_count() == 1 ? preferred(k_in_one_container, request) : std::string_view(),
          preferred(k_preferences, request)};
}

}  // namespace

base::Result<Choice> choose(const algorithm::Request& request, const topology::Topology& topology) {
  if (const auto& wanted = named(request.collective); wanted && applies(*wanted, request, topology))
    return *wanted;
  for (const std::string_view name : preferences(request, topology)) {
    if (name.empty()) continue;
    const Choice* const choice = parsed(request.collective, name);
    if (choice != nullptr && applies(*choice, request, topology)) return *choice;
  }
  for (const algorithm::Algorithm* const row : algorithm::catalogue()) {
    const Choice any{row, default_parameters(*row)};
    if (row->collective == request.collective && row->name != k_two_levels && !row->is_for_late_rank &&
        applies(any, request, topology))
      return any;
  }
  return base::Status::not_supported("no algorithm serves this call");
}

select::LeaderPolicy leader_policy() {
  static const select::LeaderPolicy policy = [] {
    std::vector<std::string> problems;
    const base::Settings settings = base::Settings::of_process(&problems);
    return settings.text("TUTTI_ACTORS_LEADER") == "fixed" ? select::LeaderPolicy::fixed
                                                           : select::LeaderPolicy::first;
  }();
  return policy;
}

}  // namespace tutti::actors
