// Group files, for a small fabric: a bad one gets one line with its origin; a good one can be written and
// read back.

#include "fabric/groups.hpp"

#include "fabric/generate.hpp"
#include "target.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fabric::Fabric fabric = fabric::generate("fat-tree:ports=4,levels=2").value();
  const auto groups = fabric::parse_groups(fuzz::text_of(data, size), fabric, "file");
  if (!groups) {
    fuzz::require_message(groups.status().message());
    fuzz::require(groups.status().message().starts_with("file:"), "a message starts with the origin");
    return 0;
  }
  const std::string text = fabric::format_groups(*groups, fabric);
  const auto again = fabric::parse_groups(text, fabric, "file");
  fuzz::require(again && fabric::format_groups(*again, fabric) == text, "groups read back as the same");
  return 0;
}
