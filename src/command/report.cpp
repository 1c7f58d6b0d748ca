// tutti report FOLDER: report of a recorded run (tutti run --record FOLDER).

#include <fmt/format.h>

#include <memory>

#include "arrival/recording.hpp"
#include "base/file.hpp"
#include "command/command.hpp"
#include "command/installation.hpp"
#include "record/analysis/arrivals.hpp"
#include "record/analysis/ending.hpp"
#include "record/analysis/report.hpp"
#include "record/analysis/trace.hpp"

namespace tutti::command {

namespace {

using base::Status;
namespace analysis = record::analysis;

struct ReportOptions {
  std::string folder, against, arrivals, html, json, metrics, trace;
};

/// The page is one self-contained file. `<` is escaped in the JSON, so that no string can end its element.
base::Result<std::string> page_of(const nlohmann::json& report) {
  const auto path = report_page();
  if (!path) return path.status();
  auto page = base::read_file(path->string());
  if (!page) return page.status();
  constexpr std::string_view k_place = "@REPORT@";
  const size_t at = page->find(k_place);
  if (at == std::string::npos) return Status::internal(path->string() + " has no place for the report");
  std::string json;
  for (const char c : report.dump()) c == '<' ? json += "\\u003c" : json += c;
  return page->replace(at, k_place.size(), json);
}

/// An empty name means that the file is not requested.
Status write(const std::string& file_name, const std::string& text) {
  return file_name.empty() ? Status() : base::replace_file(file_name, text);
}

/// End of a sentence with the ranks without a file; empty: there are none.
std::string guessed_ranks(const analysis::Analysis& analysed) {
  std::vector<uint32_t> absent;
  for (uint32_t rank = 0; rank < analysed.ranks.size(); ++rank)
    if (!analysed.ranks[rank].has_file) absent.push_back(rank);
  return absent.empty() ? std::string()
                        : fmt::format("{} left no record, and {} taken to come with the median of the others",
                                      analysis::ranks_text(absent), absent.size() == 1 ? "is" : "are");
}

/// Text for arrival::load_pattern(). Error: no call was recorded by all ranks.
base::Result<std::string> arrivals_of(const ReportOptions& options, const analysis::Analysis& analysed) {
  const auto arrivals = analysis::arrivals_text(analysed.run, analysed.tables, arrival::k_most_recorded);
  if (arrivals.calls == 0)
    return Status::invalid_argument(
        fmt::format("--arrivals: {} is not written: no call of this run was recorded by all its ranks",
                    options.arrivals));
  const std::string guessed = guessed_ranks(analysed);
  if (!guessed.empty()) fmt::print(stderr, "tutti: --arrivals: {}\n", guessed);
  return fmt::format("# {}: {} of {} collective calls, us after the first rank, by rank\n{}{}",
                     options.folder, arrivals.calls, arrivals.calls + arrivals.others,
                     guessed.empty() ? "" : fmt::format("# {}\n", guessed), arrivals.text);
}

int run(const ReportOptions& options) {
  // A browser needs about two gigabytes to show that many.
  constexpr uint64_t k_traced_records = 100'000;
  const auto analysed = analysis::analyse(options.folder, options.trace.empty() ? 0 : k_traced_records);
  if (!analysed) return fail(analysed.status().message());
  std::optional<analysis::Analysis> other;
  if (!options.against.empty()) {
    auto read = analysis::analyse(options.against);
    if (!read) return fail("--against: " + read.status().message());
    other = std::move(*read);
  }
  const nlohmann::json report = analysis::report_json(*analysed, other ? &*other : nullptr);
  std::string page;
  if (!options.html.empty()) {
    auto made = page_of(report);
    if (!made) return fail(made.status().message());
    page = std::move(*made);
  }
  // The other outputs are useful without the arrivals.
  base::Result<std::string> arrivals = std::string();
  if (!options.arrivals.empty()) arrivals = arrivals_of(options, *analysed);
  std::string trace;
  if (!options.trace.empty()) {
    analysis::Symbols symbols;
    trace = analysis::trace_json(*analysed, &symbols);
  }
  const bool is_piped = options.json == "-" || options.metrics == "-";
  if (!is_piped) fmt::print("{}", analysis::report_text(report));
  for (const auto& [file_name, text] :
       {std::pair{options.html, page}, std::pair{options.trace, trace},
        std::pair{arrivals ? options.arrivals : "", arrivals ? *arrivals : ""},
        std::pair{options.json, report.dump(1, ' ', false) + '\n'},
        std::pair{options.metrics, analysis::report_metrics(report)}})
    if (const Status status = write(file_name, text); !status) return fail(status.message());
  return arrivals ? k_done : fail(arrivals.status().message());
}

}  // namespace

Action add_report(CLI::App& app) {
  auto options = std::make_shared<ReportOptions>();
  app.add_option("folder", options->folder, "TUTTI_RECORD of a run (tutti run --record FOLDER)")->required();
  app.add_option("--html", options->html,
                 "also write a page into this file: one file, to be opened or mailed");
  app.add_option("--json", options->json,
                 "also write all of it into this file (-: standard output, and nothing else)");
  app.add_option("--metrics", options->metrics,
                 "also write what Prometheus reads into this file (-: as --json)");
  app.add_option(
      "--against", options->against,
      "another run's record: says where its choices were better, as of a run with TUTTI=0 or other rules");
  app.add_option("--trace", options->trace,
                 "also write the calls with most waiting into this file, for ui.perfetto.dev");
  app.add_option(
      "--arrivals", options->arrivals,
      "also write how late each rank came to the calls of all ranks: a pattern for --arrivals of other "
      "commands");
  return [options] { return run(*options); };
}

}  // namespace tutti::command
