// Machines of the simulation: a bad file gets one line that starts with its origin; a good one can be written and read
// back.

#include "simulate/machine.hpp"
#include "target.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto made = simulate::parse_machine(fuzz::text_of(data, size), "file");
  if (!made) {
    fuzz::require_message(made.status().message());
    fuzz::require(made.status().message().starts_with("file:"), "a message starts with the origin");
    return 0;
  }
  const std::string text = simulate::format_machine(*made);
  const auto again = simulate::parse_machine(text, "file");
  fuzz::require(again.is_ok(), "what is written is a machine");
  fuzz::require(simulate::format_machine(*again) == text, "machines read back as the same");
  const simulate::Costs costs = simulate::costs_of(*made);
  fuzz::require(costs.window >= 1, "something is in flight");
  fuzz::require(costs.nic.of_message(uint64_t{1} << 30) < uint64_t{1} << 61, "times stay in range");
  return 0;
}
