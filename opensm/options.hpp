#pragma once
// The administrator's settings, in one line of OpenSM's configuration:
//
//   event_plugin_options base=updn colours=120 gather=200 merge=keep
//
// docs/howto/opensm.md describes every setting.

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
  uint32_t reserve = 8;  // MLIDs left to groups that OpenSM creates itself
  uint32_t gather_ms = 100;  // a new group is routed when no port has joined it for this time
  uint32_t members = 0;      // or when it has this many members; 0: unknown
  fabric::MergeStrategy merge = fabric::MergeStrategy::keep;
  fabric::Method method = fabric::Method::guided;
  uint64_t seed = 1;
  /// The plugin handles groups whose MGID begins with these bits.
  fabric::Mgid mgid_prefix{0xFF00000000000000, 0};
  unsigned mgid_prefix_bits = 8;
};

/// Parses settings "name=value", separated by spaces or commas. Errors: invalid_argument, with the setting
/// and its permitted values.
base::Result<Options> parse_options(std::string_view text);

/// True if the plugin handles a group.
bool takes(const Options& options, const fabric::Mgid& mgid);

}  // namespace tutti::opensm
