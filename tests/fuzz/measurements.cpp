// Files of tutti bench --json: a bad one gets one line that starts with its origin.

#include "simulate/measurements.hpp"
#include "target.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto all = simulate::parse_measurements(fuzz::text_of(data, size), "file");
  if (!all) {
    fuzz::require_message(all.status().message());
    fuzz::require(all.status().message().starts_with("file:"), "a message starts with the origin");
    return 0;
  }
  fuzz::require(all->topology.rank_count() <= simulate::k_most_measured_ranks, "ranks have a limit");
  for (const simulate::MeasuredCall& one : all->calls) {
    fuzz::require(one.choice.algorithm != nullptr, "a call has an algorithm");
    fuzz::require(one.ns > 0, "a call took time");
  }
  return 0;
}
