// Arrival patterns, by name and as a file: a bad one gets one line, that of a file starting with its origin; a
// good name goes round, and whatever is drawn is a lateness.

#include "arrival/pattern.hpp"

#include <algorithm>
#include <cmath>

#include "arrival/duration.hpp"
#include "target.hpp"

using namespace tutti;

namespace {

void draw_from(const arrival::Pattern& pattern, uint32_t ranks) {
  for (uint32_t rank = 0; rank < std::min(ranks, 4U); ++rank) {
    const double delay = arrival::delay_ns(pattern, 1, {rank, ranks}, rank);
    fuzz::require(std::isfinite(delay) && delay >= 0, "a delay is a lateness");
  }
}

void read_name(std::string_view text) {
  const auto made = arrival::parse_pattern(text);
  if (!made) return fuzz::require_message(made.status().message());
  const std::string written = arrival::to_text(*made);
  const auto again = arrival::parse_pattern(written);
  fuzz::require(again.is_ok() && arrival::to_text(*again) == written, "a pattern goes round");
  fuzz::require(again->spread_ns == made->spread_ns && again->mean_ns == made->mean_ns, "with its durations");
  const uint32_t ranks = 8;
  if (arrival::check(*made, ranks)) draw_from(*made, ranks);
}

void read_file(std::string_view text) {
  const auto made = arrival::parse_recording(text, "file");
  if (!made) {
    fuzz::require_message(made.status().message());
    fuzz::require(made.status().message().starts_with("file:"), "a message starts with the origin");
    return;
  }
  fuzz::require(made->ranks > 0 && made->calls() > 0 && made->lateness_ns.size() % made->ranks == 0,
                "every call has all ranks");
  arrival::Pattern pattern;
  pattern.kind = arrival::Kind::recorded;
  pattern.recording = std::make_shared<const arrival::Recording>(*made);
  fuzz::require(arrival::check(pattern, made->ranks).is_ok(), "a recording fits its ranks");
  draw_from(pattern, made->ranks);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  read_name(fuzz::text_of(data, size));
  read_file(fuzz::text_of(data, size));
  return 0;
}
