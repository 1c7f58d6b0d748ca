// Reports that `tutti explain` shows: a table without control characters, or one line.

#include <algorithm>

#include "command/explain.hpp"
#include "target.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto table = command::format_report(fuzz::text_of(data, size));
  if (!table) {
    fuzz::require_message(table.status().message());
    return 0;
  }
  const auto is_control = [](unsigned char c) { return (c < ' ' && c != '\n') || c == 0x7f; };
  fuzz::require(std::none_of(table->begin(), table->end(), is_control), "nothing that steers a terminal");
  return 0;
}
