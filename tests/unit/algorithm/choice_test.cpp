// Reading and writing of choices, and what every row of the catalogue must have.

#include <gtest/gtest.h>

#include <set>

#include "algorithm/catalogue.hpp"

namespace tutti::algorithm {
namespace {

Choice parse(Collective collective, std::string_view text) {
  auto choice = parse_choice(collective, text);
  EXPECT_TRUE(choice) << choice.status().message();
  return choice ? *choice : Choice{};
}

std::string error_of(Collective collective, std::string_view text) {
  const auto choice = parse_choice(collective, text);
  EXPECT_FALSE(choice) << text;
  if (choice) return {};
  EXPECT_EQ(choice.status().code(), base::Code::invalid_argument);
  EXPECT_EQ(choice.status().message().find('\n'), std::string::npos);
  return choice.status().message();
}

TEST(ParseChoice, NameAloneHasDefaults) {
  const Choice choice = parse(Collective::bcast, "chain");
  ASSERT_NE(choice.algorithm, nullptr);
  EXPECT_EQ(choice.algorithm->name, "chain");
  EXPECT_EQ(choice.parameters, default_parameters(*choice.algorithm));
}

TEST(ParseChoice, ParametersInAnyOrder) {
  const Choice choice = parse(Collective::bcast, "knomial:segment=64k:radix=5");
  EXPECT_EQ(choice.parameters[0], 5u);
  EXPECT_EQ(choice.parameters[1], 64u << 10);
  EXPECT_EQ(choice, parse(Collective::bcast, "knomial:radix=5:segment=65536"));
}

TEST(ParseChoice, Words) {
  EXPECT_EQ(parse(Collective::barrier, "dissemination:radix=3:shape=symmetric").parameters[1], 1u);
}

TEST(ParseChoice, UnknownNamesSuggestTheNearest) {
  EXPECT_EQ(error_of(Collective::reduce, "chian").substr(0, 55),
            "unknown reduce algorithm 'chian' (did you mean chain?);");
  EXPECT_NE(error_of(Collective::bcast, "knomial:radx=3")
                .find("parameter of bcast knomial 'radx' (did you mean radix?)"),
            std::string::npos);
  EXPECT_NE(error_of(Collective::barrier, "dissemination:shape=symetric").find("(did you mean symmetric?)"),
            std::string::npos);
  EXPECT_NE(error_of(Collective::bcast, "linear:segment=1").find("there are none"), std::string::npos);
}

TEST(ParseChoice, AnAlgorithmOfAnotherCollectiveIsUnknown) {
  EXPECT_NE(error_of(Collective::bcast, "rabenseifner").find("unknown bcast algorithm"), std::string::npos);
}

TEST(ParseChoice, BadValues) {
  EXPECT_NE(error_of(Collective::bcast, "knomial:radix=1").find("bcast knomial: radix=1 is outside 2 to 64"),
            std::string::npos);
  EXPECT_NE(error_of(Collective::bcast, "chain:segment=0").find("outside 1 to 1G"), std::string::npos);
  EXPECT_NE(error_of(Collective::bcast, "chain:segment=2G").find("outside"), std::string::npos);
  EXPECT_NE(error_of(Collective::bcast, "chain:segment=").find("bcast chain: segment"), std::string::npos);
  EXPECT_NE(error_of(Collective::bcast, "chain:segment=-1").find("bcast chain: segment"), std::string::npos);
  EXPECT_NE(error_of(Collective::bcast, "knomial:radix=4K").find("bcast knomial: radix"), std::string::npos);
}

TEST(ParseChoice, BadForm) {
  for (const char* text : {"", ":", "chain:", "chain::segment=1K", "chain:segment",
                           "chain:segment=1K:", "chain:segment=1K:segment=2K", " chain", "chain segment=1K"})
    EXPECT_FALSE(error_of(Collective::bcast, text).empty()) << text;
  EXPECT_NE(error_of(Collective::bcast, "chain:segment=1K:segment=1K").find("given twice"),
            std::string::npos);
}

TEST(FormatChoice, LeavesDefaultsOut) {
  EXPECT_EQ(to_string(parse(Collective::bcast, "chain")), "chain");
  EXPECT_EQ(to_string(parse(Collective::bcast, "knomial:radix=2:segment=1M")), "knomial:segment=1M");
  EXPECT_EQ(to_string(parse(Collective::bcast, "chain:segment=1000")), "chain:segment=1000");
}

TEST(FormatChoice, ReadsBackForEveryRowAndExtremeValue) {
  for (const Algorithm* row : catalogue())
    for (size_t i = 0; i < row->parameters.size(); ++i)
      for (uint64_t value : {row->parameters[i].min, row->parameters[i].max}) {
        Choice choice{row, default_parameters(*row)};
        choice.parameters.values[i] = value;
        EXPECT_EQ(parse(row->collective, to_string(choice)), choice) << to_string(choice);
      }
}

TEST(Catalogue, RowsAreSound) {
  std::set<std::pair<Collective, std::string_view>> names;
  Collective last = Collective::barrier;
  for (const Algorithm* row : catalogue()) {
    EXPECT_TRUE(names.emplace(row->collective, row->name).second) << row->name << " stands there twice";
    EXPECT_LE(last, row->collective) << row->name << " is not with its collective";
    last = row->collective;
    EXPECT_EQ(find(row->collective, row->name), row);
    EXPECT_FALSE(row->summary.empty());
    EXPECT_FALSE(row->source.empty());
    EXPECT_LE(row->parameters.size(), k_max_parameters);
    for (const Parameter& parameter : row->parameters) {
      EXPECT_LE(parameter.min, parameter.default_value) << row->name << ' ' << parameter.name;
      EXPECT_LE(parameter.default_value, parameter.max) << row->name << ' ' << parameter.name;
      EXPECT_EQ(parameter.unit == Parameter::Unit::choice, !parameter.choices.empty());
    }
  }
}

}  // namespace
}  // namespace tutti::algorithm
