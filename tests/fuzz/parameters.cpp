// Parameters of descriptions like "torus:size=8x8,hosts=2": whatever stands there, values are within their
// range.

#include "fabric/parameters.hpp"

#include "target.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr uint32_t k_least = 1, k_most = 4096;
  fabric::Parameters parameters("torus", "size=30x20x20,hosts=2");
  parameters.read(fuzz::text_of(data, size));
  const uint32_t hosts = parameters.number("hosts", k_least, k_most);
  fuzz::require(hosts >= k_least && hosts <= k_most, "a number is within its range");
  for (const uint32_t extent : parameters.sizes("size", k_least, k_most))
    fuzz::require(extent >= k_least && extent <= k_most, "a size is within its range");
  if (!parameters.status()) fuzz::require_message(parameters.status().message());
  return 0;
}
