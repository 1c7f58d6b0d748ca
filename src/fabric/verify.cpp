#include "fabric/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>

namespace tutti::fabric {

using base::Result;
using base::Status;

namespace {

/// An entry of a switch: a vertex of the forest that the tables form.
struct Entry {
  SwitchId at;
  Colour colour;
  std::span<const TablePort> ports;
};

class Verifier {
 public:
  Verifier(const Fabric& fabric, const GroupSet& groups, std::span<const Colour> colours,
           const MulticastTables& tables, uint32_t colour_limit)
      : fabric_(fabric), groups_(groups), colours_(colours), tables_(tables), limit_(colour_limit) {}

  Result<RoutingMetrics> run() {
    list_entries();
    if (Status status = join_entries(); !status) return status;
    if (Status status = place_groups(); !status) return status;
    if (Status status = check_receivers(); !status) return status;
    count_links();
    measure_heights();
    return std::move(metrics_);
  }

 private:
  std::string place(const Entry& entry) const {
    return fmt::format("switch {:016x}, MLID {:#x}", fabric_.switch_node(entry.at).guid,
                       k_first_mlid + entry.colour);
  }

  Status wrong(const Entry& entry, const std::string& what) const {
    return Status::invalid_argument(fmt::format("{}: {}", place(entry), what));
  }

  void list_entries() {
    for (SwitchId at = 0; at < tables_.switch_count(); ++at) {
      first_entry_.push_back(static_cast<uint32_t>(entries_.size()));
      const auto ports = tables_.at(at);
      for (size_t begin = 0, end; begin < ports.size(); begin = end) {
        for (end = begin; end < ports.size() && ports[end].colour == ports[begin].colour;) ++end;
        entries_.push_back({at, ports[begin].colour, ports.subspan(begin, end - begin)});
      }
      metrics_.fullest_table =
          std::max(metrics_.fullest_table, static_cast<uint32_t>(entries_.size()) - first_entry_.back());
    }
    first_entry_.push_back(static_cast<uint32_t>(entries_.size()));
    leader_.resize(entries_.size());
    for (uint32_t i = 0; i < leader_.size(); ++i) leader_[i] = i;
  }

  uint32_t find_entry(SwitchId at, Colour colour) const {
    const auto begin = entries_.begin() + first_entry_[at], end = entries_.begin() + first_entry_[at + 1];
    const auto found = std::ranges::lower_bound(begin, end, colour, {}, &Entry::colour);
    return found != end && found->colour == colour ? static_cast<uint32_t>(found - entries_.begin()) : k_none;
  }

  uint32_t tree_of(uint32_t entry) {
    while (leader_[entry] != entry) entry = leader_[entry] = leader_[leader_[entry]];
    return entry;
  }

  static bool has_port(const Entry& entry, Port port) {
    return std::ranges::find(entry.ports, port, &TablePort::port) != entry.ports.end();
  }

  /// Checks that both ends of every cable agree and that the cables of an entry form no cycle. Then, for any
  /// sender, every switch of the tree sees the packet exactly once.
  Status join_entries() {
    for (uint32_t i = 0; i < entries_.size(); ++i) {
      const Entry& entry = entries_[i];
      if (entry.colour >= limit_) return wrong(entry, fmt::format("only {} entries are allowed", limit_));
      for (const TablePort& port : entry.ports)
        if (Status status = join_port(i, port.port); !status) return status;
    }
    return {};
  }

  Status join_port(uint32_t i, Port port) {
    const Entry& entry = entries_[i];
    const Peer peer = fabric_.peer(entry.at, port);
    if (peer.kind == Peer::Kind::nothing) return wrong(entry, fmt::format("port {} has no cable", port));
    if (peer.kind == Peer::Kind::host) return {};
    const Link& link = fabric_.link(peer.index);
    const bool is_a = link.a == entry.at && link.a_port == port;
    const uint32_t other = find_entry(is_a ? link.b : link.a, entry.colour);
    if (other == k_none || !has_port(entries_[other], is_a ? link.b_port : link.a_port))
      return wrong(entry, fmt::format("port {} sends to a switch that does not send back", port));
    if (entry.ports.size() == 1) return wrong(entry, "a branch that leads to no host");
    if (!is_a) return {};
    const uint32_t left = tree_of(i), right = tree_of(other);
    if (left == right) return wrong(entry, fmt::format("packets run in a circle over port {}", port));
    leader_[left] = right;
    return {};
  }

