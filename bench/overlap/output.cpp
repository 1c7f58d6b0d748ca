#include "bench/overlap/output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "bench/collective/files.hpp"

namespace tutti::bench {

namespace {

using nlohmann::json;

const char* name_of(Side side) {
  return side == Side::native ? "native" : "tutti";
}

json as_json(const OverlapRow& row, const BesideComputation& beside) {
  json result = {{"computation", beside.computation},
                 {"compute_us", beside.compute_us.values},
                 {"cpu_us", beside.cpu_us.values}};
  for (const Side side : k_sides) {
    const Together& together = beside.sides[static_cast<size_t>(side)];
    result[name_of(side)] = {
        {"total_us", together.total_us.values},
        {"start_us", together.start_us.values},
        {"compute_us", together.compute_us.values},
        {"cpu_us", together.cpu_us.values},
        {"overlap_percent", overlap_percent(row, beside, side)},
        {"slow_down_percent", slow_down_percent(beside, side)},
        {"slow_down_beyond_cpu_percent", slow_down_beyond_cpu_percent(row, beside, side)}};
  }
  return result;
}

json as_json(const OverlapRow& row) {
  json result = {{"collective", row.collective}, {"bytes", row.bytes},   {"batch", row.batch},
                 {"right", row.right},           {"served", row.served}, {"beside", json::array()}};
  for (const Side side : k_sides) {
    const Alone& alone = row.alone[static_cast<size_t>(side)];
    result[name_of(side)] = {{"blocking_us", alone.blocking_us.values},
                             {"blocking_cpu_us", alone.blocking_cpu_us.values},
                             {"pure_us", alone.pure_us.values}};
  }
  for (const BesideComputation& beside : row.beside) result["beside"].push_back(as_json(row, beside));
  return result;
}

std::string with_range(const Samples& samples) {
  return fmt::format("{:.0f} ({:.0f} {:.0f})", samples.median(), samples.min(), samples.max());
}

}  // namespace

void print_header(const Cluster& cluster, const OverlapOptions& options, int cores, bool tutti_is_loaded) {
  fmt::print("# tutti bench --overlap, {}\n", library_version());
  fmt::print(
      "# ranks per node: {}; {} cores; {} repetitions of each side in turn, times in us: median (min max) of "
      "the "
      "slowest rank\n",
      fmt::join(cluster.ranks_of_node, " "), cores, options.repetitions);
  if (options.computation.tests > 0)
    fmt::print("# {} calls of MPI_Test in each computation\n", options.computation.tests);
  if (!tutti_is_loaded) fmt::print("# Tutti is not loaded: both sides are the native MPI\n");
}

void print_collective(const std::string& collective) {
  fmt::print(
      "\n# i{}: Block is the blocking call, CPU what it takes from the cores; Slow and Beyond: how much "
      "longer "
      "the computation lasts, and beyond the native CPU\n"
      "{:<10}{:<21}{:<7}{:>24}{:>9}{:>24}{:>10}{:>24}{:>10}{:>9}{:>9}\n",
      collective, "# Size", "Computation", "Side", "Block", "CPU", "Pure", "Compute", "Total", "Overlap %",
      "Slow %", "Beyond %");
}

void print_row(const OverlapRow& row) {
  for (const BesideComputation& beside : row.beside)
    for (const Side side : k_sides) {
      const Alone& alone = row.alone[static_cast<size_t>(side)];
      const Together& together = beside.sides[static_cast<size_t>(side)];
      fmt::print("{:<10}{:<21}{:<7}{:>24}{:>9.0f}{:>24}{:>10.0f}{:>24}{:>10.1f}{:>9.1f}{:>9.1f}{}\n",
                 row.bytes, beside.computation, name_of(side), with_range(alone.blocking_us),
                 alone.blocking_cpu_us.median(), with_range(alone.pure_us), beside.compute_us.median(),
                 with_range(together.total_us), overlap_percent(row, beside, side),
                 slow_down_percent(beside, side), slow_down_beyond_cpu_percent(row, beside, side),
                 row.right ? "" : "  WRONG RESULT");
    }
  std::fflush(stdout);
}

bool write_json(const Cluster& cluster, const OverlapOptions& options, int cores,
                const std::vector<OverlapRow>& all) {
  if (options.json_file.empty()) return true;
  json document = {{"mpi", library_version()},
                   {"ranks_of_node", cluster.ranks_of_node},
                   {"cores", cores},
                   {"link_bytes_per_second", cluster.link_bytes_per_second},
                   {"measurements", json::array()}};
  for (const OverlapRow& row : all) document["measurements"].push_back(as_json(row));
  return save(options.json_file, document.dump(1) + '\n');
}

}  // namespace tutti::bench
