#include "fabric/mlid_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/text.hpp"
#include "fabric/parse_util.hpp"

namespace tutti::fabric {

using base::Result;
using base::Status;

std::string format_mlids(const GroupSet& groups, std::span<const Colour> colours) {
  std::string text;
  for (GroupId id = 0; id < groups.size(); ++id)
    fmt::format_to(std::back_inserter(text), "{} 0x{:04X}\n", to_string(groups.mgid(id)),
                   k_first_mlid + colours[id]);
  return text;
}

namespace {

Status parse_line(std::string_view line, const std::map<Mgid, GroupId>& ids, std::vector<Colour>& colours) {
  const std::string_view address = take_word(line);
  if (address.empty() || address.starts_with('#')) return {};
  const auto mgid = parse_mgid(address);
  if (!mgid) return mgid.status();
  const auto found = ids.find(*mgid);
  if (found == ids.end())
    return Status::invalid_argument(fmt::format("there is no group {}", to_string(*mgid)));
  const std::string_view word = take_word(line);
  const auto mlid = parse_hex(word);
  if (!mlid || *mlid < k_first_mlid || *mlid > k_last_mlid)
    return Status::invalid_argument(base::in_quotes(word) + " is no MLID (0xC000 to 0xFFFE)");
  if (colours[found->second] != k_no_colour)
    return Status::invalid_argument(fmt::format("group {} is there again", to_string(*mgid)));
  colours[found->second] = static_cast<Colour>(*mlid - k_first_mlid);
  return {};
}

}  // namespace

Result<std::vector<Colour>> parse_mlids(std::string_view text, const GroupSet& groups,
                                        std::string_view origin) {
  std::map<Mgid, GroupId> ids;
  for (GroupId id = 0; id < groups.size(); ++id) ids.emplace(groups.mgid(id), id);
  std::vector<Colour> colours(groups.size(), k_no_colour);
  for (size_t number = 1; !text.empty(); ++number)
    if (const Status status = parse_line(take_line(text), ids, colours); !status)
      return Status::invalid_argument(fmt::format("{}:{}: {}", origin, number, status.message()));
  const auto missing = std::find(colours.begin(), colours.end(), k_no_colour);
  if (missing == colours.end()) return colours;
  const auto id = static_cast<GroupId>(missing - colours.begin());
  return Status::invalid_argument(
      fmt::format("{}: group {} has no MLID", origin, to_string(groups.mgid(id))));
}

}  // namespace tutti::fabric
