#include "bench/collective/options.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "bench/collective/names.hpp"
#include "bench/collective/read_bytes.hpp"
#include "command/parse_error.hpp"
#include "command/validators.hpp"

namespace tutti::bench {

std::vector<uint64_t> Options::all_sizes() const {
  if (!sizes.empty()) return sizes;
  std::vector<uint64_t> powers;
  for (uint64_t size = min_bytes; size <= max_bytes && size > 0; size *= 2) powers.push_back(size);
  return powers;
}

namespace {

void add_arrivals(CLI::App& app, Options* options) {
  CLI::Option* arrivals = app.add_option(
      "--arrivals", options->arrivals,
      "ranks come late by this pattern, like uniform:5ms, straggler:rank=3,20ms or a file (docs/arrival.md)");
  app.add_option("--delay", options->delay, "they sleep meanwhile, or compute (spin)")
      ->check(command::one_of({"sleep", "spin"}))
      ->capture_default_str()
      ->needs(arrivals);
  app.add_option("--seed", options->seed, "of the arrivals")->capture_default_str()->needs(arrivals);
  app.add_option("--calls", options->calls, "calls in one measurement, with --arrivals")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str()
      ->needs(arrivals);
  app.add_option("--warm-up", options->warm_up,
                 "calls of each side before, in which run-time selection may settle, with --arrivals")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str()
      ->needs(arrivals);
}

}  // namespace

bool parse_options(int argc, char** argv, bool speaks, Options* options, int* exit_status) {
  CLI::App app("Times collectives natively and under Tutti, call by call in turn, in one run", "tutti bench");
  app.add_option("collectives", options->collectives, "which collectives (default: all)")
      ->check(command::one_of(case_names()));
  app.add_option_function<std::string>(
      "--min", [&](const std::string& t) { options->min_bytes = read_bytes(t); },
      "smallest size in bytes (default 8)");
  app.add_option_function<std::string>(
      "--max", [&](const std::string& t) { options->max_bytes = read_bytes(t); },
      "largest size in bytes (default 4M)");
  app.add_option_function<std::vector<std::string>>(
         "--sizes",
         [&](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) options->sizes.push_back(read_bytes(text));
         },
         "these sizes instead of powers of two, like 8,64K,1M")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--repetitions", options->repetitions, "measurements of each side, taken in turn")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option("--max-batch", options->max_batch, "most calls in one measurement of a small size")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_flag("--verify,!--no-verify", options->verify, "check every result (default)");
  app.add_option("--csv", options->csv_file, "also write CSV to this file");
  app.add_option("--json", options->json_file, "also write JSON, every sample included, to this file");
  app.add_option("--mpi")->description(
      "mpich or openmpi: which MPI the launcher starts, where its name does not tell (srun)");
  add_arrivals(app, options);
  try {
    app.parse(argc, argv);
    if (options->sizes.empty() && options->min_bytes > options->max_bytes)
      throw CLI::ValidationError("--min", "is above --max");
  } catch (const CLI::Success& help) {
    *exit_status = speaks ? app.exit(help) : 0;
    return false;
  } catch (const CLI::ParseError& error) {
    if (speaks)
      std::fprintf(stderr, "tutti bench: %s (see tutti bench --help)\n",
                   command::sentence_of(app, error).c_str());
    *exit_status = 2;
    return false;
  }
  if (options->collectives.empty()) options->collectives = case_names();
  return true;
}

}  // namespace tutti::bench
