// Traces of what a program uses first, written and read back.

#include "select/access_log.hpp"

#include <gtest/gtest.h>

namespace tutti::select {
namespace {

using algorithm::Collective;

TracedCall call_of(std::optional<uint64_t> bytes, schedule::Rank blocks, size_t parts) {
  TracedCall call{.collective = Collective::alltoall, .bytes = bytes, .blocks = blocks, .communicator = 7};
  call.record.transfer_ns = 1000;
  call.record.first_use_ns.assign(parts, 5);
  call.record.first_use_ns.back() = AccessRecord::k_never;
  call.record.first_use_ns[1] = AccessRecord::k_own;
  return call;
}

TEST(AccessLog, IsReadBackAsItWas) {
  AccessLog log;
  log.add(call_of(4096, 2, 32));
  log.add(call_of(std::nullopt, 50, 50));
  const auto read = parse_access_log(log.to_json(3, 8));
  ASSERT_TRUE(read.is_ok()) << read.status().message();
  EXPECT_EQ(read->rank, 3);
  EXPECT_EQ(read->rank_count, 8);
  ASSERT_EQ(read->calls.size(), 2u);
  EXPECT_EQ(read->calls[0].bytes, 4096u);
  EXPECT_EQ(read->calls[0].communicator, 7u);
  EXPECT_EQ(read->calls[0].record.first_use_ns.front(), 5u);
  EXPECT_EQ(read->calls[0].record.first_use_ns.back(), AccessRecord::k_never);
  EXPECT_EQ(read->calls[0].record.first_use_ns[1], AccessRecord::k_own);
  EXPECT_FALSE(read->calls[1].bytes.has_value());
  EXPECT_EQ(read->calls[1].blocks, 50);
}

TEST(AccessLog, TooManyCallsAreCounted) {
  AccessLog log;
  for (size_t i = 0; i < AccessLog::k_most_calls + 3; ++i) log.add(call_of(1, 1, 32));
  const auto read = parse_access_log(log.to_json(0, 1));
  ASSERT_TRUE(read.is_ok());
  EXPECT_EQ(read->calls.size(), AccessLog::k_most_calls);
  EXPECT_EQ(read->left_out, 3u);
}

TEST(AccessLog, WhatIsNoneIsRefusedInOneLine) {
  AccessLog short_of_parts;
  short_of_parts.add(call_of(1, 1, 31));
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("{\"schema\": 2, \"calls\": []}"),
        short_of_parts.to_json(0, 1)}) {
    const auto read = parse_access_log(text);
    ASSERT_FALSE(read.is_ok()) << text;
    EXPECT_EQ(read.status().message().find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace tutti::select
