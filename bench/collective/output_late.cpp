#include "bench/collective/output_late.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "bench/collective/files.hpp"

namespace tutti::bench {

namespace {

constexpr int k_width = 30;  // of a figure with its range

std::array<std::pair<const char*, const LateSamples*>, 2> sides_of(const LateMeasurement& m) {
  return {{{"native", &m.native}, {"tutti", &m.tutti}}};
}

std::string late_csv(const std::vector<LateMeasurement>& all) {
  std::string text = "collective,bytes,side,repetitions";
  for (const NamedFigure& figure : k_late_figures) text += fmt::format(",{0},{0}_min,{0}_max", figure.name);
  text += ",clock_error_us,right,choice\n";
  for (const LateMeasurement& m : all)
    for (const auto& [side, samples] : sides_of(m)) {
      text += fmt::format("{},{},{},{}", m.collective, m.bytes, side, samples->front().values.size());
      for (const Samples& one : *samples)
        text += fmt::format(",{:.2f},{:.2f},{:.2f}", one.median(), one.min(), one.max());
      const bool is_native = samples == &m.native;
      text += fmt::format(",{:.2f},{},\"{}\"\n", m.clock_error_us, m.right ? 1 : 0,
                          is_native ? "native" : m.choice);
    }
  return text;
}

std::string late_json(const Cluster& cluster, const Options& options, const arrival::Pattern& arrivals,
                      const std::vector<LateMeasurement>& all) {
  nlohmann::json document = {{"mpi", library_version()},
                             {"ranks_of_node", cluster.ranks_of_node},
                             {"arrivals", to_text(arrivals)},
                             {"seed", options.seed},
                             {"delay", options.delay},
                             {"calls", options.calls},
                             {"measurements", nlohmann::json::array()}};
  for (const LateMeasurement& m : all) {
    nlohmann::json row = {
        {"collective", m.collective}, {"bytes", m.bytes},   {"clock_error_us", m.clock_error_us},
        {"choice", m.choice},         {"served", m.served}, {"right", m.right}};
    for (const auto& [side, samples] : sides_of(m))
      for (size_t i = 0; i < k_late_figures.size(); ++i)
        row[side][k_late_figures[i].name] = (*samples)[i].values;
    document["measurements"].push_back(row);
  }
  return document.dump(1) + '\n';
}

}  // namespace

void print_late_header(const Cluster& cluster, const Options& options, const arrival::Pattern& arrivals,
                       bool tutti_is_loaded) {
  fmt::print("# tutti bench, {}\n", library_version());
  fmt::print(
      "# ranks per node: {}; arrivals {} (seed {}), delays that {}; {} repetitions of {} calls on each side "
      "in turn\n",
      fmt::join(cluster.ranks_of_node, " "), to_text(arrivals), options.seed, options.delay,
      options.repetitions, options.calls);
  fmt::print(
      "# times in us, median (min max): inside the call of the slowest rank, mean over ranks, last exit "
      "minus last "
      "arrival;\n# floor: what nobody can avoid of the first two, waiting for data that is not there yet\n");
  if (!tutti_is_loaded) fmt::print("# Tutti is not loaded: both sides are the native MPI\n");
}

void print_late_collective(const std::string& collective) {
  fmt::print("\n# {}\n{:<9}{:<8}", collective, "# Size", "Side");
  for (const NamedFigure& figure : k_late_figures) fmt::print("{:<{}}", figure.heading, k_width);
  fmt::print("{:<11}{}\n", "Clocks +-", "Served by");
}

void print_late_rows(const LateMeasurement& m) {
  for (const auto& [side, samples] : sides_of(m)) {
    fmt::print("{:<9}{:<8}", m.bytes, side);
    for (const Samples& one : *samples)
      fmt::print("{:<{}}", fmt::format("{:.1f} ({:.1f} {:.1f})", one.median(), one.min(), one.max()),
                 k_width);
    const bool is_native = samples == &m.native;
    fmt::print("{:<11.1f}{}{}\n", m.clock_error_us,
               is_native          ? "native"
               : m.choice.empty() ? "not known"
                                  : m.choice,
               m.right ? "" : "  WRONG RESULT");
  }
  std::fflush(stdout);
}

bool write_late_files(const Cluster& cluster, const Options& options, const arrival::Pattern& arrivals,
                      const std::vector<LateMeasurement>& all) {
  bool written = true;
  if (!options.csv_file.empty()) written = save(options.csv_file, late_csv(all)) && written;
  if (!options.json_file.empty())
    written = save(options.json_file, late_json(cluster, options, arrivals, all)) && written;
  return written;
}

}  // namespace tutti::bench
