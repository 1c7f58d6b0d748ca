#pragma once
// Fabrics as text: the output of ibnetdiscover, and the nearly identical net files of ibsim.
//
//   switchguid=0x10000000000001(10000000000001)
//   Switch  36 "S-0010000000000001"     # "leaf 0" enhanced port 0 lid 3 lmc 0
//   [1]     "H-0020000000000001"[1](20000000000002)     # "host 0" lid 5 4xQDR
//   [20]    "S-0010000000000002"[1]
//
//   caguid=0x20000000000001
//   Ca      1 "H-0020000000000001"      # "host 0"
//   [1](20000000000002)     "S-0010000000000001"[1]
//
// A node without a GUID line has the GUID in its name ("S-…", "H-…"), or the default of ibsim (switches from
// 0x200000, hosts from 0x100000). The default GUID of a host port is the node's GUID plus the port number.
// Port 0 of a switch has the GUID in parentheses after the switch's, or the switch's. A cable may be listed
// at one end or at both, a node more than once, and a host ("H-…", "R-…") only at the switch to which it is
// cabled. Routers ("Rt") are end ports like hosts. Links that are down are not listed. The headings of
// ibnetdiscover -g and the warnings of its libraries are ignored.

#include <string>
#include <string_view>

#include "base/status.hpp"
#include "fabric/graph.hpp"

namespace tutti::fabric {

/// Hosts are numbered in the order of their nodes in the file; the ports of a host with several cabled ports
/// follow by port number. `origin` names the text in messages. Errors: invalid_argument, in one line with
/// origin, line number and reason: an unknown kind of line, two different nodes with one name, contradictory
/// ends of a cable.
base::Result<Fabric> parse_topology(std::string_view text, std::string_view origin);

/// Formats a net file for ibsim. parse_topology() reads it back as the same fabric, except for host ports
/// without cables.
std::string format_ibsim(const Fabric& fabric);

}  // namespace tutti::fabric
