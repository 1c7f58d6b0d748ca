#include "collective/summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "collective/report.hpp"

namespace tutti::collective {

namespace {

constexpr std::string_view k_prefix = "tutti: ";

uint64_t calls_of(const ReportLine& line) {
  return line.calls.load(std::memory_order_relaxed);
}
bool is_served(const ReportLine& line) {
  return line.choice != k_native;
}

size_t columns_of(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

/// Breaks the text between words into lines with the prefix.
std::string lines_of(std::string_view text) {
  std::string lines(k_prefix);
  size_t used = k_prefix.size();
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    const size_t columns = columns_of(word) + 1;
    if (used + columns > k_summary_columns && used > k_prefix.size() + 2) {
      lines.append("\n").append(k_prefix).append(" ");
      used = k_prefix.size() + 1;
    }
    if (lines.back() != ' ' || used == k_prefix.size() + 1) lines += ' ';
    lines += word;
    used += columns;
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return lines + '\n';
}

std::string time_text(uint64_t ns) {
  const auto seconds = static_cast<double>(ns) * 1e-9;
  if (seconds >= 0.1) return fmt::format("{:.2f} s", seconds);
  return seconds >= 1e-4 ? fmt::format("{:.1f} ms", seconds * 1e3) : fmt::format("{:.1f} µs", seconds * 1e6);
}

std::string microseconds_text(uint64_t ns) {
  const auto microseconds = static_cast<double>(ns) * 1e-3;
  return microseconds < 1000 ? fmt::format("{:.1f}", microseconds) : fmt::format("{:.0f}", microseconds);
}

/// " 512K-1M"; empty for calls without data.
std::string size_text(int size_class) {
  if (size_class == ReportLine::k_unknown_size) return " of any size";
  if (size_class == 0) return "";
  const uint64_t least = least_bytes_of(size_class);
  if (least == 1) return " 1";
  return fmt::format(" {}-{}", base::format_bytes(least), base::format_bytes(most_bytes_of(size_class) + 1));
}

/// The calls of one collective and size class.
struct Row {
  std::vector<const ReportLine*> lines;
  std::vector<const CallSiteReport*> sites;

  uint64_t calls() const {
    return sum([](const ReportLine& line) { return calls_of(line); });
  }
  uint64_t time_ns() const {
    return sum([](const ReportLine& line) { return line.time_ns.load(); });
  }
  uint64_t served() const {
    return sum([](const ReportLine& line) { return is_served(line) ? calls_of(line) : 0; });
  }

  /// The line with the most calls among those that Tutti served; if it served none, among all.
  const ReportLine& main_line() const {
    return **std::ranges::max_element(
        lines, {}, [](const ReportLine* line) { return std::pair(is_served(*line), calls_of(*line)); });
  }

 private:
  template <class Value>
  uint64_t sum(Value value) const {
    uint64_t all = 0;
    for (const ReportLine* line : lines) all += value(*line);
    return all;
  }
};

int size_class_of(const select::SiteShape& shape) {
  return Report::size_class_of(shape.bytes, shape.bytes_known);
}

std::vector<Row> rows_of(std::span<const ReportLine* const> lines, std::span<const CallSiteReport> sites) {
  std::vector<Row> rows;
  for (const ReportLine* line : lines) {
    const auto is_like = [line](const ReportLine& other) {
      return other.collective == line->collective && other.interface == line->interface &&
             other.size_class == line->size_class;
    };
    if (rows.empty() || !is_like(*rows.back().lines.front())) rows.emplace_back();
    rows.back().lines.push_back(line);
  }
  for (Row& row : rows)
    for (const CallSiteReport& site : sites)
      if (const ReportLine& line = *row.lines.front(); site.shape.collective == line.collective &&
                                                       site.shape.interface == line.interface &&
                                                       size_class_of(site.shape) == line.size_class)
        row.sites.push_back(&site);
  return rows;
}

/// Cost of the calls of a group of sites on the slowest rank, weighted by calls.
struct Compared {
  uint64_t calls = 0;                   // of sites whose choice was measured
  double native_ns = 0, chosen_ns = 0;  // sums over all calls; native_ns is valid only if knows_native
  bool knows_native = true;

  void add(const CallSiteReport& site) {
    uint64_t native = 0, chosen = 0;
    for (const select::CandidateReport& candidate : site.candidates) {
      if (candidate.candidate.is_native()) native = candidate.median_ns;
      if (to_string(candidate.candidate) == site.choice) chosen = candidate.median_ns;
    }
    if (chosen == 0) return;
    calls += site.calls;
    native_ns += static_cast<double>(native) * static_cast<double>(site.calls);
    chosen_ns += static_cast<double>(chosen) * static_cast<double>(site.calls);
    knows_native &= native != 0;
  }
  std::string text() const {
    const auto of_call = [this](double ns) {
      return microseconds_text(static_cast<uint64_t>(ns / static_cast<double>(calls)));
    };
    if (!knows_native) return fmt::format("{} µs a call", of_call(chosen_ns));
    return fmt::format("native {} µs a call, now {}{}", of_call(native_ns), of_call(chosen_ns),
                       chosen_ns > native_ns ? " (too few trials to go back)" : "");
  }
};

/// "native 3010 µs a call, now 2810": mean over the sites of the row. Empty: unknown. Sites with late ranks use another
/// cost than other sites, so the two groups are not mixed: the text is about the group with more calls.
std::string comparison_text(const Row& row) {
  Compared even, late;
  for (const CallSiteReport* site : row.sites) (site->arrivals.is_late() ? late : even).add(*site);
  const bool tells_of_late = late.calls > even.calls;
  const Compared& told = tells_of_late ? late : even;
  if (told.calls == 0) return "";
  return fmt::format("{}{}{}", told.text(), tells_of_late ? " beyond the waiting for late ranks" : "",
                     told.calls < row.calls() ? fmt::format(" ({} of the calls)", told.calls) : "");
}

/// "2 algorithms tried, the native MPI is the fastest". Empty: none was tried, or a site uses another choice.
std::string native_won_text(const Row& row) {
  size_t others = 0;
  bool is_exploring = false;
  for (const CallSiteReport* site : row.sites) {
    if (site->choice != k_native) return "";
    const auto is_tried = [](const select::CandidateReport& candidate) {
      return !candidate.candidate.is_native() && (candidate.trials > 0 || candidate.is_dropped);
    };
    others = std::max(others, static_cast<size_t>(std::ranges::count_if(site->candidates, is_tried)));
    is_exploring |= site->is_exploring;
  }
  if (others == 0) return "";
  return fmt::format("{} tried, the native MPI is {}", base::counted(others, "algorithm"),
                     is_exploring ? "the fastest so far" : "the fastest");
}

/// The sites share the time of the run, so the sum of their losses is compared with it.
std::string trials_text(const Row& row, uint64_t run_ns) {
  uint64_t loss_ns = 0;
  for (const CallSiteReport* site : row.sites) loss_ns += site->loss_ns;
  if (loss_ns == 0 || run_ns == 0) return "";
  return fmt::format("; trials cost {:.1f} % of the run",
                     100 * static_cast<double>(loss_ns) / static_cast<double>(run_ns));
}

std::string served_text(const Row& row) {
  const ReportLine& main = row.main_line();
  const uint64_t calls = row.calls(), served = row.served();
  if (served == 0) return "native";
  const std::string number = served == calls ? "all" : std::to_string(served);
  const bool is_mixed = calls_of(main) < served;
  return fmt::format("Tutti served {} ({}{})", number, is_mixed ? "mostly " : "", main.choice);
}

std::string row_text(const Row& row, uint64_t run_ns) {
  const ReportLine& main = row.main_line();
  std::string why = native_won_text(row);
  if (why.empty() && row.served() > 0) why = comparison_text(row);
  if (why.empty() && main.reason != k_native_reason) why = main.reason;
  return fmt::format("{}{}: {}, {}; {}{}{}{}", call_name(main.collective, main.interface),
                     size_text(main.size_class), base::counted(row.calls(), "call"), time_text(row.time_ns()),
                     served_text(row), why.empty() ? "" : ": ", why, trials_text(row, run_ns));
}

/// Explains why Tutti served no call, if no rule applied to any call; otherwise empty.
std::string nothing_served_text(const ReportHeader& header, std::span<const ReportLine* const> lines) {
  const bool is_without_rule =
      std::ranges::all_of(lines, [](const ReportLine* line) { return line->reason == k_native_reason; });
  if (!is_without_rule) return "";
  const std::string why = header.node_count == 1 ? ": on one node the built-in rules keep the MPI's own"
                                                 : ": the rules keep the MPI's own";
  return why + (header.tunes_all ? "" : " (try --tune all)");
}

std::string total_text(const ReportHeader& header, std::span<const ReportLine* const> lines,
                       uint64_t passed_through) {
  uint64_t calls = 0, served = 0;
  for (const ReportLine* line : lines) {
    calls += calls_of(*line);
    served += is_served(*line) ? calls_of(*line) : 0;
  }
  std::string text = calls == 0 ? "the program has called no collective that Tutti could serve"
                                : fmt::format("Tutti served {} of {}", served, base::counted(calls, "call"));
  if (calls == 0 && passed_through == 0)
    text += " (what is found by dlsym in the MPI's own library passes by)";
  if (calls > 0 && served == 0) text += nothing_served_text(header, lines);
  if (passed_through > 0)
    text +=
        fmt::format("; {} on communicators that it does not serve", base::counted(passed_through, "call"));
  return text;
}

}  // namespace

uint64_t least_bytes_of(int size_class) {
  return size_class == 0 ? 0 : uint64_t{1} << (size_class - 1);
}
uint64_t most_bytes_of(int size_class) {
  return size_class == 0 ? 0 : least_bytes_of(size_class) * 2 - 1;
}

std::string call_name(algorithm::Collective collective, select::CallInterface interface) {
  const std::string name(algorithm::to_string(collective));
  if (interface == select::CallInterface::nonblocking) return "i" + name;
  return interface == select::CallInterface::persistent ? name + "_init" : name;
}

std::string summary_of(const ReportHeader& header, std::span<const ReportLine* const> lines,
                       std::span<const CallSiteReport> sites, uint64_t passed_through) {
  std::string text = lines_of(total_text(header, lines, passed_through));
  text += lines_of(fmt::format("{} on {}, {} (rank 0); nonblocking collectives: {}",
                               base::counted(static_cast<uint64_t>(header.rank_count), "rank"),
                               base::counted(static_cast<uint64_t>(header.node_count), "node"),
                               time_text(header.elapsed_ns), header.progress));
  if (!header.links.empty()) text += lines_of("between nodes: " + header.links);
  for (const Row& row : rows_of(lines, sites)) text += lines_of(row_text(row, header.elapsed_ns));
  return text;
}

}  // namespace tutti::collective
