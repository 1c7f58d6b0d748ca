#pragma once
// Recolours trees so that the last colour becomes empty. Greedy placement chooses a tree and a colour before
// it knows the groups that follow. Here some units give up their trees and search for new ones. A unit that
// blocks such a new tree loses its own and searches in turn, until all units have a tree or the budget is
// used up.
//
// This is PartialCol (I. Blöchliger and N. Zufferey, "A graph coloring heuristic using partial solutions and
// a reactive tabu scheme", Computers & Operations Research 35, 2008) for trees, which can also change their
// shape.

#include <map>
#include <utility>
#include <vector>

#include "fabric/router_state.hpp"

namespace tutti::fabric {

class Router::State::PartialColouring {
 public:
  /// Every unit must get a tree in a colour below the last open one, on cables that then carry at most
  /// `most_load` groups. `budget`: number of arcs that may be inspected; it is reduced.
  PartialColouring(State& state, uint32_t most_load, int64_t& budget);

  /// Removes a unit's tree.
  void uncolour(TreeId tree);

  /// True when all units have a tree again; otherwise each unit has its original tree back.
  bool complete();

 private:
  using UnitKey = GroupId;  // the first group of a unit
  /// A colour that a unit had to leave, and the turn from which the unit may use it again.
  struct Tabu {
    Colour colour;
    uint64_t until;
  };
  struct Choice {
    uint32_t obstacles;
    uint64_t chance;
    Colour colour;
    auto operator<=>(const Choice&) const = default;
  };

  void place_one();
  bool place_around_others(const Unit& unit);
  bool place_over_others(const Unit& unit);
  void settle(const Unit& unit, Colour colour);
  bool grow(const Unit& unit, SwitchId root, Colour colour);
  bool grow_among_others(const Unit& unit, Colour colour);
  void count_obstacles(std::span<const SwitchId> switches, UnitKey key);
  void put_back();

  State& state_;
  const Colour spare_;  // the last colour: it becomes empty
  const uint32_t most_load_;
  int64_t& budget_;
  uint64_t turn_ = 0, salt_ = 0;
  std::vector<std::vector<GroupId>> uncoloured_;
  std::map<UnitKey, Tree> before_;  // of every unit that has lost its tree
  std::map<UnitKey, std::vector<Tabu>> tabus_;
  // Kept between turns to avoid allocations.
  std::vector<uint32_t> obstacles_;  // per colour: trees that block the unit
  std::vector<uint64_t> counted_;    // per tree: the count in which it was seen last
  uint64_t counts_ = 0;
  std::vector<Choice> choices_;
};

}  // namespace tutti::fabric
