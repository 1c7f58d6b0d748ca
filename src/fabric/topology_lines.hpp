#pragma once
// Parser for single lines of the files of topology_file.hpp.

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "base/status.hpp"

namespace tutti::fabric {

struct NothingLine {};  // empty, a comment, a warning, or an ignored keyword (vendid=…, Chassis)
struct GuidLine {
  uint64_t guid;                          // of the node in the next lines
  std::optional<uint64_t> own_port_guid;  // of a switch's port 0
};
struct NodeLine {
  bool is_switch;
  unsigned port_count;
  std::string_view id, name;  // the name is the quoted comment, or the id if there is none
};
struct PortLine {
  unsigned port;
  std::optional<uint64_t> port_guid;
  std::string_view peer_id;
  unsigned peer_port;
  std::optional<uint64_t> peer_guid;
  std::string_view peer_name;  // as NodeLine::name
};
using TopologyLine = std::variant<NothingLine, GuidLine, NodeLine, PortLine>;

/// The result holds views of `line`. Errors: invalid_argument, without origin and line number.
base::Result<TopologyLine> parse_topology_line(std::string_view line);

/// The GUID in a node id like "S-0002c9020040b160".
std::optional<uint64_t> guid_in_id(std::string_view id);

/// True for ids with a GUID of a node other than a switch: "H-…", "R-…".
bool is_end_port_id(std::string_view id);

}  // namespace tutti::fabric
