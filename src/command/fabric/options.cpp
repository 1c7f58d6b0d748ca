#include "command/fabric/options.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/file.hpp"
#include "command/validators.hpp"
#include "fabric/generate.hpp"
#include "fabric/topology_file.hpp"

namespace tutti::command {

using base::Result;

void RouteOptions::add_to(CLI::App& app) {
  app.add_option("--colours", colours, "N_colour: entries in the smallest table (0: no limit)")
      ->check(CLI::Range(0u, fabric::k_most_colours))
      ->capture_default_str();
  app.add_option("--merge", merge, "what becomes of trees that are merged: keep or rebuild")
      ->check(one_of({"keep", "rebuild"}))
      ->capture_default_str();
  app.add_option("--effort", effort, "how long colours are saved and cables relieved: quick or thorough")
      ->check(one_of({"quick", "thorough"}))
      ->capture_default_str();
  app.add_option("--seed", seed, "seed for tie-breaking")->capture_default_str();
  app.add_option("--threads", threads, "for tables of hops and similarity; results do not depend on it")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
}

fabric::RouterOptions RouteOptions::router_options() const {
  return {.colour_limit = colours,
          .method = algorithm == "paper" ? fabric::Method::paper : fabric::Method::guided,
          .merge = merge == "keep" ? fabric::MergeStrategy::keep : fabric::MergeStrategy::rebuild,
          .effort = effort == "quick" ? fabric::Effort::quick : fabric::Effort::thorough,
          .seed = seed,
          .threads = threads};
}

namespace {

/// Whether `where` is not a file and looks like a description.
bool is_description(const std::string& where, std::string_view known_kinds) {
  std::error_code error;
  if (std::filesystem::exists(where, error)) return false;
  const bool has_parameters = where.find(':') != std::string::npos && where.find('/') == std::string::npos;
  return has_parameters || known_kinds.find("|" + where + "|") != std::string_view::npos;
}

}  // namespace

Result<fabric::Fabric> load_fabric(const std::string& where) {
  std::string kinds = "|";
  for (const fabric::GeneratedTopology& topology : fabric::topologies())
    kinds += std::string(topology.name) + "|";
  if (is_description(where, kinds)) return fabric::generate(where);
  const auto text = base::read_file(where);
  if (!text) return text.status();
  return fabric::parse_topology(*text, where);
}

Result<fabric::GroupSet> load_groups(const std::string& where, const fabric::Fabric& fabric) {
  if (is_description(where, "|grid|random|")) return fabric::make_groups(where, fabric);
  const auto text = base::read_file(where);
  if (!text) return text.status();
  return fabric::parse_groups(*text, fabric, where);
}

}  // namespace tutti::command
