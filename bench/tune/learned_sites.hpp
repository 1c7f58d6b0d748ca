#pragma once
// The entries that a run has added to the rules file, site by site.

#include <span>
#include <string>
#include <vector>

#include "bench/tune/explore.hpp"
#include "select/rules.hpp"

namespace tutti::bench {

/// The rules of the file; none where there is none yet.
std::vector<select::Rule> rules_so_far(const std::string& file_name);

/// Prints a line for each site: what the file says of it now, where this run has a share in that. `before`:
/// the file's rules before it. Returns how many sites have something.
size_t print_learned(std::span<const TunedSite> sites, int ranks, std::span<const select::Rule> before,
                     const std::string& file_name);

}  // namespace tutti::bench
