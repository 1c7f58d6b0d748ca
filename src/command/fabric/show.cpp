// tutti fabric show FABRIC [GROUPS]

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "command/command.hpp"
#include "command/fabric/options.hpp"
#include "fabric/hop_table.hpp"

namespace tutti::command {

namespace {

struct ShowOptions {
  std::string fabric, groups;
};

/// The largest number of hops between two connected switches, and whether all switches are connected.
std::pair<unsigned, bool> diameter(const fabric::HopTable& hops) {
  unsigned most = 0;
  bool is_connected = true;
  for (fabric::SwitchId id = 0; id < hops.switch_count(); ++id)
    for (fabric::SwitchId to = 0; to < hops.switch_count(); ++to) {
      const unsigned distance = hops.hops(to, id);
      if (distance == fabric::k_unreachable)
        is_connected = false;
      else
        most = std::max(most, distance);
    }
  return {most, is_connected};
}

void show_groups(const fabric::Fabric& fabric, const fabric::GroupSet& groups) {
  size_t least = SIZE_MAX, most = 0, sum = 0;
  std::vector<uint32_t> at(fabric.switch_count(), 0);
  for (fabric::GroupId id = 0; id < groups.size(); ++id) {
    const auto members = groups.members(id);
    least = std::min(least, members.size());
    most = std::max(most, members.size());
    sum += members.size();
    fabric::SwitchId last = fabric::k_none;
    for (const fabric::HostId member : members) {
      const fabric::SwitchId here = fabric.host(member).at;
      if (here != fabric::k_none && here != last) ++at[here];
      last = here;
    }
  }
  fmt::print("groups       {}, of {} to {} members, {:.1f} on average\n", groups.size(), least, most,
             static_cast<double>(sum) / groups.size());
  fmt::print("at a switch  up to {} groups with members: no routing without merging takes fewer colours\n",
             *std::max_element(at.begin(), at.end()));
}

int run(const ShowOptions& options) {
  const auto fabric = load_fabric(options.fabric);
  if (!fabric) return fail(fabric.status().message());
  std::optional<fabric::GroupSet> groups;
  if (!options.groups.empty()) {
    auto loaded = load_groups(options.groups, *fabric);
    if (!loaded) return fail(loaded.status().message());
    groups = std::move(*loaded);
  }
  const auto hops = fabric::HopTable::compute(*fabric, 2);
  if (!hops) return fail(hops.status().message());
  const std::vector<fabric::HostId> hosts = fabric->computing_hosts();
  const auto cabled = static_cast<size_t>(
      std::ranges::count_if(hosts, [&](fabric::HostId id) { return fabric->host(id).at != fabric::k_none; }));
  const auto [most, is_connected] = diameter(*hops);
  fmt::print("switches     {}\nhosts        {}{}\nlinks        {} between switches\n", fabric->switch_count(),
             hosts.size(),
             cabled == hosts.size() ? "" : fmt::format(", {} of them cabled to a switch", cabled),
             fabric->link_count());
  if (hosts.size() < fabric->host_count())
    fmt::print("aggregation  {} nodes (SHARP) in switches, which are no hosts\n",
               fabric->host_count() - hosts.size());
  fmt::print("diameter     {} hops between switches{}\n", most,
             is_connected ? "" : ", in parts that are not connected");
  if (groups) show_groups(*fabric, *groups);
  return k_done;
}

}  // namespace

std::function<int()> add_fabric_show(CLI::App& app) {
  auto options = std::make_shared<ShowOptions>();
  app.add_option("FABRIC", options->fabric, "file or description")->required();
  app.add_option("GROUPS", options->groups, "file or description");
  return [options] { return run(*options); };
}

}  // namespace tutti::command
