#include "fabric/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.hpp"
#include "fabric/generate_internal.hpp"
#include "fabric/parameters.hpp"

namespace tutti::fabric {

using base::Result;
using base::Status;

namespace {

constexpr std::array k_topologies{
    GeneratedTopology{"fat-tree", "ports=40,levels=3", "fat tree of equal switches, 2 or 3 levels"},
    GeneratedTopology{"torus", "size=30x20x20,hosts=2", "torus of any number of dimensions"},
    GeneratedTopology{"dragonfly", "a=18,p=9,h=9", "dragonfly with all groups cabled to each other once"},
    GeneratedTopology{"random", "switches=2048,ports=40,hosts=20,seed=1", "random regular graph, connected"},
    GeneratedTopology{"bluelight", "leaf=16", "Sunway BlueLight; leaf: hosts per leaf switch, 16 or 32"},
    GeneratedTopology{"taihulight", "leaf=16", "Sunway TaihuLight; leaf: hosts per leaf switch, 16 or 32"},
};

Result<Fabric> generate_from(std::string_view name, Parameters& parameters) {
  const auto checked = [&](auto build) -> Result<Fabric> {
    if (!parameters.status()) return parameters.status();
    return build();
  };
  if (name == "fat-tree") {
    const uint32_t ports = parameters.number("ports", 2, 128), levels = parameters.number("levels", 2, 3);
    return checked([&] { return generate_fat_tree(ports, levels); });
  }
  if (name == "torus") {
    const Sizes sizes = parameters.sizes("size", 1, k_most_switches);
    const uint32_t hosts = parameters.number("hosts", 0, 200);
    return checked([&] { return generate_torus(sizes, hosts); });
  }
  if (name == "dragonfly") {
    const uint32_t a = parameters.number("a", 1, 128), p = parameters.number("p", 0, 128),
                   h = parameters.number("h", 1, 128);
    return checked([&] { return generate_dragonfly(a, p, h); });
  }
  if (name == "random") {
    const uint32_t switches = parameters.number("switches", 2, 1u << 14),
                   ports = parameters.number("ports", 2, k_most_ports),
                   hosts = parameters.number("hosts", 0, k_most_ports),
                   seed = parameters.number("seed", 0, UINT32_MAX);
    return checked([&] { return generate_random(switches, ports, hosts, seed); });
  }
  const uint32_t leaf = parameters.number("leaf", 16, 32);
  return checked([&] { return generate_sunway(name == "bluelight" ? k_bluelight : k_taihulight, leaf); });
}

}  // namespace

std::span<const GeneratedTopology> topologies() {
  return k_topologies;
}

Result<Fabric> generate(std::string_view description) {
  const size_t colon = std::min(description.find(':'), description.size());
  const std::string_view name = description.substr(0, colon);
  for (const GeneratedTopology& topology : k_topologies) {
    if (topology.name != name) continue;
    Parameters parameters(topology.name, topology.defaults);
    if (colon + 1 < description.size()) parameters.read(description.substr(colon + 1));
    return generate_from(name, parameters);
  }
  std::vector<std::string_view> known;
  for (const GeneratedTopology& topology : k_topologies) known.push_back(topology.name);
  return Status::invalid_argument(fmt::format("unknown topology {}{}; known are {}", base::in_quotes(name),
                                              base::did_you_mean(name, known), fmt::join(known, ", ")));
}

}  // namespace tutti::fabric
