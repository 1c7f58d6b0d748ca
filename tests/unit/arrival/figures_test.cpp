#include "arrival/figures.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace tutti::arrival;

// Two calls of three ranks; the last arrivals are 6 and 9, the last exits 10 and 12.
const std::vector<Visit> k_visits = {{0, 8}, {6, 10}, {2, 9}, {9, 12}, {3, 12}, {0, 11}};

TEST(Figures, OfTheCalls) {
  const Figures figures = figures_of(k_visits, 3, Waits::for_all, 0);
  EXPECT_DOUBLE_EQ(figures.mean, (8 + 4 + 7 + 3 + 9 + 11) / 6.0);
  EXPECT_DOUBLE_EQ(figures.slowest, (7 + 11) / 2.0);
  EXPECT_DOUBLE_EQ(figures.after_last, (4 + 3) / 2.0);
}

TEST(Figures, FloorsOfTheKindsOfWaiting) {
  const auto floors = [](Waits waits, uint32_t root) {
    const Figures figures = figures_of(k_visits, 3, waits, root);
    return std::pair(figures.floor_slowest, figures.floor_mean);
  };
  EXPECT_EQ(floors(Waits::for_all, 0), std::pair((4 + 9) / 2.0, (6 + 0 + 4 + 0 + 6 + 9) / 6.0));
  EXPECT_EQ(floors(Waits::for_root, 0), std::pair((0 + 9) / 2.0, (6 + 9) / 6.0));
  EXPECT_EQ(floors(Waits::for_root, 1), std::pair((4 + 3) / 2.0, (6 + 4 + 3) / 6.0));
  EXPECT_EQ(floors(Waits::of_root, 2), std::pair((4 + 9) / 2.0, (4 + 9) / 6.0));
  EXPECT_EQ(floors(Waits::for_lower, 0), std::pair((4 + 9) / 2.0, (4 + 6 + 9) / 6.0));
}

TEST(Figures, WhoWaitsForWhom) {
  for (const char* name : {"bcast", "scatter", "scatterv"})
    EXPECT_EQ(waits_of(name), Waits::for_root) << name;
  for (const char* name : {"reduce", "gather", "gatherv"}) EXPECT_EQ(waits_of(name), Waits::of_root) << name;
  for (const char* name : {"scan", "exscan"}) EXPECT_EQ(waits_of(name), Waits::for_lower) << name;
  for (const char* name : {"barrier", "allreduce", "reduce_scatter", "reduce_scatter_block", "allgather",
                           "allgatherv", "alltoall", "alltoallv", "alltoallw"})
    EXPECT_EQ(waits_of(name), Waits::for_all) << name;
}

}  // namespace
