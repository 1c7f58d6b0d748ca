#pragma once
// What the administrator may choose, in one line of OpenSM's configuration:
//
//   event_plugin_options base=updn colours=120 gather=200 merge=keep
//
// docs/howto/opensm.md describes every word.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "fabric/groups.hpp"
#include "fabric/router.hpp"

namespace tutti::opensm {

struct Options {
  std::string base = "minhop";  // OpenSM's routing engine for unicast
  uint32_t colours = 0;  // MLIDs for groups that are routed here; 0: all but `reserve` of the smallest table
  uint32_t reserve = 8;  // MLIDs that are left to groups that OpenSM makes itself
  uint32_t gather_ms = 100;  // a new group is routed when no port has joined it for so long
  uint32_t members = 0;      // or when it has so many members; 0: unknown
  fabric::MergeStrategy merge = fabric::MergeStrategy::keep;
  fabric::Method method = fabric::Method::guided;
  uint64_t seed = 1;
  /// Groups that are taken: those whose MGID begins with these bits.
  fabric::Mgid mgid_prefix{0xFF00000000000000, 0};
  unsigned mgid_prefix_bits = 8;
};

/// Words "name=value", separated by spaces or commas. Errors: invalid_argument, with the word and what it may
/// be.
base::Result<Options> parse_options(std::string_view text);

/// Whether a group is one that the plugin takes.
bool takes(const Options& options, const fabric::Mgid& mgid);

}  // namespace tutti::opensm
