// Tests which parts of a buffer a program uses first.

#include "overlap/access_traces.hpp"

#include <sys/mman.h>

#include <array>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "owner.hpp"

namespace tutti::overlap::guard::test {
namespace {

constexpr uint64_t k_part = 256 << 10;  // at least a unit
constexpr uint64_t k_parts = 8;

class TraceTest : public EveryMechanism {
 protected:
  void SetUp() override {
    EveryMechanism::SetUp();
    if (IsSkipped()) return;
    memory_ = static_cast<std::byte*>(
        mmap(nullptr, 2 * k_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    const auto place = number_of(memory_) % k_part;
    data_ = memory_ + (k_part - place) % k_part;
    for (uint64_t part = 0; part < k_parts; ++part)
      std::memset(data_ + part * k_part, static_cast<int>(part) + 1, k_part);
  }
  void TearDown() override {
    traces().end_all();
    if (memory_ != nullptr) munmap(memory_, 2 * k_bytes);
  }

  static AccessTraces& traces() { return AccessTraces::of_process(); }
  base::Status begin(std::byte* buffer, const std::vector<Part>& parts) {
    const std::array<Mechanism, 1> mechanisms{GetParam()};
    return traces().begin(buffer, parts, mechanisms,
                          [this](std::vector<uint64_t> uses) { uses_ = std::move(uses); });
  }
  static std::vector<Part> even_parts() {
    std::vector<Part> parts;
    for (uint64_t part = 0; part < k_parts; ++part) parts.push_back({part * k_part, k_part});
    return parts;
  }
  int load(uint64_t place) const {
    return static_cast<int>(static_cast<const volatile std::byte*>(data_)[place]);
  }

  static constexpr uint64_t k_bytes = k_parts * k_part;
  std::byte* memory_ = nullptr;
  std::byte* data_ = nullptr;
  std::optional<std::vector<uint64_t>> uses_;
};

TEST_P(TraceTest, TheOrderOfUsesIsSeen) {
  ASSERT_TRUE(begin(data_, even_parts()).is_ok());
  EXPECT_FALSE(traces().is_empty());
  const std::vector<uint64_t> order{5, 2, 7};
  for (const uint64_t part : order) EXPECT_EQ(load(part * k_part + 77), static_cast<int>(part) + 1);
  EXPECT_FALSE(uses_.has_value());
  traces().end_all();
  EXPECT_TRUE(traces().is_empty());
  ASSERT_TRUE(uses_.has_value());
  for (size_t i = 1; i < order.size(); ++i) EXPECT_LE((*uses_)[order[i - 1]], (*uses_)[order[i]]);
  for (const uint64_t part : {0, 1, 3, 4, 6}) EXPECT_EQ((*uses_)[part], AccessTraces::k_never);
  for (uint64_t part = 0; part < k_parts; ++part) EXPECT_EQ(load(part * k_part), static_cast<int>(part) + 1);
}

TEST_P(TraceTest, WhatIsWrittenStays) {
  ASSERT_TRUE(begin(data_ + 100, {{0, k_bytes - 200}}).is_ok());
  data_[0] = std::byte{91};           // beside the buffer
  data_[101] = std::byte{92};         // on its first page, which other data shares
  data_[3 * k_part] = std::byte{93};  // closed
  data_[k_bytes - 101] = std::byte{94};
  traces().end_all();
  EXPECT_EQ(load(0), 91);
  EXPECT_EQ(load(101), 92);
  EXPECT_EQ(load(3 * k_part), 93);
  EXPECT_EQ(load(k_bytes - 101), 94);
  EXPECT_EQ(load(3 * k_part + 1), 4);
}

TEST_P(TraceTest, ManyThreadsTouchAtOnce) {
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(begin(data_, even_parts()).is_ok());
    std::vector<std::thread> threads;
    for (uint64_t part = 0; part < k_parts; ++part)
      threads.emplace_back([this, part] {
        for (uint64_t place = 0; place < k_bytes; place += k_part / 2)
          EXPECT_EQ(load((place + part * k_part) % k_bytes),
                    static_cast<int>((place / k_part + part) % k_parts) + 1);
      });
    if (round % 2 == 0) traces().end_all();
    for (auto& thread : threads) thread.join();
    traces().end_all();
  }
}

TEST_P(TraceTest, PartsThatCannotBeClosedAreNeverUsed) {
  ASSERT_TRUE(begin(data_, {{0, 8}, {8, k_bytes - 8}, {}}).is_ok());
  EXPECT_EQ(load(k_part), 2);
  traces().end_all();
  ASSERT_EQ(uses_->size(), 3u);
  EXPECT_EQ((*uses_)[0], AccessTraces::k_never);
  EXPECT_NE((*uses_)[1], AccessTraces::k_never);
  EXPECT_EQ((*uses_)[2], AccessTraces::k_never);
}

TEST_P(TraceTest, NothingToCloseIsAnAnswer) {
  EXPECT_FALSE(begin(data_ + 1, {{0, 100}}).is_ok());
  EXPECT_FALSE(begin(data_, {}).is_ok());
  EXPECT_TRUE(traces().is_empty());
  EXPECT_FALSE(uses_.has_value());
}

TEST_P(TraceTest, TracesFollowEachOther) {
  for (int round = 0; round < 100; ++round) {
    ASSERT_TRUE(begin(data_, even_parts()).is_ok());
    EXPECT_EQ(load(static_cast<uint64_t>(round) % k_parts * k_part), round % static_cast<int>(k_parts) + 1);
    traces().end_all();
    EXPECT_NE((*uses_)[static_cast<uint64_t>(round) % k_parts], AccessTraces::k_never);
  }
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, TraceTest, testing::ValuesIn(k_mechanisms), name_of);

}  // namespace
}  // namespace tutti::overlap::guard::test
