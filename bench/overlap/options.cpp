#include "bench/overlap/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "bench/collective/read_bytes.hpp"
#include "bench/overlap/names.hpp"
#include "command/parse_error.hpp"
#include "command/validators.hpp"

namespace tutti::bench {

namespace {

/// "alltoall" and "ialltoall".
std::vector<std::string> both_names() {
  std::vector<std::string> names = nonblocking_names();
  const std::vector<std::string> others = nonblocking_names("i");
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

void add_computation(CLI::App& app, ComputationOptions& computation) {
  app.add_option_function<std::vector<std::string>>(
         "--computation",
         [&](const std::vector<std::string>& kinds) {
           const auto has = [&](const char* kind) { return std::ranges::find(kinds, kind) != kinds.end(); };
           computation.asleep = has("asleep");
           computation.busy = has("busy");
         },
         "asleep (leaves the core free), busy (vector products), or both (default asleep)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(command::one_of({"asleep", "busy"}));
  app.add_option("--vector-length", computation.vector_lengths,
                 "doubles in each vector of a busy computation; several: one computation each")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 30))
      ->capture_default_str();
  app.add_flag("--openmp", computation.openmp, "busy computations also with all threads of OpenMP");
  app.add_option("--products", computation.products,
                 "vector products in a busy computation, whatever the size (default: as many as take as long "
                 "as the blocking native call)")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--computation-us", computation.microseconds,
                 "length of the computation in us (default: what the blocking native call takes)")
      ->check(command::number_between(1.0, 1e9));
  app.add_option("--tests", computation.tests, "calls of MPI_Test within the computation (default none)")
      ->check(CLI::Range(0, 1'000'000));
}

}  // namespace

bool parse_options(int argc, char** argv, bool speaks, OverlapOptions* options, int* exit_status) {
  CLI::App app(
      "Times nonblocking collectives beside a computation, natively and under Tutti in turn, in one run",
      "tutti bench --overlap");
  app.add_flag("--overlap")->description("this benchmark");
  app.add_option_function<std::vector<std::string>>(
         "collectives",
         [&](const std::vector<std::string>& names) {
           for (const std::string& name : names)
             options->collectives.push_back(name.starts_with('i') ? name.substr(1) : name);
         },
         "which collectives, as alltoall or ialltoall (default: bcast allreduce allgather alltoall)")
      ->check(command::one_of(both_names()));
  app.add_option_function<std::vector<std::string>>(
         "--sizes",
         [&](const std::vector<std::string>& texts) {
           options->sizes.clear();
           for (const std::string& text : texts) options->sizes.push_back(read_bytes(text));
         },
         "sizes in bytes (default 64K,256K,1M,4M), with the meaning that they have without --overlap")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--repetitions", options->repetitions, "measurements of each side, taken in turn")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option("--warm-up", options->warm_up_calls,
                 "calls of each kind, and beside each computation, before anything is timed: for run-time "
                 "selection to try in")
      ->check(CLI::Range(0, 1'000'000));
  add_computation(app, options->computation);
  app.add_option(
         "--cores", options->cores,
         "cores that all ranks share (default: those of their nodes; a virtual cluster has its machine's)")
      ->check(CLI::Range(1, 1'000'000));
  app.add_flag("--verify,!--no-verify", options->verify, "check results (default)");
  app.add_option("--json", options->json_file, "also write JSON, every sample included, to this file");
  app.add_option("--mpi")->description(
      "mpich or openmpi: which MPI the launcher starts, where its name does not tell (srun)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    *exit_status = speaks ? app.exit(help) : 0;
    return false;
  } catch (const CLI::ParseError& error) {
    if (speaks)
      std::fprintf(stderr, "tutti bench: %s (see tutti bench --overlap --help)\n",
                   command::sentence_of(app, error).c_str());
    *exit_status = 2;
    return false;
  }
#ifndef _OPENMP
  if (options->computation.openmp) {
    if (speaks) std::fprintf(stderr, "tutti bench: --openmp: this Tutti was built without OpenMP\n");
    *exit_status = 2;
    return false;
  }
#endif
  if (options->collectives.empty()) options->collectives = {"bcast", "allreduce", "allgather", "alltoall"};
  return true;
}

}  // namespace tutti::bench
