#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "record/analysis/report.hpp"

namespace tutti::record::analysis {

namespace {

using Json = nlohmann::json;

constexpr size_t k_shown_sites = 3;

double ns(const Json& object, const char* name) {
  return object.at(name).get<double>();
}

std::string printable(const Json& value) {
  return base::printable(value.get<std::string>());
}

double percent(double part, double whole) {
  return whole == 0 ? 0 : part / whole * 100;
}

std::string size_text(const Json& site) {
  const auto least = site.at("least_bytes").get<uint64_t>(), most = site.at("most_bytes").get<uint64_t>();
  if (most == 0) return {};
  return least == most ? ", " + base::format_bytes(most)
                       : fmt::format(", {}..{}", base::format_bytes(least), base::format_bytes(most));
}

template <class Out>
void print_site(Out out, const Json& site) {
  const Json& spread = site.at("spread");
  fmt::format_to(
      out, "\n{}. {} {} in {}\n   {}, {}{}: waiting {}, transfer {}\n", site.at("site").get<size_t>() + 1,
      printable(site.at("interface")), printable(site.at("collective")), printable(site.at("place")),
      base::counted(site.at("calls").get<uint64_t>(), "call"), printable(site.at("communicator")),
      size_text(site), duration_text(ns(site, "waiting_ns")), duration_text(ns(site, "transfer_ns")));
  if (site.contains("arrival") && site.at("arrival").contains("worst_call"))
    fmt::format_to(out, "   ranks come within {} (median), {} (9 of 10), {} (worst, call {})\n",
                   duration_text(ns(spread, "median_ns")), duration_text(ns(spread, "p90_ns")),
                   duration_text(ns(spread, "most_ns")),
                   site.at("arrival").at("worst_call").at("sequence").get<uint64_t>());
  std::string late;
  for (const Json& rank : site.at("late_ranks")) {
    constexpr size_t k_enough = 60;
    const double share = percent(ns(rank, "caused_ns"), ns(site, "waiting_ns"));
    if (late.size() > k_enough || share < 1) break;
    late += fmt::format("{}{} ({:.0f} %)", late.empty() ? "" : ", ", rank.at("rank").get<uint64_t>(), share);
  }
  if (!late.empty()) fmt::format_to(out, "   waited for rank {}\n", late);
  if (site.contains("cause")) fmt::format_to(out, "   {}\n", printable(site.at("cause").at("text")));
}

/// States what the shares refer to, if not everything is recorded.
template <class Out>
void print_recorded(Out out, const Json& run) {
  if (const auto every = run.at("sampled_every").get<uint64_t>(); every > 1)
    fmt::format_to(
        out,
        "  One of {} collective calls is recorded, and stands for all: times and shares are estimates.\n",
        every);
  const auto dropped = run.at("dropped").get<uint64_t>();
  if (dropped == 0) return;
  fmt::format_to(out, "  {} were dropped: times and shares are of {} that are recorded.\n",
                 base::counted(dropped, "record"), duration_text(ns(run, "recorded_ns")));
}

/// Messages have no call sites. Prints a line for them if they have most of the time.
template <class Out>
void print_messages(Out out, const Json& report) {
  const Json& totals = report.at("totals");
  const double messages_ns = ns(totals, "messages_ns"), waiting_ns = ns(totals, "messages_waiting_ns");
  if (messages_ns * 2 < ns(totals, "waiting_ns") + ns(totals, "transfer_ns") || messages_ns == 0) return;
  fmt::format_to(out, "\nmessages, which have no call sites: waiting {}, transfer {}\n",
                 duration_text(waiting_ns), duration_text(messages_ns - waiting_ns));
}

}  // namespace

std::string report_line(const Json& report) {
  const Json& totals = report.at("totals");
  const double waiting = percent(ns(totals, "waiting_ns"), ns(totals, "rank_ns"));
  const Json& verdict = report.at("verdicts").front();
  std::string whom;
  if (verdict.contains("ranks")) {
    double caused_ns = 0;
    std::string names;
    for (const Json& rank : verdict.at("ranks")) {
      caused_ns += ns(report.at("ranks")[rank.get<size_t>()], "caused_ns");
      names += fmt::format("{}{}", names.empty() ? "" : ", ", rank.get<uint64_t>());
    }
    whom = fmt::format(", {:.0f} % of it for rank{} {}", percent(caused_ns, ns(totals, "waiting_ns")),
                       verdict.at("ranks").size() == 1 ? "" : "s", names);
  } else if (verdict.contains("node")) {
    for (const Json& node : report.at("nodes"))
      if (node.at("node") == verdict.at("node"))
        whom = fmt::format(", {:.0f} % of it for node {}",
                           percent(ns(node, "caused_ns"), ns(totals, "waiting_ns")),
                           node.at("node").get<uint64_t>());
  }
  return fmt::format("MPI calls: {:.1f} % of the ranks'{} time is waiting{}; {:.1f} % is transfer", waiting,
                     report.at("run").at("dropped") == 0 ? "" : " recorded", whom,
                     percent(ns(totals, "transfer_ns"), ns(totals, "rank_ns")));
}

std::string report_text(const Json& report) {
  std::string all;
  const auto out = std::back_inserter(all);
  const Json& run = report.at("run");
  fmt::format_to(out, "{}: {} after {}; {} on {}, {}\n", printable(run.at("program")),
                 printable(run.at("ended")), duration_text(ns(run, "elapsed_ns")),
                 base::counted(run.at("ranks").get<uint64_t>(), "rank"),
                 base::counted(run.at("nodes").get<uint64_t>(), "node"),
                 base::counted(run.at("calls").get<uint64_t>(), "collective call"));
  print_recorded(out, run);
  for (const Json& sentence : report.at("what_to_do")) fmt::format_to(out, "  {}\n", printable(sentence));
  fmt::format_to(out, "{}\n", report_line(report));
  for (size_t i = 0; i < report.at("sites").size() && i < k_shown_sites; ++i)
    print_site(out, report.at("sites")[i]);
  if (report.at("sites").size() > k_shown_sites)
    fmt::format_to(out, "\n{} more call sites are in the page (--html) and the JSON (--json)\n",
                   report.at("sites").size() - k_shown_sites);
  print_messages(out, report);
  if (!report.at("chain").empty()) fmt::format_to(out, "\nother tools between the program and MPI:");
  for (const Json& file : report.at("chain")) fmt::format_to(out, " {}", printable(file));
  if (!report.at("chain").empty() || !report.at("missing").empty()) all += '\n';
  for (const Json& line : report.at("missing")) fmt::format_to(out, "missing: {}\n", printable(line));
  all += '\n';
  for (const Json& note : report.at("notes")) fmt::format_to(out, "note: {}\n", printable(note));
  return all;
}

std::string report_metrics(const Json& report) {
  std::string all;
  const auto out = std::back_inserter(all);
  const auto metric = [&](const char* name, const char* help, auto print) {
    fmt::format_to(out, "# HELP tutti_{0} {1}\n# TYPE tutti_{0} gauge\n", name, help);
    print();
  };
  const Json& totals = report.at("totals");
  metric("run_seconds", "Wall time of the run.", [&] {
    fmt::format_to(out, "tutti_run_seconds {:.6f}\n", ns(report.at("run"), "elapsed_ns") / 1e9);
  });
  metric("waiting_seconds", "Time of all ranks in collective calls, waiting for other ranks.",
         [&] { fmt::format_to(out, "tutti_waiting_seconds {:.6f}\n", ns(totals, "waiting_ns") / 1e9); });
  metric("transfer_seconds", "Time of all ranks in collective calls beyond that.",
         [&] { fmt::format_to(out, "tutti_transfer_seconds {:.6f}\n", ns(totals, "transfer_ns") / 1e9); });
  metric("rank_caused_waiting_seconds", "Waiting of all ranks that a rank has caused.", [&] {
    for (const Json& rank : report.at("ranks"))
      fmt::format_to(out, "tutti_rank_caused_waiting_seconds{{rank=\"{}\",node=\"{}\"}} {:.6f}\n",
                     rank.at("rank").get<uint64_t>(), rank.at("node").get<uint64_t>(),
                     ns(rank, "caused_ns") / 1e9);
  });
  metric("rank_relative_score", "Busy time of a typical rank by that of the rank.", [&] {
    for (const Json& rank : report.at("ranks"))
      fmt::format_to(out, "tutti_rank_relative_score{{rank=\"{}\"}} {:.4f}\n",
                     rank.at("rank").get<uint64_t>(), ns(rank, "relative_score"));
  });
  return all;
}

}  // namespace tutti::record::analysis
