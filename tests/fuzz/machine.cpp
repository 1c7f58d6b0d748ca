// Parameter files of the offload model: a bad one gets one line that starts with its origin; a good one can
// be written and read back, and has cycles that an engine can count.

#include "offload/model/parameters.hpp"
#include "target.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto made = offload::model::parse_parameters(fuzz::text_of(data, size), "file");
  if (!made) {
    fuzz::require_message(made.status().message());
    fuzz::require(made.status().message().starts_with("file:"), "a message starts with the origin");
    return 0;
  }
  const std::string text = offload::model::format_parameters(*made);
  const auto again = offload::model::parse_parameters(text, "file");
  fuzz::require(again.is_ok(), "what is written is a file of parameters");
  fuzz::require(offload::model::format_parameters(*again) == text, "parameters read back as the same");
  const offload::model::Timing timing = offload::model::timing_of(*made);
  fuzz::require((uint64_t{timing.engine.timeout_cycles} << timing.engine.shift_max) < uint64_t{1} << 31,
                "the longest delay fits into the engine's timers");
  fuzz::require(timing.network.hop_cycles >= 1 && timing.pio >= 1, "nothing takes no time at all");
  return 0;
}
