#pragma once
// Multicast groups (paper 004, definition 2): sets of hosts, each with its global address, the MGID.
//
// A file has one group per line: the MGID, then the port GUIDs of its members; '#' starts a comment.
//
//   ff18::1  0x0020000000000002 0x0020000000000004
//   ff18::2  0x0020000000000002 0x0020000000000022    # across two leaves

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "fabric/graph.hpp"

namespace tutti::fabric {

using GroupId = uint32_t;

/// Multicast global identifier, in host byte order. The first byte of every MGID is ff.
struct Mgid {
  uint64_t high = 0, low = 0;
  auto operator<=>(const Mgid&) const = default;
};

/// Reads the notation of IPv6 addresses. Errors: invalid_argument if it is not a multicast address.
base::Result<Mgid> parse_mgid(std::string_view text);
std::string to_string(const Mgid& mgid);

/// ff18::(number + 1): transient, not permanent, site scope (the Q_Key rules of IPoIB do not apply to
/// "ff18::").
Mgid numbered_mgid(uint64_t number);

/// Groups in flat arrays: 100,000 groups of 40 members take 20 megabytes.
class GroupSet {
 public:
  uint32_t size() const { return static_cast<uint32_t>(mgids_.size()); }
  const Mgid& mgid(GroupId id) const { return mgids_[id]; }
  /// Ascending, each host once.
  std::span<const HostId> members(GroupId id) const {
    return {members_.data() + first_[id], first_[id + 1] - first_[id]};
  }

  /// Sorts the members and removes duplicates.
  void add(const Mgid& mgid, std::vector<HostId> members);

 private:
  std::vector<Mgid> mgids_;
  std::vector<size_t> first_{0};
  std::vector<HostId> members_;
};

/// Reads the format above. `origin` names the text in messages. Errors: invalid_argument with the line: a
/// field that is not an MGID or GUID, a GUID that the fabric does not have, a group twice or without members.
base::Result<GroupSet> parse_groups(std::string_view text, const Fabric& fabric, std::string_view origin);
std::string format_groups(const GroupSet& groups, const Fabric& fabric);

/// Generates groups from a one-line description (paper 004, section 4.2.2):
///   grid:128x32x40,ppn=4               every line of the process grid along each dimension is a group
///   random:groups=1000,size=40,seed=1  members drawn without repetition
/// The first extent varies fastest in the numbering of processes: "256x34" has 34 groups of 256 neighbours
/// (the paper's "first dimension", which on BlueLight stays within a block) and then 256 groups of 34.
/// Process n runs on host n / ppn. Groups of the first dimension come first. Errors: invalid_argument; more
/// processes than hosts × ppn.
base::Result<GroupSet> make_groups(std::string_view description, const Fabric& fabric);

}  // namespace tutti::fabric
