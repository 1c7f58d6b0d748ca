// Memory for large tables: aligned so that huge pages fit, and there to the last byte.

#include "base/huge_pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace tutti::base {
namespace {

TEST(HugePages, LargeMemoryBeginsWithOne) {
  constexpr size_t k_huge_page = size_t{2} << 20;
  for (const size_t count : {k_huge_page, k_huge_page + 1, 3 * k_huge_page - 1}) {
    const auto memory = huge_array<uint8_t>(count);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.get()) % k_huge_page, 0u);
    std::fill_n(memory.get(), count, uint8_t{7});
    EXPECT_EQ(std::count(memory.get(), memory.get() + count, uint8_t{7}), static_cast<long>(count));
  }
}

TEST(HugePages, LittleMemoryIsNotRoundedToOne) {
  for (const size_t count : {0, 1, 63, 64, 100'000}) {
    const auto memory = huge_array<uint32_t>(count);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.get()) % 64, 0u);
    std::fill_n(memory.get(), count, 7u);
  }
}

}  // namespace
}  // namespace tutti::base
