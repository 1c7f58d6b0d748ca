#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <span>

#include "base/random.hpp"
#include "base/text.hpp"
#include "fabric/groups.hpp"
#include "fabric/parameters.hpp"

namespace tutti::fabric {

using base::Result;
using base::Status;

namespace {

constexpr uint32_t k_most_groups = 1u << 22;

/// All lines of the grid along dimension `along`: groups of hosts.
void add_lines(GroupSet& groups, std::span<const uint32_t> extents, size_t along, uint64_t processes,
               std::span<const HostId> hosts, uint32_t ppn) {
  const auto before = extents.first(along);
  const uint64_t stride = std::accumulate(before.begin(), before.end(), uint64_t{1}, std::multiplies<>());
  const uint64_t extent = extents[along];
  for (uint64_t start = 0; start < processes; ++start) {
    if (start / stride % extent != 0) continue;  // not the first of its line
    std::vector<HostId> members;
    members.reserve(extent);
    for (uint64_t i = 0; i < extent; ++i) members.push_back(hosts[(start + i * stride) / ppn]);
    groups.add(numbered_mgid(groups.size()), std::move(members));
  }
}

Result<GroupSet> grid(std::span<const uint32_t> extents, uint32_t ppn, const Fabric& fabric) {
  const std::vector<HostId> hosts = fabric.computing_hosts();
  const uint64_t places = hosts.size() * ppn;
  uint64_t processes = 1;
  for (const uint32_t extent : extents)
    if ((processes *= extent) > places)
      return Status::invalid_argument(
          fmt::format("grid {}: {} hosts with {} processes each are too few for it", fmt::join(extents, "x"),
                      hosts.size(), ppn));
  GroupSet groups;
  for (size_t along = 0; along < extents.size(); ++along)
    add_lines(groups, extents, along, processes, hosts, ppn);
  return groups;
}

Result<GroupSet> random_groups(uint32_t count, uint32_t size, uint64_t seed, const Fabric& fabric) {
  std::vector<HostId> hosts = fabric.computing_hosts();
  const auto count_of_hosts = static_cast<uint32_t>(hosts.size());
  if (size > count_of_hosts)
    return Status::invalid_argument(
        fmt::format("random: groups of {} hosts, but the fabric has {}", size, count_of_hosts));
  base::Random random(seed);
  GroupSet groups;
  for (uint32_t group = 0; group < count; ++group) {
    for (uint32_t i = 0; i < size; ++i) std::swap(hosts[i], hosts[i + random.below(count_of_hosts - i)]);
    groups.add(numbered_mgid(group), {hosts.begin(), hosts.begin() + size});
  }
  return groups;
}

}  // namespace

Result<GroupSet> make_groups(std::string_view description, const Fabric& fabric) {
  const size_t colon = std::min(description.find(':'), description.size());
  const std::string_view name = description.substr(0, colon);
  const std::string_view rest =
      colon < description.size() ? description.substr(colon + 1) : std::string_view{};
  if (name == "grid") {
    const std::string written = fmt::format("size={}", rest);
    Parameters parameters("grid", "size=2x2,ppn=1");
    parameters.read(written);
    const auto extents = parameters.sizes("size", 1, k_most_groups);
    const uint32_t ppn = parameters.number("ppn", 1, 1024);
    if (!parameters.status()) return parameters.status();
    return grid(extents, ppn, fabric);
  }
  if (name == "random") {
    Parameters parameters("random", "groups=1000,size=40,seed=1");
    if (!rest.empty()) parameters.read(rest);
    const uint32_t count = parameters.number("groups", 1, k_most_groups),
                   size = parameters.number("size", 1, 1u << 20),
                   seed = parameters.number("seed", 0, UINT32_MAX);
    if (!parameters.status()) return parameters.status();
    return random_groups(count, size, seed, fabric);
  }
  static constexpr std::array<std::string_view, 2> k_known{"grid", "random"};
  return Status::invalid_argument(fmt::format("unknown pattern {}{}; known are grid and random",
                                              base::in_quotes(name), base::did_you_mean(name, k_known)));
}

}  // namespace tutti::fabric
