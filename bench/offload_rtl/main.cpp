// The barrier engine's RTL and its C++ model over random patterns, one line of JSON for each.
//
//   tutti-offload-rtl engine FIRST COUNT            one engine, every output in every cycle
//   tutti-offload-rtl machine FIRST COUNT NODES     NODES engines in the torus, every transfer of every node
//
// FIRST and COUNT say which patterns; the DAMQ depth of pattern n is 1 + n mod 16. The exit status is 1 when
// something differs, or an assertion of the RTL fails, and 2 when the command line makes no sense.

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "lockstep.hpp"
#include "machine.hpp"
#include "rtl_engine.hpp"
#include "stimulus.hpp"

namespace {

using namespace tutti;  // NOLINT: a program of its own

struct Line {
  uint64_t pattern = 0;
  uint32_t depth = 0;
  uint64_t model_cycles = 0, rtl_cycles = 0, transfers = 0, nacks = 0, completions = 0;
  std::string what, difference;
};

bool print(const Line& line) {
  fmt::print(
      "{{\"pattern\": {}, \"depth\": {}, \"model_cycles\": {}, \"rtl_cycles\": {}, \"transfers\": {}, "
      "\"nacks\": {}, "
      "\"completions\": {}, \"assertions\": {}, \"what\": \"{}\", \"difference\": \"{}\"}}\n",
      line.pattern, line.depth, line.model_cycles, line.rtl_cycles, line.transfers, line.nacks,
      line.completions, rtl::assertion_failures().count, line.what, line.difference);
  std::fflush(stdout);
  return line.difference.empty() && rtl::assertion_failures().count == 0;
}

bool run_engine(uint64_t pattern) {
  rtl::LockstepOptions options{.seed = pattern};
  options.model = options.rtl = rtl::random_configuration(pattern);
  const rtl::LockstepResult result = run_lockstep(options);
  return print({.pattern = pattern,
                .depth = options.model.damq_depth,
                .model_cycles = result.cycles,
                .rtl_cycles = result.cycles,
                .transfers = result.transfers,
                .nacks = result.counters.nacks,
                .completions = result.counters.completions + result.counters.refused,
                .what = fmt::format("{} descriptors", options.descriptors),
                .difference = result.difference});
}

bool run_machine(uint64_t number, uint32_t nodes) {
  const rtl::MachinePattern pattern = rtl::random_pattern(number, nodes);
  const auto comparison = compare_machines(pattern);
  Line line{.pattern = number,
            .depth = static_cast<uint32_t>(pattern.parameters.damq_depth),
            .completions = uint64_t{pattern.workload.repeats} * nodes,
            .what = describe(pattern)};
  if (!comparison) {
    line.difference = comparison.status().message();
    return print(line);
  }
  line.model_cycles = comparison->model_cycles;
  line.rtl_cycles = comparison->rtl_cycles;
  line.transfers = comparison->transfers;
  line.nacks = comparison->nacks;
  line.difference = comparison->difference;
  if (comparison->early + comparison->differing > 0)
    line.difference = "a collective was early, or results differ";
  return print(line);
}

int refuse() {
  fmt::print(stderr, "tutti-offload-rtl: wants \"engine FIRST COUNT\" or \"machine FIRST COUNT NODES\"\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::span arguments(argv + 1, static_cast<size_t>(argc - 1));
  const std::string_view mode = arguments.empty() ? "" : arguments[0];
  if (!(mode == "engine" && arguments.size() == 3) && !(mode == "machine" && arguments.size() == 4))
    return refuse();
  const auto first = base::parse_count(arguments[1]), count = base::parse_count(arguments[2]);
  const auto nodes = base::parse_count(mode == "machine" ? arguments[3] : "2");
  if (!first || !count || !nodes || *nodes < 2 || *nodes > 1024) return refuse();
  bool is_equal = true;
  for (auto pattern = *first; pattern < *first + *count; ++pattern)
    is_equal &= mode == "engine" ? run_engine(pattern) : run_machine(pattern, static_cast<uint32_t>(*nodes));
  return is_equal ? 0 : 1;
}
