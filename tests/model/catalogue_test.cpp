// Every row of the catalogue does what its collective promises, wherever it says that it applies. A new row
// is tested as soon as it stands in the catalogue. One row: --gtest_filter='*/Catalogue.*/bcast_chain'.

#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "algorithm/catalogue.hpp"
#include "algorithm/specification.hpp"
#include "grid.hpp"

namespace tutti::model {
namespace {

using algorithm::Algorithm;

constexpr Rank k_rank_counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 31, 32, 33, 63, 64};
constexpr int k_most_failures = 5;  // per row: the rest would only repeat them

struct Tally {
  uint64_t operations = 0;
  uint64_t schedules = 0;
  uint64_t declined = 0;
};

class Total : public testing::Environment {
 public:
  void TearDown() override {
    std::cout << "model layer: " << tally.schedules << " schedules of " << tally.operations
              << " operations verified; " << tally.declined << " declined with a reason\n";
  }
  static Tally tally;
};
Tally Total::tally;
[[maybe_unused]] const auto* const k_total = testing::AddGlobalTestEnvironment(new Total);

class Catalogue : public testing::TestWithParam<const Algorithm*> {
 protected:
  /// Whether the algorithm accepts the request. All ranks must agree, and a refusal must have a reason.
  bool applies(const Requests& requests, const Point& point) {
    const Algorithm& row = *GetParam();
    std::string why_not;
    const auto ask = [&](const Request& request) {
      return row.applies(request, point.topology->topology, point.parameters, &why_not);
    };
    const bool answer = ask(requests.every_rank().front());
    if (!answer && (why_not.empty() || why_not.find('\n') != std::string::npos))
      ADD_FAILURE() << describe(row, point) << ": applies() says no without one line that says why";
    for (const Request& request : requests.every_rank())
      if (ask(request) != answer) {
        ADD_FAILURE() << describe(row, point) << ": applies() does not say the same on every rank";
        return false;
      }
    return answer;
  }

  void check(const Point& point) {
    const Algorithm& row = *GetParam();
    const Requests requests(point.situation);
    if (!applies(requests, point)) {
      ++tally_.declined;
      return;
    }
    const auto report = verify(row, requests.every_rank(), point.topology->topology, point.parameters);
    if (!report.is_ok()) {
      ++failures_;
      ADD_FAILURE() << describe(row, point) << ": " << to_string(report.failure) << ": " << report.message;
      return;
    }
    ++tally_.operations;
    tally_.schedules += requests.every_rank().size();
  }

  Tally tally_;
  int failures_ = 0;
};

TEST_P(Catalogue, DoesWhatItPromises) {
  for (Rank p : k_rank_counts) {
    const Grid grid(*GetParam(), p);
    for (uint64_t n = 0; n < grid.budget() && failures_ < k_most_failures; ++n) check(grid.point(n));
  }
  EXPECT_GT(tally_.operations, 0u) << "the algorithm applied nowhere";
  std::cout << to_string(GetParam()->collective) << ' ' << GetParam()->name << ": " << tally_.schedules
            << " schedules of " << tally_.operations << " operations, " << tally_.declined << " declined\n";
  Total::tally.operations += tally_.operations;
  Total::tally.schedules += tally_.schedules;
  Total::tally.declined += tally_.declined;
}

INSTANTIATE_TEST_SUITE_P(Model, Catalogue,
                         testing::ValuesIn(algorithm::catalogue().begin(), algorithm::catalogue().end()),
                         name_of_row);

}  // namespace
}  // namespace tutti::model
