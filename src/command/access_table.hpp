#pragma once
// Tables and pictures of the order in which a program has used the results of its collectives (files:
// src/select/access_log.hpp).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "select/access_log.hpp"

namespace tutti::command {

/// Calls of one collective with the same number of blocks and the same power of two of bytes.
struct AccessSite {
  algorithm::Collective collective = algorithm::Collective::alltoall;
  schedule::Rank blocks = 1;
  std::optional<uint64_t> least_bytes, most_bytes;
  size_t calls = 0;                                 // maximum over ranks
  double transfer_ns = 0;                           // mean over calls and ranks
  std::vector<std::optional<double>> first_use_ns;  // by part: mean over the calls that used it
  std::vector<double> waited_ns;  // by select::access_orders(): mean over calls, slowest rank
};

std::vector<AccessSite> access_sites(std::span<const select::ReadAccessLog> logs);

/// Text that `tutti access` prints for a site.
std::string access_table(const AccessSite& site);

/// An SVG document with the times of first use of the parts of the results (paper 002, Fig. 7), one panel per site.
std::string access_picture(std::span<const AccessSite> sites);

}  // namespace tutti::command
