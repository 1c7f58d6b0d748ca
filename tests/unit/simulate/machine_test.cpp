#include "simulate/machine.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tutti::simulate {
namespace {

TEST(Machine, IsWrittenAndReadBack) {
  for (const PublishedMachine& published : published_machines()) {
    const auto machine = load_machine(std::string(published.name));
    ASSERT_TRUE(machine.is_ok()) << machine.status().message();
    EXPECT_EQ(machine->name, published.name);
    const std::string text = format_machine(*machine);
    const auto again = parse_machine(text, "again");
    ASSERT_TRUE(again.is_ok()) << again.status().message();
    EXPECT_EQ(format_machine(*again), text);
  }
}

TEST(Machine, CostsAreWholeNumbers) {
  const auto machine =
      parse_machine(R"({"network": {"latency_ns": 1.5, "gap_ns": 0.25, "ns_per_byte": 0.0801}})", "file");
  ASSERT_TRUE(machine.is_ok());
  const Costs costs = costs_of(*machine);
  EXPECT_EQ(costs.latency_ps, 1500u);
  EXPECT_EQ(costs.nic.of_message(0), 250u);
  EXPECT_EQ(costs.nic.of_message(1), 250u);
  EXPECT_EQ(costs.nic.of_message(101), 250u + 8010u);
  EXPECT_EQ(costs.nic.of_bytes(100), 250u + 8010u);
}

TEST(Machine, BadFilesGetOneLine) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "file: "},
      {"[]", "is not an object"},
      {R"({"netwrok": {}})", "did you mean"},
      {R"({"network": {"latency_n": 3}})", "latency_ns"},
      {R"({"network": {"latency_ns": -1}})", "is not between"},
      {R"({"network": {"latency_ns": "3"}})", "is not a number"},
      {R"({"network": {"latency_ns": 1, "latency_ns": 2}})", "latency_ns"},
      {R"({"network": {"eager_bytes": 1.5}})", "whole number"},
      {R"({"network": {"topology": "ring"}})", "topology"},
      {R"({"network": 3})", "is not an object"},
      {R"({"engine": {"window": 0}})", "is not between"},
      {R"({"name": ""})", "no text"},
  };
  for (const auto& [text, part] : wrong) {
    const auto made = parse_machine(text, "file");
    ASSERT_FALSE(made.is_ok()) << text;
    const std::string message = made.status().message();
    EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_TRUE(message.starts_with("file: ")) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
  EXPECT_NE(load_machine("no such file").status().message().find("paper000"), std::string::npos);
}

TEST(Machine, TheSchemaKnowsEveryParameter) {
  const auto schema = nlohmann::json::parse(machine_schema());
  const auto written = nlohmann::json::parse(format_machine(Machine{}));
  for (const auto& [section, object] : written.items()) {
    ASSERT_TRUE(schema["properties"].contains(section)) << section;
    if (!object.is_object()) continue;
    for (const auto& [key, value] : object.items())
      EXPECT_TRUE(schema["properties"][section]["properties"].contains(key)) << key;
  }
}

}  // namespace
}  // namespace tutti::simulate
