#include "interconnect/network_topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"

namespace tutti::interconnect {

using base::Result;
using base::Status;

namespace {

constexpr uint32_t k_most_nodes = 1u << 20;
constexpr uint32_t k_default_ports = 36;

/// The numbers of "8x4x4"; empty if `text` is malformed.
std::vector<uint32_t> sizes(std::string_view text) {
  std::vector<uint32_t> result;
  while (true) {
    const size_t cross = std::min(text.find('x'), text.size());
    const auto size = base::parse_count(text.substr(0, cross));
    if (!size || *size > UINT32_MAX) return {};
    result.push_back(static_cast<uint32_t>(*size));
    if (cross == text.size()) return result;
    text.remove_prefix(cross + 1);
  }
}

Result<std::unique_ptr<NetworkTopology>> make_named(std::string_view what, uint32_t nodes) {
  const size_t colon = std::min(what.find(':'), what.size());
  const std::string_view kind = what.substr(0, colon);
  const std::string_view rest = colon == what.size() ? std::string_view{} : what.substr(colon + 1);
  const bool is_plain = colon == what.size();
  const std::vector<uint32_t> numbers = sizes(rest);
  if (kind == "torus" && is_plain) return make_torus(torus_for(nodes));
  if (kind == "torus" && numbers.size() == 3) return make_torus({numbers[0], numbers[1], numbers[2]});
  if (kind == "fat-tree" && is_plain) return make_fat_tree(nodes, k_default_ports);
  if (kind == "fat-tree" && numbers.size() == 1) return make_fat_tree(nodes, numbers[0]);
  if (kind == "dragonfly" && is_plain) return make_dragonfly(nodes, dragonfly_for(nodes));
  if (kind == "dragonfly" && numbers.size() == 3)
    return make_dragonfly(nodes, {.routers = numbers[0], .cables = numbers[1], .nodes = numbers[2]});
  return Status::invalid_argument(
      "a topology is torus, torus:8x4x4, fat-tree, fat-tree:36 (ports per switch), dragonfly or "
      "dragonfly:8x4x4 "
      "(routers in a group, cables and nodes at each)");
}

}  // namespace

uint32_t routers_between(const NetworkTopology& topology, uint32_t source, uint32_t destination) {
  uint32_t passed = 1;
  follow_route(topology, source, destination, [&](uint32_t, uint32_t) { ++passed; });
  return passed;
}

Result<std::unique_ptr<NetworkTopology>> make_topology(std::string_view what, uint32_t nodes) {
  const auto refuse = [what](const std::string& why) {
    return Status::invalid_argument(fmt::format("topology {}: {}", base::in_quotes(what), why));
  };
  if (nodes < 1 || nodes > k_most_nodes)
    return refuse(fmt::format("1 to {} nodes, not {}", k_most_nodes, nodes));
  auto made = make_named(what, nodes);
  if (!made) return refuse(made.status().message());
  if (made.value()->nodes() < nodes)
    return refuse(fmt::format("room for {} nodes, not for {}", made.value()->nodes(), nodes));
  return made;
}

}  // namespace tutti::interconnect
