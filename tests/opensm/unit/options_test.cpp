#include "opensm/options.hpp"

#include <gtest/gtest.h>

namespace tutti::opensm {
namespace {

TEST(OpensmOptions, DefaultsStandWithoutWords) {
  const auto options = parse_options("");
  ASSERT_TRUE(options) << options.status().message();
  EXPECT_EQ(options->base, "minhop");
  EXPECT_EQ(options->colours, 0u);
  EXPECT_EQ(options->merge, fabric::MergeStrategy::keep);
}

TEST(OpensmOptions, ReadsEveryWord) {
  const auto options = parse_options(
      " base=updn,colours=120 reserve=3\tgather=250 members=16 merge=rebuild method=paper seed=9 "
      "mgids=ff18::/16 ");
  ASSERT_TRUE(options) << options.status().message();
  EXPECT_EQ(options->base, "updn");
  EXPECT_EQ(options->colours, 120u);
  EXPECT_EQ(options->reserve, 3u);
  EXPECT_EQ(options->gather_ms, 250u);
  EXPECT_EQ(options->members, 16u);
  EXPECT_EQ(options->merge, fabric::MergeStrategy::rebuild);
  EXPECT_EQ(options->method, fabric::Method::paper);
  EXPECT_EQ(options->seed, 9u);
  EXPECT_EQ(options->mgid_prefix_bits, 16u);
}

TEST(OpensmOptions, NamesTheWordThatIsWrong) {
  for (const char* word : {"base=lash", "base", "colours=16384", "colours=-1", "colours=", "gather=60001",
                           "merge=", "mgids=ff18::", "mgids=ff18::/129", "mgids=1::/8", "speed=9", "="}) {
    const auto options = parse_options(word);
    ASSERT_FALSE(options) << word;
    EXPECT_NE(options.status().message().find(word), std::string::npos) << options.status().message();
    EXPECT_EQ(options.status().message().find('\n'), std::string::npos);
  }
}

TEST(OpensmOptions, TakesGroupsByPrefix) {
  const auto options = parse_options("mgids=ff18:0:0:1:8000::/65");
  ASSERT_TRUE(options) << options.status().message();
  EXPECT_TRUE(takes(*options, *fabric::parse_mgid("ff18:0:0:1:8000::1")));
  EXPECT_FALSE(takes(*options, *fabric::parse_mgid("ff18:0:0:1::1")));
  EXPECT_FALSE(takes(*options, *fabric::parse_mgid("ff18:0:0:2:8000::1")));
  EXPECT_TRUE(takes(Options{}, *fabric::parse_mgid("ff12:401b:ffff::1")));
}

}  // namespace
}  // namespace tutti::opensm
