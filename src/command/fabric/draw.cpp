// tutti fabric draw FABRIC GROUPS --group ff18::1 --out tree.dot

#include <memory>

#include "command/command.hpp"
#include "command/fabric/options.hpp"
#include "command/fabric/routing.hpp"
#include "command/output.hpp"
#include "command/validators.hpp"
#include "fabric/graphviz.hpp"

namespace tutti::command {

namespace {

struct DrawOptions {
  RouteOptions how;
  std::string fabric, groups, group, out;
  bool with_hosts = false;
};

/// The cables that the entries of a colour use, starting at the switch of `member`.
std::vector<fabric::LinkId> tree_of(const fabric::Fabric& fabric, const fabric::MulticastTables& tables,
                                    fabric::HostId member, fabric::Colour colour) {
  std::vector<fabric::LinkId> links;
  std::vector<uint8_t> is_seen(fabric.switch_count(), 0);
  std::vector<fabric::SwitchId> queue{fabric.host(member).at};
  is_seen[queue.front()] = 1;
  for (size_t head = 0; head < queue.size(); ++head)
    for (const fabric::TablePort& port : tables.entry(queue[head], colour)) {
      const fabric::Peer peer = fabric.peer(queue[head], port.port);
      if (peer.kind != fabric::Peer::Kind::link) continue;
      const fabric::Link& link = fabric.link(peer.index);
      const fabric::SwitchId next = link.a == queue[head] ? link.b : link.a;
      if (is_seen[next] != 0) continue;
      is_seen[next] = 1;
      links.push_back(peer.index);
      queue.push_back(next);
    }
  return links;
}

base::Result<std::string> draw_group(const DrawOptions& options, const fabric::Fabric& fabric) {
  const auto groups = load_groups(options.groups, fabric);
  if (!groups) return groups.status();
  const auto mgid = fabric::parse_mgid(options.group);
  if (!mgid) return mgid.status();
  fabric::GroupId id = 0;
  while (id < groups->size() && groups->mgid(id) != *mgid) ++id;
  if (id == groups->size()) return base::Status::not_found("there is no group " + options.group);
  const auto routing = route_groups(fabric, *groups, options.how);
  if (!routing) return routing.status();
  const auto links = tree_of(fabric, routing->tables, groups->members(id).front(), routing->colours[id]);
  return fabric::format_graphviz(
      fabric, {.with_hosts = options.with_hosts, .highlighted = links, .members = groups->members(id)});
}

int run(const DrawOptions& options) {
  const StopRequest stop;
  const auto fabric = load_fabric(options.fabric);
  if (!fabric) return fail(fabric.status().message());
  if (options.groups.empty() != options.group.empty()) return fail("GROUPS and --group go together");
  const auto text = options.group.empty()
                        ? fabric::format_graphviz(
                              *fabric, {.with_hosts = options.with_hosts, .highlighted = {}, .members = {}})
                        : draw_group(options, *fabric);
  if (StopRequest::is_asked()) return fail("interrupted; nothing is written", k_interrupted);
  if (!text) return fail(text.status().message());
  const auto status = write_output(options.out, *text);
  return status ? k_done : fail(status.message(), k_failed);
}

}  // namespace

std::function<int()> add_fabric_draw(CLI::App& app) {
  auto options = std::make_shared<DrawOptions>();
  app.add_option("FABRIC", options->fabric, "file or description")->required();
  app.add_option("GROUPS", options->groups, "file or description");
  app.add_option("--group", options->group, "MGID of the group whose tree is shown");
  app.add_option("--algorithm", options->how.algorithm, "guided, paper, minihop-mc, sssp-mc or sssp-opensm")
      ->check(one_of(k_fabric_algorithms))
      ->capture_default_str();
  options->how.add_to(app);
  app.add_flag("--hosts", options->with_hosts, "draw hosts too");
  app.add_option("--out", options->out, "file (default: standard output)")->check(writable_file());
  return [options] { return run(*options); };
}

}  // namespace tutti::command
