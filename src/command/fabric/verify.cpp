// tutti fabric verify FABRIC GROUPS --dump opensm.mcfdbs --mlids mlids

#include <fmt/format.h>

#include <memory>

#include "base/file.hpp"
#include "command/command.hpp"
#include "command/fabric/options.hpp"
#include "fabric/mlid_file.hpp"
#include "fabric/tables.hpp"
#include "fabric/verify.hpp"

namespace tutti::command {

namespace {

struct VerifyOptions {
  std::string fabric, groups, dump, mlids;
  uint32_t colours = 0;
};

int run(const VerifyOptions& options) {
  const auto fabric = load_fabric(options.fabric);
  if (!fabric) return fail(fabric.status().message());
  const auto groups = load_groups(options.groups, *fabric);
  if (!groups) return fail(groups.status().message());
  const auto dump = base::read_file(options.dump), mlids = base::read_file(options.mlids);
  if (!dump) return fail(dump.status().message());
  if (!mlids) return fail(mlids.status().message());
  const auto tables = fabric::parse_dump(*dump, *fabric, options.dump);
  if (!tables) return fail(tables.status().message());
  const auto colours = fabric::parse_mlids(*mlids, *groups, options.mlids);
  if (!colours) return fail(colours.status().message());
  const uint32_t limit = options.colours == 0 ? fabric::k_none : options.colours;
  const auto metrics = fabric::verify(*fabric, *groups, *colours, *tables, limit);
  if (!metrics) return fail(metrics.status().message(), k_failed);
  fmt::print(
      "verified: {} groups in {} trees of {} colours, EFI {} at most, TFI {} at most, height {} at most\n",
      metrics->groups, metrics->trees, metrics->colours, metrics->max_efi, metrics->max_tfi,
      metrics->max_height);
  return k_done;
}

}  // namespace

std::function<int()> add_fabric_verify(CLI::App& app) {
  auto options = std::make_shared<VerifyOptions>();
  app.add_option("FABRIC", options->fabric, "file or description")->required();
  app.add_option("GROUPS", options->groups, "file or description")->required();
  app.add_option("--dump", options->dump, "tables: opensm.mcfdbs, or what route --dump wrote")->required();
  app.add_option("--mlids", options->mlids, "the MLID of each MGID, as route --mlids writes them")
      ->required();
  app.add_option("--colours", options->colours, "entries in the smallest table (0: no limit)")
      ->check(CLI::Range(0u, fabric::k_most_colours))
      ->capture_default_str();
  return [options] { return run(*options); };
}

}  // namespace tutti::command
