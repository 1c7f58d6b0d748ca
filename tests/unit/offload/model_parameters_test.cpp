#include <gtest/gtest.h>

#include "offload/model/parameters.hpp"

namespace tutti::offload::model {
namespace {

TEST(ModelParameters, PublishedSetsAreRead) {
  EXPECT_GE(published_sets().size(), 3u);
  for (const PublishedSet& set : published_sets()) {
    const auto parameters = load_parameters(std::string(set.name));
    ASSERT_TRUE(parameters.is_ok()) << parameters.status().message();
    EXPECT_EQ(parameters->name, set.name);
  }
}

TEST(ModelParameters, TheDefaultSetIsTheDefault) {
  Parameters defaults;
  EXPECT_EQ(format_parameters(load_parameters("default").value()), format_parameters(defaults));
}

TEST(ModelParameters, WhatIsWrittenIsReadBack) {
  for (const PublishedSet& set : published_sets()) {
    const std::string text = format_parameters(load_parameters(std::string(set.name)).value());
    const auto again = parse_parameters(text, "again");
    ASSERT_TRUE(again.is_ok()) << again.status().message();
    EXPECT_EQ(format_parameters(*again), text);
  }
}

TEST(ModelParameters, BadFilesGetOneLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "is not valid JSON"},
      {"[]", "is not an object"},
      {"{\"network\": 3}", "\"network\": is not an object"},
      {"{\"network\": {\"hop\": 3}}", "unknown key 'hop' in \"network\""},
      {"{\"network\": {\"hop_ns\": \"x\"}}", "\"hop_ns\": is not a number"},
      {"{\"network\": {\"hop_ns\": -1}}", "\"hop_ns\": is not between 0 and 100000"},
      {"{\"engine\": {\"contexts\": 2.5}}", "\"contexts\": is not a whole number"},
      {"{\"engine\": {\"contexts\": 17}}", "\"contexts\": is not between 1 and 16"},
      {"{\"network\": {\"topology\": \"ring\"}}", "a topology is torus"},
      {"{\"clock_mhz\": 1, \"clock_mhz\": 2}", "key 'clock_mhz' is given twice"},
      {"{\"engine\": {\"timeout_ns\": 1e7, \"shift_max\": 8}, \"clock_mhz\": 10000}", "2^30 cycles"},
      {"{\"name\": \"\"}", "\"name\": has no text"}};
  for (const auto& [text, complaint] : cases) {
    const auto parameters = parse_parameters(text, "mine.json");
    ASSERT_FALSE(parameters.is_ok()) << text;
    const std::string message = parameters.status().message();
    EXPECT_TRUE(message.starts_with("mine.json: ")) << message;
    EXPECT_NE(message.find(complaint), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
  const auto missing = load_parameters("no-such-set");
  ASSERT_FALSE(missing.is_ok());
  EXPECT_NE(missing.status().message().find("gemini"), std::string::npos);
}

TEST(ModelParameters, CyclesAreRoundedUp) {
  Parameters parameters;
  parameters.clock_mhz = 100;
  parameters.hop_ns = 101;
  parameters.inject_ns = 0;
  parameters.poll_ns = 0;
  parameters.pio_ns = 140;
  const Timing timing = timing_of(parameters);
  EXPECT_EQ(timing.network.hop_cycles, 11u);
  EXPECT_EQ(timing.network.inject_cycles, 1u);
  EXPECT_EQ(timing.poll, 0u);
  EXPECT_EQ(timing.pio, 14u);
}

}  // namespace
}  // namespace tutti::offload::model
