// The example of docs/howto/add-an-algorithm.md does what the page says.

#include <gtest/gtest.h>

#include <vector>

#include "algorithm/specification.hpp"

namespace tutti::algorithm {

extern const Algorithm bcast_two_chains;

namespace {

TEST(AddAnAlgorithm, ExampleIsABroadcastOfTheStatedCost) {
  for (Rank p = 1; p <= 9; ++p)
    for (Rank root = 0; root < p; ++root)
      for (const uint64_t bytes : {0, 1, 100, 128}) {
        const Request request{.collective = Collective::bcast, .rank_count = p, .root = root, .bytes = bytes};
        const std::vector<Request> every_rank(static_cast<size_t>(p), request);
        ParameterSet parameters = default_parameters(bcast_two_chains);
        parameters.values[0] = 32;
        const auto report = verify(bcast_two_chains, every_rank, Topology::flat(p), parameters);
        EXPECT_TRUE(report.is_ok()) << p << " ranks, root " << root << ", " << bytes
                                    << " bytes: " << report.message;
      }
}

TEST(AddAnAlgorithm, ExampleDeclinesTooManySegments) {
  ParameterSet parameters = default_parameters(bcast_two_chains);
  parameters.values[0] = 1;
  const Request request{.collective = Collective::bcast, .rank_count = 4, .bytes = uint64_t{1} << 30};
  std::string why_not;
  EXPECT_FALSE(bcast_two_chains.applies(request, Topology::flat(4), parameters, &why_not));
  EXPECT_FALSE(why_not.empty());
}

}  // namespace
}  // namespace tutti::algorithm
