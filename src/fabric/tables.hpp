#pragma once
// Multicast forwarding tables in the form that switches hold: for each switch and colour, the ports to which
// a packet is forwarded.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "fabric/colour_sets.hpp"
#include "fabric/graph.hpp"

namespace tutti::fabric {

/// The first MLID, which has colour 0. In tables of real switches a colour is an MLID minus this.
inline constexpr uint32_t k_first_mlid = 0xC000;
inline constexpr uint32_t k_last_mlid = k_first_mlid + k_most_colours - 1;

/// One port of one entry. Sorts by switch, then colour, then port.
struct TablePort {
  SwitchId at;
  Colour colour;
  Port port;
  auto operator<=>(const TablePort&) const = default;
};

class MulticastTables {
 public:
  /// Sorts the ports and removes duplicates.
  MulticastTables(uint32_t switch_count, std::vector<TablePort> ports);

  uint32_t switch_count() const { return static_cast<uint32_t>(first_.size() - 1); }
  /// All ports of all entries of a switch, by colour.
  std::span<const TablePort> at(SwitchId id) const {
    return {ports_.data() + first_[id], first_[id + 1] - first_[id]};
  }
  /// The ports of one entry; empty when the switch has none for this colour. Logarithmic time.
  std::span<const TablePort> entry(SwitchId id, Colour colour) const;
  std::span<const TablePort> all() const { return ports_; }

  bool operator==(const MulticastTables&) const = default;

 private:
  std::vector<TablePort> ports_;
  std::vector<size_t> first_;
};

/// The multicast dump of OpenSM (opensm.mcfdbs), byte for byte: switches in its order, entries as MLIDs,
/// without switches that have no entries.
std::string format_dump(const MulticastTables& tables, const Fabric& fabric);

/// Reads such a dump. `origin` names the text in messages. Errors: invalid_argument with the line: a switch
/// or a port that the fabric does not have, an MLID outside of k_first_mlid to k_last_mlid, a second entry of
/// a switch for the same MLID.
base::Result<MulticastTables> parse_dump(std::string_view text, const Fabric& fabric,
                                         std::string_view origin);

}  // namespace tutti::fabric
