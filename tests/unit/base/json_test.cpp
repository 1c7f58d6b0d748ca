#include "base/json.hpp"

#include <gtest/gtest.h>

namespace tutti::base {
namespace {

std::string error_of(std::string_view text) {
  return parse_json(text).status().message();
}

TEST(Json, ErrorsSayWhere) {
  EXPECT_EQ(error_of(""), "line 1, column 1: is not valid JSON");
  EXPECT_EQ(error_of("{\"a\": 1,\n\n  x}"), "line 3, column 3: is not valid JSON");
  EXPECT_EQ(error_of("[1, // no comment\n2]"), "line 1, column 5: is not valid JSON");
  EXPECT_EQ(error_of("{\"a\": {\"b\": 1}, \"b\": 2,\n \"a\": 3}"),
            "line 2, column 4: key 'a' is given twice");
}

TEST(Json, KeysOfSiblingsAreApart) {
  EXPECT_TRUE(parse_json(R"([{"a": 1}, {"a": 2}])").is_ok());
}

TEST(Json, CommentsWhereTheyArePermitted) {
  EXPECT_EQ(parse_json("[1, // first\n2]", JsonComments::permitted).value().size(), 2u);
}

TEST(Json, ReasonsAreSentences) {
  try {
    parse_json("{}").value().at("nodes");
    FAIL();
  } catch (const nlohmann::json::exception& error) {
    EXPECT_EQ(sentence_of(error), "key 'nodes' not found");
  }
}

}  // namespace
}  // namespace tutti::base
