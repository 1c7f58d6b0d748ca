#pragma once
// Fabrics and groups for tests of src/fabric.

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "fabric/generate.hpp"
#include "fabric/groups.hpp"
#include "fabric/router.hpp"
#include "fabric/verify.hpp"

namespace tutti::fabric {

inline Fabric make(std::string_view description) {
  auto fabric = generate(description);
  EXPECT_TRUE(fabric) << fabric.status().message();
  return std::move(fabric).value();
}

inline GroupSet groups_in(const Fabric& fabric, std::string_view description) {
  auto groups = make_groups(description, fabric);
  EXPECT_TRUE(groups) << groups.status().message();
  return std::move(groups).value();
}

/// The verifier's metrics of a router's groups, which must be valid. Members that are cut off are left out.
inline RoutingMetrics verified(const Router& router, GroupId group_end) {
  GroupSet groups;
  std::vector<Colour> colours;
  for (GroupId id = 0; id < group_end; ++id) {
    if (!router.has(id) || router.colour(id) == k_no_colour) continue;
    std::vector<HostId> members;
    for (const HostId member : router.members(id))
      if (router.fabric().host(member).at != k_none) members.push_back(member);
    groups.add(numbered_mgid(id), members);
    colours.push_back(router.colour(id));
  }
  const auto metrics =
      verify(router.fabric(), groups, colours, router.tables(), router.forest().colours().limit());
  EXPECT_TRUE(metrics) << metrics.status().message();
  return metrics ? *metrics : RoutingMetrics{};
}

}  // namespace tutti::fabric
