// Tests which order of arrival suits a program that has been observed.

#include "select/access_orders.hpp"

#include <gtest/gtest.h>

#include "algorithm/parts_in_access_order.hpp"

namespace tutti::select {
namespace {

using pattern::AccessOrder;
using schedule::Rank;

constexpr uint64_t k_transfer_ns = 32'000'000;

uint32_t parts_of(Rank blocks) {
  return static_cast<uint32_t>(blocks) * algorithm::parts_per_block(blocks);
}

/// A program that needs `gap_ns` for each part.
AccessRecord used_in(const AccessOrder& order, Rank blocks, uint64_t gap_ns) {
  AccessRecord record{.transfer_ns = k_transfer_ns, .first_use_ns = {}};
  record.first_use_ns.resize(parts_of(blocks));
  uint64_t now_ns = 0;
  for (const uint32_t part : order.sequence(parts_of(blocks))) record.first_use_ns[part] = now_ns += gap_ns;
  return record;
}

AccessOrder learned(const RoundMeasurements& all, Rank blocks, size_t running = 0) {
  return access_orders(blocks)[best_access_order(all, blocks, running)];
}

TEST(AccessOrders, FitTheMeasurementsAndDiffer) {
  for (Rank blocks = 1; blocks < 100; ++blocks) {
    const auto orders = access_orders(blocks);
    EXPECT_LT(orders.size(), k_most_slots);
    EXPECT_EQ(orders.front(), AccessOrder{});
    for (size_t i = 0; i < orders.size(); ++i)
      for (size_t j = 0; j < i; ++j) EXPECT_NE(orders[i], orders[j]);
  }
}

TEST(AccessOrders, WhoComputesAsLongAsDataTravelsWaitsForTheFirstPart) {
  const AccessRecord record = used_in({}, 1, k_transfer_ns / 32);
  EXPECT_EQ(waited_ns(record, AccessOrder{}.sequence(32)), 0u);
  const AccessRecord quick = used_in({}, 1, 0);
  EXPECT_EQ(waited_ns(quick, AccessOrder{}.sequence(32)), k_transfer_ns);
  EXPECT_EQ(waited_ns(record, AccessOrder{.is_backward = true}.sequence(32)), k_transfer_ns * 31 / 32);
}

TEST(AccessOrders, OwnPartsTakeNoTime) {
  AccessRecord record{.transfer_ns = 1000,
                      .first_use_ns = {AccessRecord::k_own, 1000, AccessRecord::k_own, 400}};
  EXPECT_EQ(waited_ns(record, AccessOrder{}.sequence(4)), 600u) << "part 1 after 500, part 3 after 1000";
  EXPECT_EQ(waited_ns(record, AccessOrder{.is_backward = true}.sequence(4)), 100u);
}

TEST(AccessOrders, EveryOrderIsRecognised) {
  for (const Rank blocks : {1, 2, 4, 7, 32, 50})
    for (const AccessOrder& order : access_orders(blocks)) {
      const AccessRecord record = used_in(order, blocks, k_transfer_ns / parts_of(blocks));
      EXPECT_EQ(learned(measurements_of(record, blocks), blocks), order) << blocks << ' ' << order.stride;
    }
}

TEST(AccessOrders, TheSlowestRankDecides) {
  RoundMeasurements all = measurements_of(used_in({.is_backward = true}, 2, k_transfer_ns / 32), 2);
  all.add(measurements_of(used_in({.is_backward = true}, 2, k_transfer_ns / 32), 2));
  all.add(measurements_of({}, 2));  // has seen nothing
  EXPECT_EQ(learned(all, 2), (AccessOrder{.is_backward = true}));
}

TEST(AccessOrders, RanksThatContradictEachOtherLeaveItAsItIs) {
  RoundMeasurements all = measurements_of(used_in({.is_backward = true}, 2, k_transfer_ns / 32), 2);
  all.add(measurements_of(used_in({}, 2, k_transfer_ns / 32), 2));
  const AccessOrder order = learned(all, 2);
  EXPECT_EQ(order, AccessOrder{});
}

TEST(AccessOrders, NothingSeenChangesNothing) {
  for (size_t running = 0; running < access_orders(3).size(); ++running)
    EXPECT_EQ(best_access_order(measurements_of({}, 3), 3, running), running);
}

}  // namespace
}  // namespace tutti::select
