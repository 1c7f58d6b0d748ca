#include "bench/tune/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <limits>

#include "base/text.hpp"
#include "bench/collective/read_bytes.hpp"
#include "bench/tune/names.hpp"
#include "command/parse_error.hpp"
#include "command/validators.hpp"

namespace tutti::bench {

using select::CallInterface;

namespace {

void read_sizes(const std::vector<std::string>& texts, std::vector<uint64_t>* sizes) {
  sizes->clear();
  for (const std::string& text : texts) {
    const uint64_t size = read_bytes(text);
    if (size > std::numeric_limits<int>::max() / 2)
      throw CLI::ValidationError("--sizes", text + " is more than MPI's counts can say");
    for (const uint64_t other : *sizes)
      if (std::bit_width(other) == std::bit_width(size))
        throw CLI::ValidationError("--sizes",
                                   "two of the same power of two, which a rule does not tell apart");
    sizes->push_back(size);
  }
}

void read_kinds(const std::vector<std::string>& names, std::vector<CallInterface>* kinds) {
  kinds->clear();
  for (const std::string& name : names) {
    CallInterface kind{};
    if (!select::from_string(name, &kind))
      throw CLI::ValidationError("--kinds",
                                 base::in_quotes(name) + " is none of blocking, nonblocking, persistent");
    if (kind == CallInterface::persistent && !has_persistent_collectives())
      throw CLI::ValidationError("--kinds", "this MPI has no persistent collectives");
    kinds->push_back(kind);
  }
}

void add_computation(CLI::App& app, ComputationOptions& computation) {
  app.add_option_function<std::string>(
         "--computation",
         [&](const std::string& kind) {
           computation.asleep = kind == "asleep";
           computation.busy = kind == "busy";
         },
         "between start and wait of calls that do not block: busy (default), asleep (leaves the core free), "
         "none")
      ->check(command::one_of({"busy", "asleep", "none"}));
  app.add_option("--computation-us", computation.microseconds,
                 "length of the computation in us (default: what the blocking native call takes)")
      ->check(command::number_between(1.0, 1e9));
  app.add_option("--vector-length", computation.vector_lengths,
                 "doubles in each vector of a busy computation")
      ->expected(1)
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 30))
      ->capture_default_str();
}

}  // namespace

bool TuneOptions::wants(CallInterface kind) const {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

bool parse_options(int argc, char** argv, TuneOptions* options, int* exit_status, std::string* message) {
  CLI::App app("Finds the best way for each collective, size and kind of call, and keeps it in a rules file",
               "tutti tune");
  app.add_option("collectives", options->collectives, "which collectives, as rules name them (default: all)")
      ->check(command::one_of(tuned_names()));
  app.add_option("--out", options->rules_file, "the rules file; existing rules are kept and updated")
      ->required();
  app.add_option_function<std::vector<std::string>>(
         "--sizes", [&](const std::vector<std::string>& texts) { read_sizes(texts, &options->sizes); },
         "sizes in bytes as rules measure them (default 4K,16K,64K,256K,1M,4M); each stands for its power of "
         "two")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option_function<std::vector<std::string>>(
         "--kinds", [&](const std::vector<std::string>& names) { read_kinds(names, &options->kinds); },
         "kinds of calls: some of blocking (default), nonblocking, persistent")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--seconds", options->seconds, "most time for each call site")
      ->check(command::number_between(0.01, 1e6))
      ->capture_default_str();
  app.add_option("--calls", options->calls, "most calls of each call site; 2000 try everything")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  add_computation(app, options->computation);
  app.add_option("--mpi")->description(
      "mpich or openmpi: which MPI the launcher starts, where its name does not tell (srun)");
  app.add_option("--report")->description("FILE: also write a report for `tutti explain`");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success&) {
    *exit_status = 0;
    *message = app.help();
    return false;
  } catch (const CLI::ParseError& error) {
    *exit_status = 2;
    *message = "tutti tune: " + command::sentence_of(app, error) + " (see tutti tune --help)\n";
    return false;
  }
  if (options->collectives.empty()) options->collectives = tuned_names();
  return true;
}

}  // namespace tutti::bench
