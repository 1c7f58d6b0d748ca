#include "base/short_way.hpp"

#include <gtest/gtest.h>

namespace tutti::base {
namespace {

TEST(ShortWay, IsOpenWhileThereIsNoReasonAgainstIt) {
  EXPECT_TRUE(ShortWay::is_open());
  {
    ShortWay::Reason one, other;
    one.set(true);
    one.set(true);
    other.set(true);
    EXPECT_FALSE(ShortWay::is_open());
    one.set(false);
    EXPECT_FALSE(ShortWay::is_open());
    EXPECT_FALSE(one.is_there());
    other.set(false);
    EXPECT_TRUE(ShortWay::is_open());
    other.set(false);
    EXPECT_TRUE(ShortWay::is_open());
    other.set(true);
  }
  EXPECT_TRUE(ShortWay::is_open()) << "a reason goes with what has it";
}

}  // namespace
}  // namespace tutti::base
