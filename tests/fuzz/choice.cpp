// Choices like "chain:segment=64K": what is read can be written and read again. The first byte picks the
// collective.

#include "algorithm/algorithm.hpp"
#include "target.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const auto collective = static_cast<algorithm::Collective>(data[0] % algorithm::k_collective_count);
  const auto choice = algorithm::parse_choice(collective, fuzz::text_of(data + 1, size - 1));
  if (!choice) {
    fuzz::require_message(choice.status().message());
    return 0;
  }
  const auto again = algorithm::parse_choice(collective, algorithm::to_string(*choice));
  fuzz::require(again && *again == *choice, "a choice reads back as the same");
  return 0;
}
