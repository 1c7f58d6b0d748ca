#pragma once
// All multicast trees of a fabric, with the colours that they use at switches and the groups on each cable.

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/colour_sets.hpp"
#include "fabric/graph.hpp"
#include "fabric/groups.hpp"

namespace tutti::fabric {

/// A tree before it has a colour. Every switch except the root has one link towards it.
struct TreeShape {
  SwitchId root = k_none;
  std::vector<SwitchId> switches;
  std::vector<LinkId> links;
};

/// Removes the root while it has only one branch and is not a terminal: no packet needs it. The next switch
/// becomes the root. Returns the number of switches that were removed.
uint32_t trim_root(const Fabric& fabric, std::span<const SwitchId> terminals, TreeShape& shape);

/// A multicast tree (paper 004, definition 3) and the groups that share it.
struct Tree {
  Colour colour = k_no_colour;
  TreeShape shape;
  std::vector<GroupId> groups;
};

/// Several threads may read at the same time. Changes need exclusive access.
class Forest {
 public:
  Forest(const Fabric& fabric, uint32_t colour_limit);

  const ColourSets& colours() const { return colours_; }
  /// Opens a colour. Requires that not all colours are open.
  Colour open_colour() { return colours_.open(); }
  /// Closes the colour that was opened last. It must have no tree.
  void close_colour() { colours_.close(); }

  /// The id of a felled tree is reused. Until then the slot has no groups.
  uint32_t tree_slots() const { return static_cast<uint32_t>(trees_.size()); }
  const Tree& tree(TreeId id) const { return trees_[id]; }

  /// Number of groups on a cable (EFI, definition 6), summed over all cables of a switch, and on the heaviest
  /// cable.
  uint32_t link_load(LinkId id) const { return link_load_[id]; }
  uint32_t switch_load(SwitchId id) const { return switch_load_[id]; }
  uint32_t heaviest_load() const;

  /// The colour must be free at all switches.
  TreeId plant(TreeShape shape, Colour colour, std::vector<GroupId> groups);
  /// Adds a group to a tree that covers it.
  void share(TreeId id, GroupId group);
  void unshare(TreeId id, GroupId group);
  /// Replaces the shape; groups and colour stay the same.
  void reshape(TreeId id, TreeShape shape);
  /// Removes a tree and returns it.
  Tree fell(TreeId id);

  /// Colours that are free at all these switches: `result` gets words() words.
  void common_free(std::span<const SwitchId> switches, std::vector<ColourWord>& result) const;

  size_t memory_bytes() const;

 private:
  void occupy(TreeId id);
  void vacate(TreeId id);
  void add_load(const TreeShape& shape, uint32_t groups);

  const Fabric* fabric_;
  ColourSets colours_;
  std::vector<Tree> trees_;
  std::vector<TreeId> unused_;
  std::vector<uint32_t> link_load_, switch_load_;
};

}  // namespace tutti::fabric
