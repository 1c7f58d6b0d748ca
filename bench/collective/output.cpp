#include "bench/collective/output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "bench/collective/files.hpp"

namespace tutti::bench {

namespace {

// A limit far below what any call takes says nothing about it.
constexpr double k_most_times_of_limit = 20;

double ratio(const Samples& tutti, const Samples& native) {
  return native.median() > 0 ? tutti.median() / native.median() : 0;
}

/// A field of CSV that may hold commas.
std::string quoted(const std::string& text) {
  return text.find(',') == std::string::npos ? text : '"' + text + '"';
}

std::string as_csv(const std::vector<Measurement>& all) {
  std::string text =
      "collective,bytes,batch,repetitions,native_us,native_min_us,native_max_us,tutti_us,tutti_min_us,"
      "tutti_max_us,ratio,native_cpu_us,tutti_cpu_us,cpu_ratio,limit_us,right,choice\n";
  for (const Measurement& m : all) {
    const Samples &native = m.native.us, &tutti = m.tutti.us;
    text += fmt::format("{},{},{},{},{:.2f},{:.2f},{:.2f},{:.2f},{:.2f},{:.2f},{:.4f},", m.collective,
                        m.bytes, m.batch, native.values.size(), native.median(), native.min(), native.max(),
                        tutti.median(), tutti.min(), tutti.max(), ratio(tutti, native));
    text +=
        fmt::format("{:.2f},{:.2f},{:.4f},{:.2f},{},{}\n", m.native.cpu_us.median(), m.tutti.cpu_us.median(),
                    ratio(m.tutti.cpu_us, m.native.cpu_us), m.limit_us, m.right ? 1 : 0, quoted(m.choice));
  }
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
                                        {"native_us", m.native.us.values},
                                        {"tutti_us", m.tutti.us.values},
                                        {"native_cpu_us", m.native.cpu_us.values},
                                        {"tutti_cpu_us", m.tutti.cpu_us.values},
                                        {"limit_us", m.limit_us},
                                        {"choice", m.choice},
                                        {"served", m.served},
                                        {"right", m.right}});
  return document.dump(1) + '\n';
}

}  // namespace

void print_header(const Cluster& cluster, const Options& options, bool tutti_is_loaded) {
  fmt::print("# tutti bench, {}\n", library_version());
  fmt::print(
      "# ranks per node: {}; {} repetitions of each side in turn; times in us: median (min max), slowest "
      "rank; CPU: of all ranks together\n",
      fmt::join(cluster.ranks_of_node, " "), options.repetitions);
  if (cluster.link_bytes_per_second > 0)
    fmt::print("# link, measured in this run: {:.1f} MB/s; limit: least time the busiest link needs\n",
               cluster.link_bytes_per_second / 1e6);
  if (tutti_is_loaded)
    fmt::print(
        "# same code: both sides are the MPI's own code; Tutti's has beside it what passing a call through "
        "costs, "
        "some ns\n");
  else
    fmt::print("# Tutti is not loaded: both sides are the native MPI\n");
}

void print_collective(const std::string& collective) {
  fmt::print("\n# {}\n{:<9}{:>11} {:<20}{:>11} {:<20}{:>10}{:>11}{:>11}{:>7}{:>10}{:>8}  {}\n", collective,
             "# Size", "Native", "", "Tutti", "", "Ratio", "Native CPU", "Tutti CPU", "Ratio", "Limit",
             "x limit", "Tutti side served by");
}

void print_row(const Measurement& m) {
  const Samples &native = m.native.us, &tutti = m.tutti.us;
  const auto spread = [](const Samples& s) { return fmt::format("({:.1f} {:.1f})", s.min(), s.max()); };
  const auto compared = [&](double value) { return m.is_same_code() ? "-" : fmt::format("{:.2f}", value); };
  const bool is_limited = m.limit_us > 0 && tutti.median() <= k_most_times_of_limit * m.limit_us;
  fmt::print("{:<9}{:>11.1f} {:<20}{:>11.1f} {:<20}{:>10}{:>11.1f}{:>11.1f}{:>7}{:>10}{:>8}  {}{}\n", m.bytes,
             native.median(), spread(native), tutti.median(), spread(tutti),
             m.is_same_code() ? "same code" : compared(ratio(tutti, native)), m.native.cpu_us.median(),
             m.tutti.cpu_us.median(), compared(ratio(m.tutti.cpu_us, m.native.cpu_us)),
             is_limited ? fmt::format("{:.1f}", m.limit_us) : "-",
             is_limited ? fmt::format("{:.2f}", tutti.median() / m.limit_us) : "-",
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
