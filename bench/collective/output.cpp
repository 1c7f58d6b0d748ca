#include "bench/collective/output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "bench/collective/files.hpp"

namespace tutti::bench {

namespace {

double ratio(const Measurement& m) {
  return m.tutti.median() / m.native.median();
}

/// A field of CSV that may hold commas.
std::string quoted(const std::string& text) {
  return text.find(',') == std::string::npos ? text : '"' + text + '"';
}

std::string as_csv(const std::vector<Measurement>& all) {
  std::string text =
      "collective,bytes,batch,repetitions,native_us,native_min_us,native_max_us,tutti_us,tutti_min_us,"
      "tutti_max_us,ratio,limit_us,right,choice\n";
  for (const Measurement& m : all)
    text += fmt::format("{},{},{},{},{:.2f},{:.2f},{:.2f},{:.2f},{:.2f},{:.2f},{:.4f},{:.2f},{},{}\n",
                        m.collective, m.bytes, m.batch, m.native.values.size(), m.native.median(),
                        m.native.min(), m.native.max(), m.tutti.median(), m.tutti.min(), m.tutti.max(),
                        ratio(m), m.limit_us, m.right ? 1 : 0, quoted(m.choice));
  return text;
}

std::string as_json(const Cluster& cluster, const std::vector<Measurement>& all) {
  nlohmann::json document = {{"mpi", library_version()},
                             {"ranks_of_node", cluster.ranks_of_node},
                             {"link_bytes_per_second", cluster.link_bytes_per_second},
                             {"measurements", nlohmann::json::array()}};
  for (const Measurement& m : all)
    document["measurements"].push_back({{"collective", m.collective},
                                        {"bytes", m.bytes},
                                        {"batch", m.batch},
                                        {"native_us", m.native.values},
                                        {"tutti_us", m.tutti.values},
                                        {"limit_us", m.limit_us},
                                        {"choice", m.choice},
                                        {"right", m.right}});
  return document.dump(1) + '\n';
}

}  // namespace

void print_header(const Cluster& cluster, const Options& options, bool tutti_is_loaded) {
  fmt::print("# tutti bench, {}\n", library_version());
  fmt::print(
      "# ranks per node: {}; {} repetitions of each side in turn; times in us: median (min max), slowest "
      "rank\n",
      fmt::join(cluster.ranks_of_node, " "), options.repetitions);
  if (cluster.link_bytes_per_second > 0)
    fmt::print("# link, measured in this run: {:.1f} MB/s; limit: least time the busiest link needs\n",
               cluster.link_bytes_per_second / 1e6);
  if (tutti_is_loaded)
    fmt::print(
        "# same code: what is preloaded left these calls to the MPI, so both sides differ by chance\n");
  else
    fmt::print("# Tutti is not loaded: both sides are the native MPI\n");
}

void print_collective(const std::string& collective) {
  fmt::print("\n# {}\n{:<10}{:>11} {:<20}{:>11} {:<20}{:>10}{:>11}{:>9}  {}\n", collective, "# Size",
             "Native", "", "Tutti", "", "Ratio", "Limit", "x limit", "Tutti side served by");
}

void print_row(const Measurement& m) {
  const auto spread = [](const Samples& s) { return fmt::format("({:.1f} {:.1f})", s.min(), s.max()); };
  const std::string limit = m.limit_us > 0 ? fmt::format("{:.1f}", m.limit_us) : "-";
  const std::string times = m.limit_us > 0 ? fmt::format("{:.2f}", m.tutti.median() / m.limit_us) : "-";
  const std::string compared = m.is_same_code() ? "same code" : fmt::format("{:.3f}", ratio(m));
  fmt::print("{:<10}{:>11.1f} {:<20}{:>11.1f} {:<20}{:>10}{:>11}{:>9}  {}{}\n", m.bytes, m.native.median(),
             spread(m.native), m.tutti.median(), spread(m.tutti), compared, limit, times,
             m.choice.empty() ? "not known" : m.choice, m.right ? "" : "  WRONG RESULT");
  std::fflush(stdout);
}

bool write_files(const Cluster& cluster, const Options& options, const std::vector<Measurement>& all) {
  bool written = true;
  if (!options.csv_file.empty()) written = save(options.csv_file, as_csv(all)) && written;
  if (!options.json_file.empty()) written = save(options.json_file, as_json(cluster, all)) && written;
  return written;
}

}  // namespace tutti::bench
