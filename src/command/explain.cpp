// tutti explain FILE: the report that a run left behind (its schema: src/mpi/report.hpp).

#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/text.hpp"
#include "command/command.hpp"

namespace tutti::command {

namespace {

using nlohmann::json;

constexpr int k_schema = 1;

std::string size_range(const json& call) {
  if (!call.contains("least_bytes")) return "-";
  const auto least = call.at("least_bytes").get<uint64_t>();
  const auto most = call.at("most_bytes").get<uint64_t>();
  return least == most ? base::format_bytes(least)
                       : fmt::format("{}..{}", base::format_bytes(least), base::format_bytes(most));
}

void print_report(const json& report) {
  fmt::print("{}, {} ranks on {} nodes, {:.3f} s; numbers of rank 0\n", report.at("mpi").get<std::string>(),
             report.at("ranks").get<int>(), report.at("nodes").get<int>(),
             report.at("elapsed_ns").get<double>() / 1e9);
  fmt::print("{:<20} {:>15} {:>9} {:>14} {:>12} {:>11}  {}\n", "collective", "bytes", "calls", "total bytes",
             "time ms", "us/call", "choice: reason");
  for (const json& call : report.at("calls")) {
    const double time_ns = call.at("time_ns").get<double>();
    const auto count = call.at("calls").get<uint64_t>();
    fmt::print("{:<20} {:>15} {:>9} {:>14} {:>12.3f} {:>11.1f}  {}: {}\n",
               call.at("collective").get<std::string>(), size_range(call), count,
               call.at("bytes").get<uint64_t>(), time_ns / 1e6,
               count == 0 ? 0.0 : time_ns / 1e3 / static_cast<double>(count),
               call.at("choice").get<std::string>(), call.at("reason").get<std::string>());
  }
}

int run(const std::string& file_name) {
  std::ifstream file(file_name, std::ios::binary);
  if (!file) return fail(fmt::format("{}: cannot be read", file_name));
  std::ostringstream text;
  text << file.rdbuf();
  const json report = json::parse(text.str(), nullptr, /*allow_exceptions=*/false);
  if (!report.is_object() || report.value("schema", json()) != k_schema)
    return fail(fmt::format("{}: is no report of Tutti (write one with tutti run --report {})", file_name,
                            file_name));
  try {
    print_report(report);
  } catch (const json::exception& error) {
    return fail(fmt::format("{}: is damaged: {}", file_name, error.what()));
  }
  return k_done;
}

}  // namespace

Action add_explain(CLI::App& app, const std::vector<std::string>&) {
  auto file = std::make_shared<std::string>();
  app.add_option("report", *file, "a file written by tutti run --report FILE")->required();
  return [file] { return run(*file); };
}

}  // namespace tutti::command
