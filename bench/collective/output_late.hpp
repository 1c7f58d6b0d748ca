#pragma once
// Tables for readers, CSV and JSON for programs, for calls whose ranks arrive at different times. Rank 0 only.

#include <vector>

#include "bench/collective/cluster.hpp"
#include "bench/collective/late.hpp"
#include "bench/collective/options.hpp"

namespace tutti::bench {

void print_late_header(const Cluster& cluster, const Options& options, const arrival::Pattern& arrivals,
                       bool tutti_is_loaded);
void print_late_collective(const std::string& collective);
/// Two rows: the native side, and Tutti's.
void print_late_rows(const LateMeasurement& measurement);
/// False, with one line on stderr, when a file cannot be written.
bool write_late_files(const Cluster& cluster, const Options& options, const arrival::Pattern& arrivals,
                      const std::vector<LateMeasurement>& all);

}  // namespace tutti::bench
