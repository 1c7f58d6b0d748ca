#pragma once
// Generates fabrics from a one-line description: the topologies of paper 004, section 4.2.1, and similar
// ones.
//
//   fat-tree:ports=40,levels=3                         three-level fat tree of switches with 40 ports:
//                                                      2,000 switches, 16,000 hosts
//   torus:size=30x20x20,hosts=2                        one cable between neighbours; any number of dimensions
//   dragonfly:a=18,p=9,h=9                             a·h + 1 groups of a switches; each switch has p hosts
//                                                      and h cables to other groups
//   random:switches=2048,ports=40,hosts=20,seed=1      connected; ports without a host lead to any switch
//   bluelight:leaf=16                                  Sunway BlueLight, 34 blocks, 8,704 hosts
//   taihulight:leaf=16                                 Sunway TaihuLight, 160 blocks, 40,960 hosts
//
// The wiring of the two Sunway machines is not public. They are built here from blocks of 256 hosts: leaf
// switches, and 8 middle switches with two parallel cables to every leaf. BlueLight has 16 top switches, each
// cabled to 4 middles of every block (8 paths from a leaf to a top, as in the paper). TaihuLight has 64, each
// cabled to one (2 paths). leaf=32 halves the number of leaves; the number of groups that meet at a leaf
// nearly doubles, and so does the minimum number of colours there.
//
// Hosts are numbered as they are cabled: leaf after leaf, block after block (fat trees: pod after pod).
// Switches come in the order leaves, middles, tops. GUIDs count up: switches from 0x0010000000000001; hosts
// from 0x0020000000000001 in steps of two, each followed by its port, as ibsim numbers them too.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "fabric/graph.hpp"

namespace tutti::fabric {

/// A kind of topology for generate().
struct GeneratedTopology {
  std::string_view name;
  std::string_view defaults;  // all parameters with the paper's values, as they are written after the colon
  std::string_view summary;
};
std::span<const GeneratedTopology> topologies();

/// Builds a fabric from a description like "fat-tree:ports=8". Omitted parameters have the paper's values.
/// Errors: invalid_argument, in one line with the parameter and its range. The largest fabric has 2^20 hosts.
base::Result<Fabric> generate(std::string_view description);

}  // namespace tutti::fabric
