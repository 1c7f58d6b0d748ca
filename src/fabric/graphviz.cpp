#include "fabric/graphviz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace tutti::fabric {

namespace {

std::string escaped(std::string_view name) {
  std::string text;
  for (const char letter : name) {
    if (letter == '"' || letter == '\\') text += '\\';
    text += static_cast<unsigned char>(letter) < ' ' ? '_' : letter;
  }
  return text;
}

struct Bundle {
  uint32_t cables = 0;
  bool is_highlighted = false;
};
using Bundles = std::map<std::pair<SwitchId, SwitchId>, Bundle>;

Bundles bundles_of(const Fabric& fabric, std::span<const LinkId> highlighted) {
  Bundles bundles;
  for (SwitchId id = 0; id < fabric.switch_count(); ++id)
    for (const Arc& arc : fabric.arcs(id))
      if (id < arc.to) ++bundles[{id, arc.to}].cables;
  for (const LinkId id : highlighted) {
    const Link& link = fabric.link(id);
    bundles[std::minmax(link.a, link.b)].is_highlighted = true;
  }
  return bundles;
}

}  // namespace

std::string format_graphviz(const Fabric& fabric, const GraphvizOptions& options) {
  std::string text = "graph fabric {\n  node [shape=box];\n";
  const auto out = std::back_inserter(text);
  std::vector<uint32_t> hosts(fabric.switch_count()), members(fabric.switch_count());
  for (HostId id = 0; id < fabric.host_count(); ++id)
    if (fabric.host(id).at != k_none) ++hosts[fabric.host(id).at];
  for (const HostId id : options.members)
    if (fabric.host(id).at != k_none) ++members[fabric.host(id).at];
  for (SwitchId id = 0; id < fabric.switch_count(); ++id) {
    const std::string count =
        options.with_hosts || hosts[id] == 0 ? std::string{} : fmt::format("\\n{} hosts", hosts[id]);
    fmt::format_to(out, "  s{} [label=\"{}{}\"{}];\n", id, escaped(fabric.switch_node(id).name), count,
                   members[id] > 0 ? ", style=filled, fillcolor=lightblue" : "");
  }
  for (const auto& [ends, bundle] : bundles_of(fabric, options.highlighted))
    fmt::format_to(out, "  s{} -- s{} [{}{}];\n", ends.first, ends.second,
                   bundle.cables > 1 ? fmt::format("label=\"{}\"", bundle.cables) : "",
                   bundle.is_highlighted ? " color=red, penwidth=3" : "");
  for (HostId id = 0; options.with_hosts && id < fabric.host_count(); ++id) {
    const HostNode& host = fabric.host(id);
    const bool is_member = std::ranges::find(options.members, id) != options.members.end();
    fmt::format_to(out, "  h{} [shape=ellipse, label=\"{}\"{}];\n", id, escaped(host.name),
                   is_member ? ", style=filled, fillcolor=lightblue" : "");
    if (host.at != k_none) fmt::format_to(out, "  s{} -- h{};\n", host.at, id);
  }
  return text + "}\n";
}

}  // namespace tutti::fabric
