#include "base/per_thread.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <type_traits>

namespace tutti::base {
namespace {

struct Text {
  std::string text = "new";
  static inline int destroyed = 0;
  ~Text() { ++destroyed; }
};

struct Number {
  int number = 7;
};

TEST(PerThread, IsOneForEachTypeAndThread) {
  PerThread<Text>::get().text = "changed";
  EXPECT_EQ(PerThread<Text>::get().text, "changed");
  EXPECT_EQ(PerThread<Number>::get().number, 7);
  std::thread([] { EXPECT_EQ(PerThread<Text>::get().text, "new"); }).join();
  EXPECT_EQ(PerThread<Text>::get().text, "changed");
}

TEST(PerThread, IsDestroyedWithItsThread) {
  const int before = Text::destroyed;
  std::thread([] { PerThread<Text>::get().text = "changed"; }).join();
  EXPECT_EQ(Text::destroyed, before + 1);
}

struct AskedLate {
  ~AskedLate() { PerThread<Text>::get().text = "once more"; }
};

TEST(PerThread, IsMadeAnewForDestructorsOfTheThread) {
  const int before = Text::destroyed;
  std::thread([] {
    PerThread<AskedLate>::get();
    PerThread<Text>::get();  // goes before the one that asks for it
  }).join();
  EXPECT_EQ(Text::destroyed, before + 2);
}

void end_with_what_is_left() {
  std::_Exit(PerThread<Text>::get().text == "changed" && Text::destroyed == 0 ? 3 : 1);
}

TEST(PerThreadDeathTest, IsThereWhileTheProcessExits) {
  EXPECT_EXIT(
      {
        std::atexit(end_with_what_is_left);
        Text::destroyed = 0;
        PerThread<Text>::get().text = "changed";
        std::exit(0);
      },
      testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace tutti::base
