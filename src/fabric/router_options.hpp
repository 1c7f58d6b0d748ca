#pragma once
// What a caller of the router chooses, and what it counts.

#include <cstdint>
#include <functional>

#include "fabric/dijkstra_tree.hpp"

namespace tutti::fabric {

enum class Method : uint8_t {
  paper,   // algorithms 1 to 7 as printed
  guided,  // trees grow with regard to free colours; many groups at once are planned together
};

/// Amount of work that join_all() spends on saving colours and on relieving cables.
enum class Effort : uint8_t {
  quick,     // about as much as the routing itself
  thorough,  // also along longer paths: up to two milliseconds per group in the largest fabrics
};

struct RouterOptions {
  uint32_t colour_limit = 0;  // N_colour: entries in the smallest table; 0: no limit
  Method method = Method::guided;
  MergeStrategy merge = MergeStrategy::keep;
  Effort effort = Effort::quick;
  uint64_t seed = 1;     // breaks ties
  unsigned threads = 1;  // for tables of hops and similarity; the result does not depend on it
};

/// Counters since the creation of the router.
struct RouterCounts {
  uint64_t fbtc = 0,
           fctb = 0;    // groups that got a tree of their own by algorithm 1, by algorithm 3 (or both guided)
  uint64_t opened = 0;  // groups for which a colour had to be opened
  uint64_t shared = 0;  // groups that joined a tree of exactly their hosts
  uint64_t merged = 0;  // groups merged by algorithm 4
};

/// Called repeatedly with the number of groups done; returning false stops the routing.
using RoutingProgress = std::function<bool(uint32_t done)>;

}  // namespace tutti::fabric
