// tutti info: what is installed, and the effective settings.

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "algorithm/catalogue.hpp"
#include "base/environment.hpp"
#include "base/settings.hpp"
#include "base/text.hpp"
#include "command/build_info.hpp"
#include "command/command.hpp"
#include "command/commands_json.hpp"
#include "command/installation.hpp"
#include "command/mpi_found.hpp"
#include "command/tool_chain.hpp"

namespace tutti::command {

namespace {

using algorithm::Algorithm;
using algorithm::Parameter;
using Json = nlohmann::json;

std::string value_text(const Parameter& parameter, uint64_t value) {
  switch (parameter.unit) {
    case Parameter::Unit::choice:
      return std::string(parameter.choices[value]);
    case Parameter::Unit::bytes:
      return base::format_bytes(value);
    case Parameter::Unit::count:
      break;
  }
  return std::to_string(value);
}

std::string setting_value(const base::Settings& settings, const base::Setting& row) {
  const bool is_number = row.kind != base::Setting::Kind::choice && row.kind != base::Setting::Kind::text;
  if (!is_number || row.is_permille) return std::string(settings.text(row.name));
  const uint64_t value = settings.number(row.name);
  return row.kind == base::Setting::Kind::bytes ? base::format_bytes(value) : std::to_string(value);
}

Json parameter_json(const Parameter& parameter) {
  Json entry = {{"name", parameter.name},
                {"summary", parameter.summary},
                {"default", value_text(parameter, parameter.default_value)}};
  if (parameter.unit == Parameter::Unit::choice)
    entry["choices"] = parameter.choices;
  else
    entry.update({{"min", parameter.min}, {"max", parameter.max}});
  return entry;
}

Json algorithm_json(const Algorithm& row) {
  Json parameters = Json::array();
  for (const Parameter& parameter : row.parameters) parameters.push_back(parameter_json(parameter));
  return {{"collective", algorithm::to_string(row.collective)},
          {"name", row.name},
          {"summary", row.summary},
          {"source", row.source},
          {"parameters", parameters}};
}

std::string_view kind_text(base::Setting::Kind kind) {
  switch (kind) {
    case base::Setting::Kind::flag:
      return "flag";
    case base::Setting::Kind::count:
      return "count";
    case base::Setting::Kind::bytes:
      return "bytes";
    case base::Setting::Kind::choice:
      return "choice";
    case base::Setting::Kind::text:
      break;
  }
  return "text";
}

Json setting_json(const base::Settings& settings, const base::Setting& row) {
  Json entry = {{"name", row.name},
                {"kind", kind_text(row.kind)},
                {"value", setting_value(settings, row)},
                {"default", row.default_value},
                {"source", settings.is_set(row.name) ? "environment" : "default"},
                {"summary", row.summary}};
  if (row.kind == base::Setting::Kind::choice) entry["choices"] = row.choices;
  if (row.kind == base::Setting::Kind::count || row.kind == base::Setting::Kind::bytes)
    entry.update({{"min", row.min}, {"max", row.max}});
  if (row.takes_zero) entry["takes_zero"] = true;
  if (row.is_permille) entry["is_permille"] = true;
  return entry;
}

Json mpis_json() {
  Json mpis = Json::object();
  for (Mpi mpi : {Mpi::mpich, Mpi::openmpi}) {
    const std::string found = mpi_found(mpi);
    mpis[std::string(to_string(mpi))] = found.empty() ? Json(nullptr) : Json(found);
  }
  return mpis;
}

Json libraries_json() {
  Json libraries = Json::object();
  for (Mpi mpi : {Mpi::mpich, Mpi::openmpi}) {
    const auto path = preload_library(mpi);
    libraries[std::string(to_string(mpi))] = path ? Json(path->string()) : Json(nullptr);
  }
  const auto ucx = ucx_library();
  libraries["ucx"] = ucx ? Json(ucx->string()) : Json(nullptr);
  return libraries;
}

int print_json(const base::Settings& settings, const CLI::App& whole) {
  Json document = {{"version", k_version},          {"compiler", k_compiler},   {"build_type", k_build_type},
                   {"libraries", libraries_json()}, {"mpis", mpis_json()},      {"chain", preloaded_tools()},
                   {"algorithms", Json::array()},   {"settings", Json::array()}};
  for (const Algorithm* row : algorithm::catalogue()) document["algorithms"].push_back(algorithm_json(*row));
  for (const base::Setting& row : base::settings_table())
    document["settings"].push_back(setting_json(settings, row));
  document["commands"] = commands_json(whole);
  fmt::print("{}\n", document.dump(1, ' ', false, Json::error_handler_t::replace));
  return k_done;
}

void print_algorithms() {
  fmt::print("\nAlgorithms (force one with TUTTI_<COLLECTIVE>=name:parameter=value)\n");
  algorithm::Collective last{};
  bool first = true;
  for (const Algorithm* row : algorithm::catalogue()) {
    if (first || row->collective != last) fmt::print("  {}\n", algorithm::to_string(row->collective));
    first = false;
    last = row->collective;
    fmt::print("    {:<20} {}\n", row->name, row->summary);
    for (const Parameter& parameter : row->parameters) {
      std::string range;
      if (parameter.unit == Parameter::Unit::choice)
        for (std::string_view choice : parameter.choices)
          range += (range.empty() ? "" : "|") + std::string(choice);
      else
        range = value_text(parameter, parameter.min) + ".." + value_text(parameter, parameter.max);
      fmt::print("      :{}={}  {} ({})\n", parameter.name, value_text(parameter, parameter.default_value),
                 parameter.summary, range);
    }
  }
}

int print_text(const base::Settings& settings) {
  fmt::print("Tutti {}, built with {} ({})\n", k_version, k_compiler, k_build_type);
  for (Mpi mpi : {Mpi::mpich, Mpi::openmpi}) {
    const auto path = preload_library(mpi);
    fmt::print("  {:<9} {}\n", display_name(mpi), path ? path->string() : "not built");
    if (path) fmt::print("  {:<9}   {}\n", "", mpi_found(mpi));
  }
  const auto ucx = ucx_library();
  fmt::print("  {:<9} {}\n", "UCX", ucx ? ucx->string() : "not built");
  for (const std::string& tool : preloaded_tools())
    fmt::print("  {:<9} {} (LD_PRELOAD), a tool in front of the MPI\n", "chain", tool);
  print_algorithms();
  fmt::print("\nSettings\n");
  for (const base::Setting& row : base::settings_table())
    fmt::print("  {:<33} {:<12} {:<12} {}\n", row.name, setting_value(settings, row),
               settings.is_set(row.name) ? "environment" : "default", row.summary);
  return k_done;
}

}  // namespace

Action add_info(CLI::App& app) {
  auto as_json = std::make_shared<bool>(false);
  app.add_flag("--json", *as_json, "the same for programs");
  return [as_json, &app] {
    std::vector<std::string> problems;
    const base::Settings settings =
        base::Settings::from_environment(base::environment_of_process(), &problems);
    for (const std::string& problem : problems) fmt::print(stderr, "tutti: {}\n", problem);
    return *as_json ? print_json(settings, *app.get_parent()) : print_text(settings);
  };
}

}  // namespace tutti::command
