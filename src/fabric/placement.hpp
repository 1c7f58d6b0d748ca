#pragma once
// Units get trees of their own, one unit after the other, by the method of the options; or are merged.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/bottom_up.hpp"
#include "fabric/colour_search.hpp"
#include "fabric/dijkstra_tree.hpp"
#include "fabric/merging.hpp"
#include "fabric/routing.hpp"

namespace tutti::fabric {

/// MR4LMS as printed in paper 004: FBTC (algorithm 1), FCTB (algorithm 3) and the choice between them
/// (algorithm 7).
class PaperPlacement {
 public:
  explicit PaperPlacement(Routing& routing) : routing_(routing) {}

  /// False if the unit finds no colour: it has to be merged.
  bool place(const Unit& unit);

 private:
  bool fbtc(const Unit& unit);
  bool fctb(const Unit& unit);
  bool share_covering_tree(const Unit& unit);

  Routing& routing_;
  BottomUp bottom_up_{routing_.fabric(), routing_.forest()};
  ColourSearch colour_search_{routing_.fabric(), routing_.forest()};
  DijkstraTree dijkstra_{routing_.fabric(), routing_.forest()};
  // Algorithm 7: which of FBTC and FCTB is next, and the number of consecutive successes of FCTB.
  bool is_fctb_next_ = false;
  uint32_t fctb_successes_ = 0;
  // Kept between calls to avoid allocations.
  std::vector<SwitchId> roots_;
  std::vector<ColourWord> member_colours_, colours_;
  TreeShape shape_;
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

/// The guided method: like FBTC it builds from the members up, like FCTB it knows the free colours, at the cost
/// of FBTC.
class GuidedPlacement {
 public:
  explicit GuidedPlacement(Routing& routing) : routing_(routing) {}

  /// False if the unit finds no colour: it has to be merged. `spares_cables`: opens a colour rather than raise
  /// the maximum load.
  bool place(const Unit& unit, bool spares_cables);
  /// The largest height that any unit needed.
  Hops greatest_height() const { return past_.greatest_height; }
  /// Forgets the units placed so far, together with Routing::reset().
  void reset() { past_ = {}; }

 private:
  bool grow_in_open_colours(const Unit& unit, std::span<const SwitchId> roots, bool spares_cables);
  bool grow_in_new_colour(const Unit& unit, std::span<const SwitchId> roots);
  bool search(const Unit& unit, std::span<const SwitchId> roots, Hops radius);
  bool search_within(const Unit& unit, std::span<const SwitchId> roots, Hops height);
  bool grow(const Unit& unit, SwitchId root, int64_t& budget);
  uint32_t load_after(const Unit& unit) const;

  struct Past {
    SearchBudget high_searches, vain_searches;
    uint32_t heaviest_load = 0;  // when the last colour was opened, at least
    Hops greatest_height = 0;
  };

  Routing& routing_;
  const ColourSets& sets_ = routing_.colours();
  BottomUp bottom_up_{routing_.fabric(), routing_.forest()};
  ColourSearch colour_search_{routing_.fabric(), routing_.forest()};
  Past past_;
  uint64_t salt_ = 0;  // of this unit
  // Kept between calls to avoid allocations.
  std::vector<SwitchId> roots_;
  std::vector<Hops> hops_to_root_;
  std::vector<ColourWord> member_colours_, colours_;
  TreeShape shape_, best_shape_;
};

/// What place_all() does about units that find no colour, and about cables. The paper's method merges at once.
enum class Aim : uint8_t {
  own_trees,       // ends at the first of these units
  lighter_cables,  // likewise, and opens a colour rather than raise the maximum load
  all_placed,      // merges these units after all others
};

enum class Outcome : uint8_t { done, stopped, out_of_colours };

class UnitPlacement {
 public:
  explicit UnitPlacement(Routing& routing) : routing_(routing) {}

  /// Places a unit. The last resort is a merge, which always succeeds.
  void place(const Unit& unit);
  /// Places the units in their order, unless `progress` stops it.
  Outcome place_all(std::span<const Unit> units, const RoutingProgress& progress, Aim aim);

  Merging& merging() { return merging_; }
  Hops greatest_height() const { return guided_.greatest_height(); }
  void reset() { guided_.reset(); }

 private:
  Routing& routing_;
  PaperPlacement paper_{routing_};
  GuidedPlacement guided_{routing_};
  Merging merging_{routing_};
};

}  // namespace tutti::fabric
