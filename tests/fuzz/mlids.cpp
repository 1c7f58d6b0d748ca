// Files of MLIDs, for two groups: a bad one gets one line; a good one can be written and read back.

#include "fabric/mlid_file.hpp"
#include "target.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fabric::GroupSet groups;
  groups.add(fabric::numbered_mgid(0), {0, 1});
  groups.add(fabric::numbered_mgid(1), {1, 2});
  const auto colours = fabric::parse_mlids(fuzz::text_of(data, size), groups, "file");
  if (!colours) {
    fuzz::require_message(colours.status().message());
    fuzz::require(colours.status().message().starts_with("file:"), "a message starts with the origin");
    return 0;
  }
  const auto again = fabric::parse_mlids(fabric::format_mlids(groups, *colours), groups, "file");
  fuzz::require(again && *again == *colours, "MLIDs read back as the same");
  return 0;
}
