// GOAL programs: a bad one gets one line that starts with its origin; a good one is written and read back as the same,
// and a small one runs, or gets one line.

#include "simulate/goal_run.hpp"
#include "target.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto made = simulate::parse_goal(fuzz::text_of(data, size), "file");
  if (!made) {
    fuzz::require_message(made.status().message());
    fuzz::require(made.status().message().starts_with("file:"), "a message starts with the origin");
    return 0;
  }
  constexpr size_t k_few = 1000;  // a million ranks say no more
  if (made->ranks.size() > k_few) return 0;
  const auto again = simulate::parse_goal(simulate::format_goal(*made), "file");
  fuzz::require(again.is_ok() && *again == *made, "what is written is the same program");
  const auto ends_what_is_long = [] { return true; };
  const auto outcome = simulate::run_goal(*made, 2, simulate::Machine{}, nullptr, ends_what_is_long);
  if (!outcome) fuzz::require_message(outcome.status().message());
  return 0;
}
