#pragma once
// In which order a program has used the results of its collectives (the files: src/select/access_log.hpp), for people.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "select/access_log.hpp"

namespace tutti::command {

/// Calls of one collective, one number of blocks and one power of two of bytes.
struct AccessSite {
  algorithm::Collective collective = algorithm::Collective::alltoall;
  schedule::Rank blocks = 1;
  std::optional<uint64_t> least_bytes, most_bytes;
  size_t calls = 0;                                 // on the rank that has most of them
  double transfer_ns = 0;                           // mean over calls and ranks
  std::vector<std::optional<double>> first_use_ns;  // of each part, mean of those that have used it
  std::vector<double> waited_ns;  // of select::access_orders(): mean over calls, of the slowest rank
};

std::vector<AccessSite> access_sites(std::span<const select::ReadAccessLog> logs);

/// What `tutti access` prints of a site.
std::string access_table(const AccessSite& site);

/// An SVG document: when the parts of the results were first used (paper 002, Fig. 7), a panel for each site.
std::string access_picture(std::span<const AccessSite> sites);

}  // namespace tutti::command
