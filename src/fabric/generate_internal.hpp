#pragma once
// Declarations shared by the generators of generate.cpp.

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "fabric/graph.hpp"

namespace tutti::fabric {

inline constexpr uint32_t k_most_hosts = 1u << 20;
inline constexpr uint32_t k_most_switches = 1u << 17;

/// A fabric under construction. finish() reports the first error.
class Assembly {
 public:
  SwitchId add_switch(unsigned ports, std::string name);
  /// Cables a new host to the next free port of `at`.
  void add_host(SwitchId at);
  /// Cables the next free ports of both.
  void connect(SwitchId a, SwitchId b);
  base::Result<Fabric> finish();

 private:
  unsigned next_port(SwitchId at) { return next_port_[at]++; }

  FabricBuilder builder_;
  std::vector<unsigned> next_port_;
  base::Status first_error_;
};

using Sizes = std::vector<uint32_t>;

base::Result<Fabric> generate_fat_tree(uint32_t ports, uint32_t levels);
base::Result<Fabric> generate_torus(const Sizes& sizes, uint32_t hosts);
base::Result<Fabric> generate_dragonfly(uint32_t a, uint32_t p, uint32_t h);
base::Result<Fabric> generate_random(uint32_t switches, uint32_t ports, uint32_t hosts, uint64_t seed);

struct Sunway {
  uint32_t blocks, tops, middles_per_top;
};
inline constexpr Sunway k_bluelight{34, 16, 4};
inline constexpr Sunway k_taihulight{160, 64, 1};
base::Result<Fabric> generate_sunway(const Sunway& machine, uint32_t hosts_per_leaf);

}  // namespace tutti::fabric
