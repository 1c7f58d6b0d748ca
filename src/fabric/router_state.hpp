#pragma once
// The router's state, which all its source files share, and the steps of paper 004, section 3, one source
// file each.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fabric/bottom_up.hpp"
#include "fabric/colour_search.hpp"
#include "fabric/dijkstra_tree.hpp"
#include "fabric/forest.hpp"
#include "fabric/graft.hpp"
#include "fabric/root_search.hpp"
#include "fabric/router.hpp"

namespace tutti::fabric {

/// A tree may be this much higher than necessary if that improves its load or colour.
inline constexpr uint32_t k_most_extra_hops = 2;

/// Groups that are routed as one: a new group, or all that share a tree.
struct Unit {
  std::vector<GroupId> groups;
  std::vector<SwitchId> terminals;  // the switches of their members, ascending
};

/// Limits the work of one kind of search over many units. Each unit grants some work. Searches may spend more
/// than was granted, up to a limit; beyond the limit no search starts.
struct SearchBudget {
  struct Terms {
    int64_t most_overdrawn, granted;
  };

  void grant(const Terms& terms) { overdrawn_ = std::max(overdrawn_ - terms.granted, int64_t{0}); }
  bool allows_search(const Terms& terms) const { return overdrawn_ <= terms.most_overdrawn; }
  void spend(int64_t work) { overdrawn_ += work; }

 private:
  int64_t overdrawn_ = 0;
};

struct Router::State {
  State(Fabric the_fabric, HopTable the_hops, const RouterOptions& the_options);

  // --- groups (router.cpp) ---
  struct Group {
    std::vector<HostId> members;
    TreeId tree = k_none;
    bool exists = false;
    Colour lost_colour = k_no_colour;  // of a group that is cut off: the colour announced to it
  };
  static std::vector<HostId> in_order(std::vector<HostId> members);  // ascending, without duplicates
  GroupId new_group(std::vector<HostId> members);
  void drop_group(GroupId id);
  base::Status check_members(std::span<const HostId> members) const;
  std::vector<SwitchId> terminals_of(std::span<const GroupId> ids) const;
  Unit unit_of(std::vector<GroupId> ids) const;
  /// Routes a unit by the method of the options. The last resort is a merge, which always succeeds.
  void place(const Unit& unit);
  void install_tree(TreeShape shape, Colour colour, std::vector<GroupId> ids);
  /// Sorts by load (paper 004, section 3.1.1), equal loads in random order, and keeps at most `most` roots.
  void sort_by_load(std::vector<SwitchId>& roots, size_t most, uint64_t salt) const;

  // --- many groups at once (join_all.cpp) ---
  enum class Outcome { done, stopped, out_of_colours };
  class BatchPlanner;
  /// A saved routing of all groups, to restore later.
  struct Plan {
    Forest forest;
    RouterCounts counts;
  };
  Plan plan() const;
  void restore(Plan plan);
  bool route_batch(const GroupSet& set, const Progress& progress);
  Outcome route_units(std::span<const Unit> units, const Progress& progress, bool may_merge);
  void reset();

  // --- lower load on the heaviest cables (balance.cpp) ---
  struct BalanceBudget;
  /// Which groups share a tree.
  enum class Sharing { none, of_alike, of_any };
  void balance(Effort effort, Sharing sharing);
  uint32_t heaviest_load() const;
  bool reduce_max_load(uint32_t load, BalanceBudget& budget);
  bool unload_link(LinkId link, std::span<const std::pair<LinkId, TreeId>> crossings, uint32_t load,
                   BalanceBudget& budget);
  void reroute_off_link(TreeId id, LinkId link, uint32_t load, bool may_part, BalanceBudget& budget);
  bool split_group(const Unit& unit, Colour colour, uint32_t most_load, BalanceBudget& budget);
  bool install_tree_below_load(const Unit& unit, Colour colour, uint32_t most_load, bool may_open,
                               BalanceBudget& budget);
  Colour grow_below_load(const Unit& unit, SwitchId root, uint32_t most_load, uint64_t salt, int64_t& budget);
  Colour search_below_load(const Unit& unit, Colour colour, Hops highest, uint32_t most_load,
                           BalanceBudget& budget);

