#include "arrival/pattern.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "arrival/duration.hpp"
#include "tests/support/temporary.hpp"

namespace {

using namespace tutti::arrival;

constexpr uint64_t k_ms = 1'000'000;

Pattern pattern_of(const std::string& text) {
  const auto made = parse_pattern(text);
  EXPECT_TRUE(made) << text << ": " << made.status().message();
  return made ? *made : Pattern{};
}

TEST(Duration, GoesRound) {
  for (const char* text : {"5ms", "0.5us", "20ns", "1s", "1.5ms", "1000s", "0ns", "12.345678901s", "999ns"}) {
    const auto ns = parse_duration_ns(text);
    ASSERT_TRUE(ns) << text;
    const std::string again = format_duration(*ns);
    EXPECT_EQ(*parse_duration_ns(again), *ns) << text << " is written as " << again;
  }
  EXPECT_EQ(*parse_duration_ns("1.5ms"), 1'500'000u);
  EXPECT_EQ(format_duration(500), "500ns");
  EXPECT_EQ(format_duration(1'050'000), "1.05ms");
  for (const char* text :
       {"", "5", "ms", "-1ms", "+1ms", "1e3s", "nanms", "infs", "5 ms", "5msx", "1001s", ".5ms", "1m"})
    EXPECT_FALSE(parse_duration_ns(text)) << text;
}

TEST(Pattern, TextsGoRound) {
  for (const char* text : {"none", "uniform:5ms", "exponential:20us", "normal:15ms,5ms",
                           "straggler:rank=3,20ms", "one-late:1s", "ascending:500ns", "halves:1.5ms"})
    EXPECT_EQ(to_text(pattern_of(text)), text);
  EXPECT_EQ(to_text(pattern_of("normal:5ms")), "normal:15ms,5ms");
  EXPECT_EQ(to_text(pattern_of("normal:0ns,5ms")), "normal:0ns,5ms");
}

TEST(Pattern, WhatIsNoneIsRefusedInOneLine) {
  for (const char* text :
       {"", "uniform", "uniform:", "uniform:5", "uniform:5ms,", "none:5ms", "none:", "unifrom:5ms",
        "straggler:20ms", "straggler:rank=,20ms", "straggler:rank=3", "straggler:rank=-1,20ms", "normal:,5ms",
        "normal:5ms,", "normal:1ms,2ms,3ms", "uniform:5ms\nx", "recorded"}) {
    const auto made = parse_pattern(text);
    ASSERT_FALSE(made) << text;
    EXPECT_EQ(made.status().message().find('\n'), std::string::npos) << made.status().message();
  }
  EXPECT_NE(parse_pattern("unifrom:5ms").status().message().find("did you mean uniform?"), std::string::npos);
  EXPECT_NE(load_pattern("no/such/file").status().message().find("and no file"), std::string::npos);
  EXPECT_TRUE(check(pattern_of("straggler:rank=3,1ms"), 4));
  EXPECT_FALSE(check(pattern_of("straggler:rank=3,1ms"), 3));
}

TEST(Pattern, DrawsAreTheSameEverywhere) {
  const Pattern uniform = pattern_of("uniform:1s");
  EXPECT_EQ(delay_ns(uniform, 1, {2, 4}, 3), delay_ns(uniform, 1, {2, 4}, 3));
  EXPECT_NE(delay_ns(uniform, 1, {2, 4}, 3), delay_ns(uniform, 2, {2, 4}, 3));
  EXPECT_NE(delay_ns(uniform, 1, {2, 4}, 3), delay_ns(uniform, 1, {1, 4}, 3));
  EXPECT_NE(delay_ns(uniform, 1, {2, 4}, 3), delay_ns(uniform, 1, {2, 4}, 4));
  // A value that only a change of the generator can change.
  EXPECT_NEAR(delay_ns(uniform, 1, {0, 1}, 0), 138'709'410.0, 1.0);
}

struct Moments {
  double mean, deviation, least, most;
};

Moments moments_of(const Pattern& pattern) {
  constexpr uint32_t k_ranks = 8, k_calls = 20'000;
  double sum = 0, squares = 0, least = 1e300, most = 0;
  for (uint32_t call = 0; call < k_calls; ++call)
    for (uint32_t rank = 0; rank < k_ranks; ++rank) {
      const double delay = delay_ns(pattern, 7, {rank, k_ranks}, call) / k_ms;
      sum += delay;
      squares += delay * delay;
      least = std::min(least, delay);
      most = std::max(most, delay);
    }
  const double n = double{k_ranks} * k_calls, mean = sum / n;
  return {mean, std::sqrt(squares / n - mean * mean), least, most};
}

TEST(Pattern, DrawsHaveTheMomentsOfTheirKind) {
  const Moments uniform = moments_of(pattern_of("uniform:6ms"));
  EXPECT_NEAR(uniform.mean, 3, 0.02);
  EXPECT_NEAR(uniform.deviation, 6 / std::sqrt(12), 0.02);
  EXPECT_GE(uniform.least, 0);
  EXPECT_LT(uniform.most, 6);
  const Moments exponential = moments_of(pattern_of("exponential:6ms"));
  EXPECT_NEAR(exponential.mean, 6, 0.06);
  EXPECT_NEAR(exponential.deviation, 6, 0.1);
  const Moments normal = moments_of(pattern_of("normal:60ms,6ms"));
  EXPECT_NEAR(normal.mean, 60, 0.06);
  EXPECT_NEAR(normal.deviation, 6, 0.06);
  // Half of what is drawn is below 0, which counts as 0: the mean is that of the half normal distribution.
  EXPECT_NEAR(moments_of(pattern_of("normal:0ns,6ms")).mean, 6 / std::sqrt(2 * M_PI), 0.05);
}

TEST(Pattern, SomeRanksAreLate) {
  const Pattern straggler = pattern_of("straggler:rank=2,4ms"), ascending = pattern_of("ascending:6ms");
  const Pattern one_late = pattern_of("one-late:4ms"), halves = pattern_of("halves:4ms");
  for (uint32_t call = 0; call < 50; ++call) {
    double late = 0;
    for (uint32_t rank = 0; rank < 4; ++rank) {
      const Who who{rank, 4};
      EXPECT_EQ(delay_ns(straggler, 1, who, call), rank == 2 ? 4 * k_ms : 0);
      EXPECT_EQ(delay_ns(ascending, 1, who, call), 2.0 * k_ms * rank);
      EXPECT_EQ(delay_ns(halves, 1, who, call), rank % 2 == 1 ? 4 * k_ms : 0);
      EXPECT_EQ(delay_ns(Pattern{}, 1, who, call), 0);
      late += delay_ns(one_late, 1, who, call);
    }
    EXPECT_EQ(late, 4 * k_ms);
  }
  EXPECT_EQ(delay_ns(ascending, 1, {0, 1}, 0), 0);
}

TEST(Recording, IsReadCallByCall) {
  const auto made = parse_recording("# ranks 0 1 2\n0 1.5 20  # first\n\n \t\n3 0 1e2\r\n", "late.txt");
  ASSERT_TRUE(made) << made.status().message();
  EXPECT_EQ(made->ranks, 3u);
  EXPECT_EQ(made->lateness_ns, (std::vector<uint64_t>{0, 1500, 20'000, 3000, 0, 100'000}));
  EXPECT_EQ(made->at(0, 1), 1500u);
  EXPECT_EQ(made->at(3, 2), 100'000u) << "after the last call the first one comes again";
}

TEST(Recording, MistakesHaveALine) {
  const auto message = [](std::string_view text) { return parse_recording(text, "f").status().message(); };
  EXPECT_EQ(message(""), "f: no line with the lateness of ranks");
  EXPECT_EQ(message("# nothing\n"), "f: no line with the lateness of ranks");
  EXPECT_EQ(message("0 1\n\n0 1 2\n"), "f:3: 3 ranks, where the lines before have 2");
  for (const char* word : {"-1", "nan", "inf", "x", "1x", "1e10", "1,2"})
    EXPECT_TRUE(message(std::string("0 1\n0 ") + word).starts_with("f:2: '")) << word;
  std::string large;
  for (uint64_t i = 0; i <= k_most_recorded; ++i) large += "1 ";
  EXPECT_EQ(message(large), "f:1: more than 4194304 numbers");
}

TEST(Recording, IsAPatternOfItsRanks) {
  const std::string name = tutti::support::temporary_path("arrivals").string();
  std::ofstream(name) << "0 10\n5 0\n";
  const auto made = load_pattern(name);
  ASSERT_TRUE(made) << made.status().message();
  EXPECT_EQ(to_text(*made), name);
  EXPECT_TRUE(check(*made, 2));
  EXPECT_FALSE(check(*made, 3));
  EXPECT_EQ(delay_ns(*made, 1, {1, 2}, 0), 10'000);
  EXPECT_EQ(delay_ns(*made, 1, {0, 2}, 1), 5'000);
  EXPECT_FALSE(load_pattern(std::filesystem::temp_directory_path().string()));
  std::filesystem::resize_file(name, k_most_recording_bytes + 1);
  EXPECT_NE(load_pattern(name).status().message().find("more than"), std::string::npos);
}

}  // namespace
