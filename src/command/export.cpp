// tutti export RULES --to openmpi|mpich: rules in the formats of the MPIs (select/export/export.hpp).

#include "select/export/export.hpp"
#include "command/validators.hpp"

#include <fmt/format.h>

#include <memory>

#include "command/command.hpp"
#include "command/mpich_tuning.hpp"
#include "command/output.hpp"

namespace tutti::command {

namespace {

using base::Result;
using base::Status;

struct ExportOptions {
  std::string rules, to, out, base;
};

Result<select::Exported> translated(const ExportOptions& options, std::span<const select::Rule> rules) {
  if (options.to == "openmpi") return select::to_openmpi(rules);
  const auto own = options.base.empty() ? installed_mpich_tuning() : mpich_tuning_of(options.base);
  if (!own) return own.status();
  return select::to_mpich(rules, *own);
}

void say_how_to_use(const ExportOptions& options) {
  const std::string name = options.out.empty() ? "FILE" : std::filesystem::absolute(options.out).string();
  if (options.to == "openmpi")
    fmt::print(
        stderr,
        "# use it: OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_dynamic_rules_filename={}\n",
        name);
  else
    fmt::print(stderr, "# use it: MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE={}\n", name);
}

int run(const ExportOptions& options) {
  const auto rules = select::load_rules(options.rules);
  if (!rules) return fail(rules.status().message());
  const auto exported = translated(options, *rules);
  if (!exported) return fail(exported.status().message());
  if (const Status status = write_output(options.out, exported->text); !status)
    return fail(status.message(), k_failed);
  for (const std::string& line : exported->left_out) fmt::print(stderr, "# left out: {}\n", line);
  for (const std::string& line : exported->remarks) fmt::print(stderr, "# remark: {}\n", line);
  fmt::print(stderr, "# {} of {} rules are in it\n", rules->size() - exported->left_out.size(),
             rules->size());
  say_how_to_use(options);
  return k_done;
}

}  // namespace

Action add_export(CLI::App& app) {
  auto options = std::make_shared<ExportOptions>();
  app.add_option("rules", options->rules, "a rules file, as tutti tune and tutti run --learn write it")
      ->required();
  app.add_option("--to", options->to, "openmpi (coll/tuned of 4.1 and 5.0) or mpich (4.0)")
      ->required()
      ->check(one_of({"openmpi", "mpich"}));
  app.add_option("--out", options->out, "file to write (default: standard output)")->check(writable_file());
  app.add_option(
      "--base", options->base,
      "mpich: its own tuning file (maint/tuning/coll/mpir/generic.json of its sources) or its library, "
      "which has it inside (default: the library that is installed)");
  return [options] { return run(*options); };
}

}  // namespace tutti::command
