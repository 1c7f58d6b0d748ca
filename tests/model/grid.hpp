#pragma once
// The grid of DESIGN §9: which situations an algorithm is tried in.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "situation.hpp"

namespace tutti::model {

struct NamedTopology {
  std::string name;
  topology::Topology topology;
};

/// One point of the grid, complete.
struct Point {
  Situation situation;
  const NamedTopology* topology;
  algorithm::ParameterSet parameters;
};

/// All points for one algorithm and one number of ranks, or a well-spread part of them.
/// Deterministic: the same points in every run.
class Grid {
 public:
  Grid(const algorithm::Algorithm& algorithm, Rank rank_count);

  uint64_t size() const;
  /// Number of points to examine: all for few ranks, fewer for points with more work.
  uint64_t budget() const;
  /// The n-th point to examine, n < budget(). A prefix of the sequence is spread over all dimensions.
  Point point(uint64_t n) const;

 private:
  std::vector<uint64_t> dimensions() const;
  uint64_t parameter_value(const algorithm::Parameter& parameter, uint64_t choice,
                           const Situation& situation) const;

  const algorithm::Algorithm& algorithm_;
  Rank rank_count_;
  std::vector<NamedTopology> topologies_;
  std::vector<Rank> roots_;
  std::vector<uint64_t> counts_;
  std::vector<InPlace> in_place_;
  std::vector<Layout> layouts_;
  std::vector<uint64_t> element_bytes_;
  std::vector<bool> commutative_;
  std::vector<bool> sizes_known_everywhere_;
};

std::string describe(const algorithm::Algorithm& algorithm, const Point& point);

/// Names a GoogleTest case after its row of the catalogue: "bcast_chain".
std::string name_of_row(const testing::TestParamInfo<const algorithm::Algorithm*>& info);

}  // namespace tutti::model
