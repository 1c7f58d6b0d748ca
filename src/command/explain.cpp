// tutti explain FILE: prints the report of a run (schema: src/collective/report.hpp), or the folder of its record.

#include "command/explain.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "base/json.hpp"
#include "base/text.hpp"
#include "command/command.hpp"
#include "record/analysis/report.hpp"

namespace tutti::command {

namespace {

using Json = nlohmann::json;

constexpr int k_schema = 1;

/// A text of the report, made safe for a terminal.
std::string shown(const Json& text) {
  return base::printable(text.get<std::string>());
}

uint64_t number(const Json& value) {
  if (!value.is_number_unsigned()) throw Json::other_error::create(501, "a count is no whole number", &value);
  return value.get<uint64_t>();
}

std::string size_range(const Json& call) {
  if (!call.contains("least_bytes")) return "-";
  const auto least = number(call.at("least_bytes"));
  const auto most = number(call.at("most_bytes"));
  return least == most ? base::format_bytes(least)
                       : fmt::format("{}..{}", base::format_bytes(least), base::format_bytes(most));
}

double milliseconds(const Json& ns) {
  return static_cast<double>(number(ns)) / 1e6;
}

/// "chosen", "dropped", …
std::string_view role_of(const Json& candidate, const std::string& choice) {
  if (candidate.at("candidate") == choice) return "chosen";
  if (candidate.at("is_dropped").get<bool>()) return "dropped";
  return number(candidate.at("trials")) == 0 ? "not compared" : "";
}

/// "119.8"; "-" if it was not tried.
std::string median_of(const Json& candidate) {
  return number(candidate.at("trials")) == 0
             ? "-"
             : fmt::format("{:.1f}", milliseconds(candidate.at("median_ns")) * 1e3);
}

/// "8 ranks on 1 node".
std::string place_of(const Json& shape) {
  return fmt::format("{} on {}", base::counted(number(shape.at("ranks")), "rank"),
                     base::counted(number(shape.at("nodes")), "node"));
}

/// "6 % less", for a cost that is `ratio` times another.
std::string difference(double ratio) {
  return fmt::format("{:.0f} % {}", std::abs(ratio - 1) * 100, ratio <= 1 ? "less" : "more");
}

/// Describes a change of the choice.
std::string switch_text(const Json& event) {
  const auto call = number(event.at("call"));
  const auto change = difference(event.at("ratio").get<double>());
  if (event.at("why") == "arrivals")
    return fmt::format("at call {} ranks came otherwise than before: all began anew", call);
  if (event.at("why") == "drift")
    return fmt::format("at call {} {} cost {} than before: all candidates were tried again", call,
                       shown(event.at("to")), change);
  return fmt::format("from call {} on {} instead of {}: {}, {}", call, shown(event.at("to")),
                     shown(event.at("from")), change, base::counted(number(event.at("trials")), "trial"));
}

/// Describes the arrivals of the ranks.
std::string arrivals_text(const Json& arrivals) {
  std::string text = fmt::format("ranks come within {:.3f} ms", milliseconds(arrivals.at("spread_ns")));
  if (arrivals.at("are_late").get<bool>())
    text += fmt::format(
        ", rank {} last in {} % of the calls; calls are compared by their mean cost beyond the "
        "waiting for them, here {:.3f} ms",
        number(arrivals.at("last_rank")), number(arrivals.at("last_percent")),
        milliseconds(arrivals.at("beyond_ns")));
  return text;
}

/// Prints a call site: its candidates, the choice with its reason, and the changes of the choice.
template <class Out>
void print_site(Out out, const Json& site) {
  const std::string choice = site.at("choice").get<std::string>();
  fmt::format_to(out, "\n{}{}, {}: {}\n  {}: {}{}\n", shown(site.at("collective")),
                 site.contains("bytes") ? " of " + base::format_bytes(number(site.at("bytes"))) : "",
                 place_of(site), base::counted(number(site.at("calls")), "call"), shown(site.at("choice")),
                 shown(site.at("reason")), site.at("is_exploring").get<bool>() ? " (still exploring)" : "");
  if (site.contains("arrivals")) fmt::format_to(out, "  {}\n", arrivals_text(site.at("arrivals")));
  fmt::format_to(out, "  trials cost {:.3f} of {:.3f} ms\n  {:<44} {:>7} {:>13}\n",
                 milliseconds(site.at("loss_ns")), milliseconds(site.at("elapsed_ns")), "candidate", "trials",
                 "typical us");
  for (const Json& candidate : site.at("candidates"))
    fmt::format_to(out, "  {:<44} {:>7} {:>13}  {}\n", shown(candidate.at("candidate")),
                   number(candidate.at("trials")), median_of(candidate), role_of(candidate, choice));
  for (const Json& event : site.at("switches")) fmt::format_to(out, "  {}\n", switch_text(event));
}

std::string table_of(const Json& report) {
  std::string text;
  const auto out = std::back_inserter(text);
  const std::string lacks = report.value("mpi_lacks", "");  // missing in reports of older versions
  fmt::format_to(out, "{}{}, {}, {:.3f} s; numbers of rank 0\n", shown(report.at("mpi")),
                 lacks.empty() ? "" : " (without " + shown(Json(lacks)) + ")", place_of(report),
                 report.at("elapsed_ns").get<double>() / 1e9);
  if (const std::string links = report.value("links", ""); !links.empty())
    fmt::format_to(out, "between nodes: {}\n", shown(Json(links)));
  fmt::format_to(out, "{:<20} {:>15} {:>9} {:>14} {:>12} {:>11}  {}\n", "collective", "bytes", "calls",
                 "total bytes", "time ms", "us/call", "choice");
  for (const Json& call : report.at("calls")) {
    const double time_ns = call.at("time_ns").get<double>();
    const auto count = number(call.at("calls"));
    fmt::format_to(out, "{:<20} {:>15} {:>9} {:>14} {:>12.3f} {:>11.1f}  {}\n{:>21}{}\n",
                   shown(call.at("collective")), size_range(call), count, number(call.at("bytes")),
                   time_ns / 1e6, count == 0 ? 0.0 : time_ns / 1e3 / static_cast<double>(count),
                   shown(call.at("choice")), "", shown(call.at("reason")));
  }
  if (!report.contains("sites")) return text;
  if (!report.at("sites").empty())
    text += "\nCall sites that chose for themselves; costs are those of the slowest rank\n";
  for (const Json& site : report.at("sites")) print_site(out, site);
  if (const auto unlisted = number(report.at("unlisted_sites")); unlisted > 0)
    fmt::format_to(out, "\n{} further call sites are not listed\n", unlisted);
  return text;
}

}  // namespace

base::Result<std::string> format_report(std::string_view text) {
  using base::Status;
  const auto report = base::parse_json(text);
  if (!report || !report->is_object() || report->value("schema", Json()) != k_schema)
    return Status::invalid_argument(
        fmt::format("is no report of Tutti (write one with tutti run --report FILE){}",
                    report ? "" : ": " + report.status().message()));
  if (report->contains("rules"))
    return Status::invalid_argument(
        "is a rules file, not a report (tutti run --rules FILE uses it; --report FILE writes a report)");
  try {
    return table_of(*report);
  } catch (const Json::exception& error) {
    return Status::invalid_argument("is damaged: " + base::sentence_of(error));
  }
}

namespace {

/// Reads a file or a pipe, with a limit because a pipe may never end.
base::Result<std::string> read_report(const std::string& file_name) {
  constexpr size_t k_most_bytes = size_t{64} << 20;
  std::ifstream file(file_name, std::ios::binary);
  std::string text, part(1 << 16, '\0');
  while (file && text.size() <= k_most_bytes) {
    file.read(part.data(), static_cast<std::streamsize>(part.size()));
    text.append(part, 0, static_cast<size_t>(file.gcount()));
  }
  if (!file.eof() && text.empty()) return base::Status::not_found("cannot be read");
  if (text.size() <= k_most_bytes) return text;
  return base::Status::invalid_argument("is no report of Tutti: it is larger than 64M");
}

/// Explains the folder of a recorded run.
int explain_record(const std::string& folder) {
  const auto analysed = record::analysis::analyse(folder);
  if (!analysed) return fail(analysed.status().message());
  fmt::print("{}", record::analysis::choices_text(*analysed));
  return k_done;
}

int run(const std::string& file_name) {
  std::error_code error;
  if (std::filesystem::is_directory(file_name, error)) return explain_record(file_name);
  const auto text = read_report(file_name);
  if (!text) return fail(fmt::format("{}: {}", file_name, text.status().message()));
  const auto report = format_report(*text);
  if (!report) return fail(fmt::format("{}: {}", file_name, report.status().message()));
  fmt::print("{}", *report);
  return k_done;
}

}  // namespace

Action add_explain(CLI::App& app) {
  auto file = std::make_shared<std::string>();
  app.add_option("report", *file, "a file written by tutti run --report FILE, or a folder by --record FOLDER")
      ->required();
  return [file] { return run(*file); };
}

}  // namespace tutti::command