  // --- improvements when groups have their own trees (improve.cpp, partial_colouring.cpp) ---
  class PartialColouring;
  bool improve(std::span<const Unit> units, const Progress& progress);
  uint32_t most_at_a_switch(std::span<const Unit> units) const;
  Outcome reduce_cable_load(std::span<const Unit> units, uint32_t least, const Progress& progress);
  void recolour(uint32_t least);
  bool empty_last_colour(uint32_t most_load, int64_t& budget);

  // --- the paper's method (place_paper.cpp) ---
  void place_paper(const Unit& unit);
  bool fbtc(const Unit& unit);
  bool fctb(const Unit& unit);
  bool share_covering_tree(const Unit& unit);

  // --- the guided method (place_guided.cpp) ---
  bool place_guided(const Unit& unit);
  bool guided_in_open_colours(const Unit& unit, std::span<const SwitchId> roots, uint64_t salt);
  bool guided_in_new_colour(const Unit& unit, std::span<const SwitchId> roots, uint64_t salt);
  bool guided_by_searches(const Unit& unit, std::span<const SwitchId> roots, Hops radius, uint64_t salt);
  bool guided_by_search(const Unit& unit, std::span<const SwitchId> roots, Hops height, uint64_t salt);
  const Hops* row_at_hand(SwitchId root);  // valid until the next call
  uint32_t load_after(const TreeShape& shape, uint32_t groups) const;

  // --- merging (merge.cpp, similarity.cpp) ---
  void merge(const Unit& unit);
  void merge_guided(const Unit& unit);
  TreeId most_similar(const Unit& unit) const;
  std::vector<TreeId> overlapping(const Unit& unit, size_t most) const;
  bool is_connected(const Unit& unit, Colour colour, std::span<const TreeId> merged);
  void add_trees_in_the_way(const Unit& unit, Colour colour, std::vector<TreeId>& merged);
  bool build_merged(const Unit& unit, Colour colour, std::span<const TreeId> merged, TreeShape& shape);
  uint32_t load_after_merge(const Unit& unit, std::span<const TreeId> merged, const TreeShape& planted);
  bool join_partner(const Unit& unit, TreeId partner, TreeShape& joined);
  void commit_merge(const Unit& unit, Colour colour, std::span<const TreeId> merged, TreeShape shape);
  Unit with_trees(const Unit& unit, std::span<const TreeId> merged) const;

  // --- departure (departure.cpp) ---
  void prune(TreeId tree);
  std::vector<GroupId> reroute(std::span<const TreeId> trees);

  // --- groups that keep their colour (announced.cpp) ---
  bool place_in(const Unit& unit, Colour colour);
  void place_again(GroupId id, Colour colour);
  void cut_off(TreeId tree);
  void grow(TreeId tree);
  void append_ports(TreeId tree, std::vector<TablePort>& ports) const;

  Fabric fabric;
  HopTable hops;
  RouterOptions options;
  Forest forest;
  std::vector<Group> groups;
  std::vector<GroupId> unused_groups;
  RouterCounts counts;
  SearchBudget high_searches, vain_searches;  // of the guided method
  uint64_t placed = 0;                        // units routed so far; with `seed`, the seed of random choices
  // Guided method: whether it opens a colour rather than raise the maximum load; that maximum load; the
  // largest height that any unit needed.
  bool reduces_cable_load = false;
  uint32_t heaviest_so_far = 0;
  Hops greatest_height = 0;

  // Algorithm 7: which of FBTC and FCTB is next, and the number of consecutive successes of FCTB.
  bool is_fctb_next = false;
  uint32_t fctb_successes = 0;

  RootSearch root_search;
  BottomUp bottom_up;
  ColourSearch colour_search;
  DijkstraTree dijkstra;
  Graft graft;
  // Kept between calls to avoid allocations.
  std::vector<SwitchId> roots;
  std::vector<Hops> hops_to_root;
  std::vector<ColourWord> member_colours, colours;
  std::vector<uint8_t> old_links;  // per link: 1 if a tree that is to be merged has it; 0 between calls
  TreeShape shape, best_shape;
};

}  // namespace tutti::fabric
