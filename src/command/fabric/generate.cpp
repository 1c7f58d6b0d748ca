// tutti fabric generate fat-tree:ports=8 --out net --groups grid:16x8 --groups-out groups

#include <memory>

#include "command/command.hpp"
#include "command/fabric/options.hpp"
#include "command/output.hpp"
#include "fabric/topology_file.hpp"

namespace tutti::command {

namespace {

struct GenerateOptions {
  std::string fabric, out, groups, groups_out;
};

/// Ctrl-C may end the process during the computation, but not between the writing of the two files.
int write_both(const GenerateOptions& options, const std::string& groups, const std::string& net) {
  const StopRequest stop;
  if (!options.groups.empty())
    if (const auto status = write_output(options.groups_out, groups); !status)
      return fail(status.message(), k_failed);
  const bool is_output_taken = !options.groups.empty() && options.groups_out.empty() && options.out.empty();
  if (is_output_taken) return k_done;
  const auto status = write_output(options.out, net);
  return status ? k_done : fail(status.message(), k_failed);
}

int run(const GenerateOptions& options) {
  const auto fabric = load_fabric(options.fabric);
  if (!fabric) return fail(fabric.status().message());
  std::string groups_text;
  if (!options.groups.empty()) {
    const auto groups = load_groups(options.groups, *fabric);
    if (!groups) return fail(groups.status().message());
    groups_text = fabric::format_groups(*groups, *fabric);
  }
  return write_both(options, groups_text, fabric::format_ibsim(*fabric));
}

}  // namespace

std::function<int()> add_fabric_generate(CLI::App& app) {
  auto options = std::make_shared<GenerateOptions>();
  app.add_option("FABRIC", options->fabric, "description or file")->required();
  app.add_option("--out", options->out, "net file for ibsim (default: standard output)")
      ->check(writable_file());
  app.add_option("--groups", options->groups, "also write these groups");
  app.add_option("--groups-out", options->groups_out, "file for the groups (default: standard output)")
      ->check(writable_file());
  return [options] { return run(*options); };
}

}  // namespace tutti::command
