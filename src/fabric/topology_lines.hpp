#pragma once
// The lines that topology_file.cpp is made of.

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "base/status.hpp"

namespace tutti::fabric {

struct NothingLine {
};  // empty, a comment, a warning, or a word that does not matter here (vendid=…, Chassis)
struct GuidLine {
  uint64_t guid;                          // of the node that follows
  std::optional<uint64_t> own_port_guid;  // of a switch's port 0
};
struct NodeLine {
  bool is_switch;
  unsigned port_count;
  std::string_view id, name;  // the name is the quoted comment; the id where there is none
};
struct PortLine {
  unsigned port;
  std::optional<uint64_t> port_guid;
  std::string_view peer_id;
  unsigned peer_port;
  std::optional<uint64_t> peer_guid;
  std::string_view peer_name;  // as NodeLine's
};
using TopologyLine = std::variant<NothingLine, GuidLine, NodeLine, PortLine>;

/// Keeps views of `line`. Errors: invalid_argument without the place.
base::Result<TopologyLine> parse_topology_line(std::string_view line);

/// The GUID in a node id like "S-0002c9020040b160".
std::optional<uint64_t> guid_in_id(std::string_view id);

/// An id with a GUID of what is no switch: "H-…", "R-…".
bool is_end_port_id(std::string_view id);

}  // namespace tutti::fabric
