// Proves which positions have heard of which, for every count up to 4096 and far beyond, by sets of arrivals.
//
// The pattern is the same for every position: position i hears of the same positions as position 0, shifted by i. So
// one set proves it for all: the distances back to the positions heard of. Sets are unions of runs on a circle,
// without any assumption about their form.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "pattern/dissemination.hpp"
#include "tests/support/sanitizer.hpp"

namespace tutti::pattern {
namespace {

using Distances = std::vector<std::vector<uint32_t>>;

/// A set of numbers below `count`, as runs [first, end) in ascending order that do not touch.
class CircleSet {
 public:
  explicit CircleSet(uint64_t count) : count_(count), runs_{{0, 1}} {}

  /// Adds all numbers of `other`, shifted around the circle.
  void add(const CircleSet& other, uint64_t shift) {
    for (const Run& run : other.runs_) {
      const uint64_t first = run.first + shift, end = run.end + shift;
      if (first < count_) runs_.push_back({first, std::min(end, count_)});
      if (end > count_) runs_.push_back({first > count_ ? first - count_ : 0, end - count_});
    }
    std::ranges::sort(runs_, {}, &Run::first);
    size_t last = 0;
    for (size_t i = 1; i < runs_.size(); ++i) {
      if (runs_[i].first <= runs_[last].end)
        runs_[last].end = std::max(runs_[last].end, runs_[i].end);
      else
        runs_[++last] = runs_[i];
    }
    runs_.resize(last + 1);
  }

  uint64_t size() const {
    uint64_t sum = 0;
    for (const Run& run : runs_) sum += run.end - run.first;
    return sum;
  }

 private:
  struct Run {
    uint64_t first, end;
  };
  uint64_t count_;
  std::vector<Run> runs_;
};

CircleSet after_round(const CircleSet& before, const std::vector<uint32_t>& distances,
                      size_t left_out = SIZE_MAX) {
  CircleSet now = before;
  for (size_t i = 0; i < distances.size(); ++i)
    if (i != left_out) now.add(before, distances[i]);
  return now;
}

/// The least s with radix^s >= count, by multiplying.
uint32_t rounds_needed(uint64_t count, uint64_t radix) {
  uint32_t rounds = 0;
  for (uint64_t reach = 1; reach < count; reach *= radix) ++rounds;
  return rounds;
}

/// Empty when the claim of pattern/dissemination.hpp holds for this count.
std::string defect(uint32_t count, uint32_t radix, DisseminationShape shape) {
  const Distances rounds = dissemination_rounds(count, radix, shape);
  if (rounds.size() != rounds_needed(count, radix)) return std::to_string(rounds.size()) + " rounds";
  CircleSet heard(count);
  for (size_t r = 0; r < rounds.size(); ++r) {
    const bool is_last = r + 1 == rounds.size();
    if (rounds[r].size() != radix - 1 && !(is_last && rounds[r].size() < radix - 1))
      return "messages of a round";
    for (size_t i = 0; is_last && i < rounds[r].size(); ++i)
      if (after_round(heard, rounds[r], i).size() == count) return "a useless message in the last round";
    const CircleSet now = after_round(heard, rounds[r]);
    // No set can grow faster, which is why fewer rounds are not enough.
    if (now.size() > radix * heard.size()) return "the set of arrivals is wrong";
    heard = now;
  }
  return heard.size() == count ? "" : "somebody is never heard of";
}

struct Form {
  DisseminationShape shape;
  uint32_t radix;
};

std::vector<Form> forms() {
  std::vector<Form> all;
  for (uint32_t radix = 2; radix <= 16; ++radix) all.push_back({DisseminationShape::forward, radix});
  for (uint32_t radix = 3; radix <= 15; radix += 2) all.push_back({DisseminationShape::symmetric, radix});
  return all;
}

TEST(DisseminationProof, EveryCountUpTo4096) {
  for (const auto& [shape, radix] : forms())
    for (uint32_t count = 1; count <= test::samples(4096U); ++count)
      ASSERT_EQ(defect(count, radix, shape), "") << count << " positions, radix " << radix;
}

TEST(DisseminationProof, ManyCountsUpToTwoToTheTwenty) {
  std::mt19937 random(1);
  std::vector<uint32_t> counts;
  for (uint64_t radix = 2; radix <= 16; ++radix)
    for (uint64_t power = radix; power <= (1U << 20); power *= radix)
      for (const uint64_t count : {power - 1, power, power + 1})
        counts.push_back(static_cast<uint32_t>(count));
  for (int i = 0; i < 500; ++i) counts.push_back(1 + random() % (1U << 20));
  for (const auto& [shape, radix] : forms())
    for (const uint32_t count : counts)
      ASSERT_EQ(defect(count, radix, shape), "") << count << " positions, radix " << radix;
}

TEST(DisseminationProof, TwentyRoundsOfRadixThreeReachMoreThanThreeThousandMillion) {
  const uint32_t reach = 3'486'784'401;  // 3^20
  for (const uint32_t count : {3'000'000'000U, reach, reach - 1}) {
    EXPECT_EQ(dissemination_rounds(count, 3, DisseminationShape::symmetric).size(), 20U);
    EXPECT_EQ(defect(count, 3, DisseminationShape::symmetric), "");
    EXPECT_EQ(defect(count, 3, DisseminationShape::forward), "");
  }
  EXPECT_EQ(dissemination_rounds(reach + 1, 3, DisseminationShape::symmetric).size(), 21U);
}

TEST(DisseminationProof, TwoWayPeersAreThoseOfThePaper) {
  // Paper 003 §1.2: j = i + 3^s mod p and i - 3^s mod p, where both bring news.
  for (const uint32_t count : {3U, 9U, 27U, 128U, 1000U, 65'536U}) {
    const Distances rounds = dissemination_rounds(count, 3, DisseminationShape::symmetric);
    uint64_t power = 1;
    for (size_t s = 0; s < rounds.size(); ++s, power *= 3) {
      EXPECT_EQ(rounds[s][0], power);
      if (rounds[s].size() > 1) {
        EXPECT_EQ(rounds[s][1], count - power);
      }
      if (s + 1 < rounds.size()) {
        EXPECT_EQ(rounds[s].size(), 2U);
      }
    }
  }
}

}  // namespace
}  // namespace tutti::pattern
