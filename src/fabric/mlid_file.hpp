#pragma once
// The MLID announced for each group, as text: lines like "ff18::1 0xC000".

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "fabric/groups.hpp"
#include "fabric/tables.hpp"

namespace tutti::fabric {

std::string format_mlids(const GroupSet& groups, std::span<const Colour> colours);

/// The colour of each group. Errors: invalid_argument, with origin and line: not an MGID, an unknown group,
/// an MLID outside of 0xC000 to 0xFFFE, a duplicate group, or a missing group.
base::Result<std::vector<Colour>> parse_mlids(std::string_view text, const GroupSet& groups,
                                              std::string_view origin);

}  // namespace tutti::fabric
