// tutti fabric: fabrics, multicast groups and their routing (paper 004).

#include <memory>
#include <utility>
#include <vector>

#include "command/command.hpp"
#include "command/fabric/options.hpp"

namespace tutti::command {

Action add_fabric(CLI::App& app) {
  app.require_subcommand(1);
  app.footer(
      "FABRIC is a file (ibnetdiscover's output, or a net file of ibsim), or a description:\n"
      "  fat-tree:ports=40,levels=3   torus:size=30x20x20,hosts=2   dragonfly:a=18,p=9,h=9\n"
      "  random:switches=2048,ports=40,hosts=20,seed=1   bluelight:leaf=16   taihulight:leaf=16\n"
      "GROUPS is a file (each line an MGID and the port GUIDs of its members), or a description:\n"
      "  grid:128x32x40,ppn=4   random:groups=1000,size=40,seed=1");
  auto actions = std::make_shared<std::vector<std::pair<CLI::App*, std::function<int()>>>>();
  const auto add = [&](const char* name, const char* summary, auto make) {
    CLI::App* part = app.add_subcommand(name, summary);
    actions->emplace_back(part, make(*part));
  };
  add("generate", "writes a fabric as a net file for ibsim, and groups", add_fabric_generate);
  add("show", "how large a fabric and its groups are", add_fabric_show);
  add("route", "routes groups, and writes tables, MLIDs and metrics", add_fabric_route);
  add("verify", "checks tables, written here or dumped by OpenSM", add_fabric_verify);
  add("compare", "routes groups by every algorithm, and compares", add_fabric_compare);
  add("draw", "a fabric, and the tree of a group, for Graphviz", add_fabric_draw);
  return [actions] {
    for (const auto& [part, action] : *actions)
      if (part->parsed()) return action();
    return fail("no subcommand");
  };
}

}  // namespace tutti::command
