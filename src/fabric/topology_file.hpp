#pragma once
// Fabrics as text: what ibnetdiscover prints, and the net files of ibsim, which are nearly the same.
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
// A node without a GUID line has the GUID in its name ("S-…", "H-…"), or the one that ibsim would give it
// (switches from 0x200000, hosts from 0x100000). A port of a host without a GUID has the node's plus its own
// number. Port 0 of a switch has the GUID in parentheses after the switch's, or the switch's. A cable may be
// listed at one end or at both, a node more than once, and a host ("H-…", "R-…") only where it is cabled to a switch.
// Routers ("Rt") are end ports like hosts. Links that are down are not listed. The headings of ibnetdiscover -g and
// what its libraries warn of do not matter.

#include <string>
#include <string_view>

#include "base/status.hpp"
#include "fabric/graph.hpp"

namespace tutti::fabric {

/// Hosts are numbered in the order of their nodes in the file, those with several cabled ports by port.
/// `origin` names the text in messages. Errors: invalid_argument, in one line with origin, line number and
/// reason: lines that are none of the above, two different nodes of one name, ends of a cable that contradict each
/// other.
base::Result<Fabric> parse_topology(std::string_view text, std::string_view origin);

/// A net file for ibsim, which parse_topology() reads back as the same fabric, but for ports without cables
/// of hosts.
std::string format_ibsim(const Fabric& fabric);

}  // namespace tutti::fabric
