#pragma once
// Tables for readers, CSV and JSON for programs. Rank 0 only.

#include <vector>

#include "bench/collective/cluster.hpp"
#include "bench/collective/measure.hpp"
#include "bench/collective/options.hpp"

namespace tutti::bench {

void print_header(const Cluster& cluster, const Options& options, bool tutti_is_loaded);
void print_collective(const std::string& collective);
void print_row(const Measurement& measurement);
/// False, with one line on stderr, when a file cannot be written.
bool write_files(const Cluster& cluster, const Options& options, const std::vector<Measurement>& all);

}  // namespace tutti::bench
