// Multicast dumps of OpenSM, for a small fabric: a bad one gets one line; a good one can be written and read
// back.

#include "fabric/generate.hpp"
#include "fabric/tables.hpp"
#include "target.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fabric::Fabric fabric = fabric::generate("fat-tree:ports=4,levels=2").value();
  const auto tables = fabric::parse_dump(fuzz::text_of(data, size), fabric, "file");
  if (!tables) {
    fuzz::require_message(tables.status().message());
    fuzz::require(tables.status().message().starts_with("file:"), "a message starts with the origin");
    return 0;
  }
  const auto again = fabric::parse_dump(fabric::format_dump(*tables, fabric), fabric, "file");
  fuzz::require(again && *again == *tables, "tables read back as the same");
  return 0;
}