  Status place_groups() {
    std::map<Mgid, GroupId> seen;
    groups_at_.assign(entries_.size(), 0);
    for (GroupId id = 0; id < groups_.size(); ++id) {
      if (!seen.emplace(groups_.mgid(id), id).second)
        return Status::invalid_argument(fmt::format(
            "MGID {} belongs to two groups: hosts cannot tell them apart", to_string(groups_.mgid(id))));
      if (Status status = place_group(id); !status) return status;
    }
    return {};
  }

  Status place_group(GroupId id) {
    uint32_t tree = k_none;
    for (const HostId member : groups_.members(id)) {
      const HostNode& host = fabric_.host(member);
      const uint32_t entry = host.at == k_none ? k_none : find_entry(host.at, colours_[id]);
      if (entry == k_none || !has_port(entries_[entry], host.at_port))
        return Status::invalid_argument(fmt::format("group {}: member {:016x} gets no packets at MLID {:#x}",
                                                    to_string(groups_.mgid(id)), host.guid,
                                                    k_first_mlid + colours_[id]));
      if (tree == k_none) tree = tree_of(entry);
      if (tree_of(entry) != tree)
        return Status::invalid_argument(
            fmt::format("group {}: member {:016x} is in another tree of MLID {:#x}",
                        to_string(groups_.mgid(id)), host.guid, k_first_mlid + colours_[id]));
    }
    if (tree == k_none) return {};
    ++groups_at_[tree];
    groups_of_tree_.emplace(tree, id);
    return {};
  }

  /// Checks that every host that a tree reaches is in one of its groups; also counts memberships and
  /// receptions.
  Status check_receivers() {
    for (uint32_t begin = 0; begin < entries_.size(); ++begin)
      if (tree_of(begin) == begin && groups_at_[begin] == 0)
        return wrong(entries_[begin], "no group uses this entry any more");
    std::vector<uint64_t> memberships(entries_.size(), 0), receptions(entries_.size(), 0);
    std::unordered_set<uint64_t> wanted;  // (tree, host)
    for (const auto& [tree, id] : groups_of_tree_) {
      memberships[tree] += groups_.members(id).size();
      for (const HostId member : groups_.members(id)) wanted.insert(uint64_t{tree} << 32 | member);
    }
    host_efi_.assign(fabric_.end_port_count(), 0);
    for (uint32_t i = 0; i < entries_.size(); ++i)
      for (const TablePort& port : entries_[i].ports) {
        const Peer peer = fabric_.peer(entries_[i].at, port.port);
        if (peer.kind != Peer::Kind::host) continue;
        const uint32_t tree = tree_of(i);
        if (!wanted.contains(uint64_t{tree} << 32 | peer.index))
          return wrong(entries_[i], fmt::format("host {:016x} gets packets of groups that it is not in",
                                                fabric_.host(peer.index).guid));
        receptions[tree] += groups_at_[tree];
        host_efi_[peer.index] += groups_at_[tree];
      }
    for (uint32_t tree = 0; tree < entries_.size(); ++tree)
      metrics_.filtered += receptions[tree] - memberships[tree];
    return {};
  }

  void count_tree(Colour colour, uint32_t groups) {
    ++metrics_.trees;
    metrics_.max_tfi = std::max(metrics_.max_tfi, groups);
    if (colour >= metrics_.by_colour.size()) metrics_.by_colour.resize(colour + size_t{1});
    ++metrics_.by_colour[colour].trees;
    metrics_.by_colour[colour].groups += groups;
  }

  void count_links() {
    std::vector<uint32_t> efi(fabric_.link_count(), 0);
    for (uint32_t i = 0; i < entries_.size(); ++i) {
      const Entry& entry = entries_[i];
      const uint32_t tree = tree_of(i);
      if (tree == i) count_tree(entry.colour, groups_at_[i]);
      for (const TablePort& port : entry.ports) {
        const Peer peer = fabric_.peer(entry.at, port.port);
        if (peer.kind == Peer::Kind::link && fabric_.link(peer.index).a == entry.at)
          efi[peer.index] += groups_at_[tree];
      }
    }
    metrics_.groups = groups_.size();
    metrics_.colours = static_cast<uint32_t>(std::ranges::count_if(
        metrics_.by_colour, [](const RoutingMetrics::ColourUse& colour) { return colour.trees > 0; }));
    metrics_.mean_tfi = metrics_.trees == 0 ? 0 : static_cast<double>(groups_.size()) / metrics_.trees;
    uint64_t sum = 0, carrying = 0;
    for (const uint32_t count : efi) {
      metrics_.max_efi = std::max(metrics_.max_efi, count);
      if (count >= metrics_.efi.size()) metrics_.efi.resize(count + size_t{1}, 0);
      ++metrics_.efi[count];
      sum += count;
      carrying += count > 0 ? 1 : 0;
    }
    metrics_.mean_efi = carrying == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(carrying);
    for (const uint32_t count : host_efi_) metrics_.max_host_efi = std::max(metrics_.max_host_efi, count);
  }

