// Traces that `tutti access` reads: tables and pictures, or one line.

#include "select/access_log.hpp"

#include <algorithm>
#include <array>

#include "command/access_table.hpp"
#include "target.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto log = select::parse_access_log(fuzz::text_of(data, size));
  if (!log) {
    fuzz::require_message(log.status().message());
    return 0;
  }
  const std::array logs{*log, *log};
  const auto sites = command::access_sites(logs);
  fuzz::require(sites.size() <= log->calls.size(), "no more sites than calls");
  for (const command::AccessSite& site : sites)
    fuzz::require(!command::access_table(site).empty(), "every site has a table");
  fuzz::require(command::access_picture(sites).ends_with("</svg>\n"), "a whole picture");
  return 0;
}
