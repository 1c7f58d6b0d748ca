// Tests which algorithms build the same schedule for all ranks, as their rows declare.

#include <gtest/gtest.h>

#include "algorithm/catalogue.hpp"
#include "algorithm/uniform_request.hpp"
#include "simulate/shape.hpp"

namespace tutti::simulate {
namespace {

using topology::Topology;

bool is_the_same_for_all(const algorithm::Choice& choice, schedule::Rank ranks, uint64_t bytes) {
  const algorithm::UniformCall call{
      .collective = choice.algorithm->collective, .rank_count = ranks, .bytes = bytes};
  const Topology flat = Topology::flat(ranks);
  std::string why_not;
  if (!choice.algorithm->applies(algorithm::request_of(call, 0), flat, choice.parameters, &why_not))
    return true;
  ShapeTable shapes;
  for (schedule::Rank rank = 0; rank < ranks; ++rank) {
    const auto built =
        choice.algorithm->build(algorithm::request_of(call, rank), rank, flat, choice.parameters);
    shapes.intern(Shape(*built, static_cast<Actor>(rank), static_cast<uint32_t>(ranks)));
  }
  return shapes.size() == 1;
}

TEST(Symmetry, IsWhatTheRowsSay) {
  for (const algorithm::Algorithm* row : algorithm::catalogue()) {
    bool is_the_same = true;
    for (const schedule::Rank ranks : {2, 3, 5, 8, 12, 17, 32})
      for (const uint64_t bytes : {0, 1, 1000, 100000})
        is_the_same =
            is_the_same && is_the_same_for_all({row, algorithm::default_parameters(*row)}, ranks, bytes);
    if (row->is_the_same_for_all)
      EXPECT_TRUE(is_the_same) << to_string(row->collective) << " " << row->name;
    else if (is_the_same)
      RecordProperty(std::string(to_string(row->collective)) + "_" + std::string(row->name), "could say so");
  }
}

/// The property holds with other parameters, too.
TEST(Symmetry, DoesNotDependOnParameters) {
  for (const char* text :
       {"dissemination:radix=3", "dissemination:radix=3:shape=symmetric", "dissemination:radix=5"})
    for (const schedule::Rank ranks : {2, 7, 9, 20})
      EXPECT_TRUE(is_the_same_for_all(algorithm::parse_choice(algorithm::Collective::barrier, text).value(),
                                      ranks, 0));
}

}  // namespace
}  // namespace tutti::simulate