  /// Half the longest path of each tree, by two searches: the farthest entry from an arbitrary one, and the
  /// farthest from that.
  void measure_heights() {
    std::vector<uint32_t> depth(entries_.size());
    for (uint32_t tree = 0; tree < entries_.size(); ++tree) {
      if (tree_of(tree) != tree) continue;
      const uint32_t longest = farthest(farthest(tree, depth), depth, true);
      const uint32_t height = (longest + 1) / 2;
      if (height >= metrics_.heights.size()) metrics_.heights.resize(height + size_t{1}, 0);
      ++metrics_.heights[height];
      metrics_.max_height = std::max(metrics_.max_height, height);
    }
  }

  /// The entry farthest from `start` in its tree, or its distance.
  uint32_t farthest(uint32_t start, std::vector<uint32_t>& depth, bool want_distance = false) {
    struct Step {
      uint32_t entry, from;
    };
    std::vector<Step> queue{{start, k_none}};
    depth[start] = 0;
    for (size_t head = 0; head < queue.size(); ++head) {
      const auto [i, from] = queue[head];
      for (const TablePort& port : entries_[i].ports) {
        const Peer peer = fabric_.peer(entries_[i].at, port.port);
        if (peer.kind != Peer::Kind::link) continue;
        const Link& link = fabric_.link(peer.index);
        const uint32_t next = find_entry(link.a == entries_[i].at ? link.b : link.a, entries_[i].colour);
        if (next == from) continue;
        depth[next] = depth[i] + 1;
        queue.push_back({next, i});
      }
    }
    return want_distance ? depth[queue.back().entry] : queue.back().entry;
  }

  const Fabric& fabric_;
  const GroupSet& groups_;
  std::span<const Colour> colours_;
  const MulticastTables& tables_;
  uint32_t limit_;

  std::vector<Entry> entries_;
  std::vector<uint32_t> first_entry_;  // per switch, and the end
  std::vector<uint32_t> leader_;       // entries of one tree have the same (union-find)
  std::vector<uint32_t> groups_at_;    // per leader: groups of the tree
  std::multimap<uint32_t, GroupId> groups_of_tree_;
  std::vector<uint32_t> host_efi_;
  RoutingMetrics metrics_;
};

}  // namespace

Result<RoutingMetrics> verify(const Fabric& fabric, const GroupSet& groups, std::span<const Colour> colours,
                              const MulticastTables& tables, uint32_t colour_limit) {
  return Verifier(fabric, groups, colours, tables, colour_limit).run();
}

Result<std::vector<HostId>> walk(const Fabric& fabric, const MulticastTables& tables, HostId sender,
                                 Colour colour) {
  struct Packet {
    SwitchId at;
    Port from;
  };
  std::vector<HostId> receivers;
  const HostNode& host = fabric.host(sender);
  if (host.at == k_none) return receivers;
  std::vector<Packet> packets{{host.at, host.at_port}};
  for (size_t head = 0; head < packets.size(); ++head) {
    if (packets.size() > fabric.switch_count())
      return Status::invalid_argument(fmt::format("a packet of host {:016x} runs in a circle", host.guid));
    const Packet packet = packets[head];
    for (const TablePort& port : tables.entry(packet.at, colour)) {
      if (port.port == packet.from) continue;  // never back to the port where it came from
      const Peer peer = fabric.peer(packet.at, port.port);
      if (peer.kind == Peer::Kind::host) receivers.push_back(peer.index);
      if (peer.kind != Peer::Kind::link) continue;
      const Link& link = fabric.link(peer.index);
      const bool is_a = link.a == packet.at && link.a_port == port.port;
      packets.push_back(is_a ? Packet{link.b, link.b_port} : Packet{link.a, link.a_port});
    }
  }
  return receivers;
}

}  // namespace tutti::fabric
