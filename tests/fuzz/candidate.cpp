// Candidates like "chain:segment=64K@thread_shared:wait=sleep": what is read can be written and read again.
// The first byte picks the collective.

#include "select/candidate.hpp"

#include "target.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const auto collective = static_cast<algorithm::Collective>(data[0] % algorithm::k_collective_count);
  const auto candidate = select::parse_candidate(collective, fuzz::text_of(data + 1, size - 1));
  if (!candidate) {
    fuzz::require_message(candidate.status().message());
    return 0;
  }
  const auto again = select::parse_candidate(collective, select::to_string(*candidate));
  fuzz::require(again && *again == *candidate, "a candidate reads back as the same");
  return 0;
}
