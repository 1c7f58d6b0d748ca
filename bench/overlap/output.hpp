#pragma once
// Tables for readers, JSON for programs. Rank 0 only.

#include <vector>

#include "bench/collective/cluster.hpp"
#include "bench/overlap/measure.hpp"
#include "bench/overlap/options.hpp"

namespace tutti::bench {

void print_header(const Cluster& cluster, const OverlapOptions& options, int cores, bool tutti_is_loaded);
void print_collective(const std::string& collective);
void print_row(const OverlapRow& row);
/// False, with one line on stderr, when the file cannot be written.
bool write_json(const Cluster& cluster, const OverlapOptions& options, int cores,
                const std::vector<OverlapRow>& all);

}  // namespace tutti::bench
