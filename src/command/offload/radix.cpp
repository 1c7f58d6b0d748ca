// tutti offload radix --ranks 128 --latency 800 --send-overhead 50: times of all radices, and the fastest.

#include "offload/radix.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "command/command.hpp"
#include "command/offload/options.hpp"
#include "command/validators.hpp"

namespace tutti::command {

namespace {

constexpr double k_ps_per_ns = 1000;

struct RadixOptions {
  uint32_t ranks = 0;
  double latency = 0, send_overhead = 0, receive_overhead = 0, gap = 0, serialisation = 0, round = 0;
  std::string shape = "forward";
  bool json = false;
};

uint64_t ps(double ns) {
  return static_cast<uint64_t>(std::llround(ns * k_ps_per_ns));
}

void print_json(const std::vector<offload::RadixTime>& times, uint32_t best) {
  auto rows = nlohmann::ordered_json::array();
  for (const offload::RadixTime& time : times)
    rows.push_back({{"radix", time.radix},
                    {"rounds", time.rounds},
                    {"messages", time.messages},
                    {"time_ns", static_cast<double>(time.time_ps) / k_ps_per_ns}});
  const nlohmann::ordered_json all = {{"schema", 1}, {"best", best}, {"radices", rows}};
  fmt::print("{}\n", all.dump(1));
}

int run(const RadixOptions& options) {
  const offload::NetworkCosts costs{.latency_ps = ps(options.latency),
                                    .send_overhead_ps = ps(options.send_overhead),
                                    .receive_overhead_ps = ps(options.receive_overhead),
                                    .gap_ps = ps(options.gap),
                                    .serialisation_ps = ps(options.serialisation),
                                    .round_ps = ps(options.round)};
  const auto times = offload::dissemination_times(options.ranks, shape_named(options.shape, 2), costs);
  const uint32_t best = offload::best_of(times).radix;
  if (options.json) {
    print_json(times, best);
    return k_done;
  }
  fmt::print("{:>5}  {:>6}  {:>8}  {:>12}\n", "radix", "rounds", "messages", "time in ns");
  for (const offload::RadixTime& time : times)
    fmt::print("{:>5}  {:>6}  {:>8}  {:>12.1f}{}\n", time.radix, time.rounds, time.messages,
               static_cast<double>(time.time_ps) / k_ps_per_ns, time.radix == best ? "  best" : "");
  return k_done;
}

}  // namespace

std::function<int()> add_offload_radix(CLI::App& app) {
  constexpr double k_most_ns = static_cast<double>(offload::k_most_cost_ps) / k_ps_per_ns;
  auto options = std::make_shared<RadixOptions>();
  app.footer(
      "Times are nanoseconds. The model is LogGP, all ranks arriving together: docs/offload-descriptor.md.");
  app.add_option("--ranks", options->ranks, "number of ranks")->check(CLI::Range(1U, UINT32_MAX))->required();
  const auto add = [&](const char* name, double& value, const char* summary) {
    return app.add_option(name, value, summary)->check(number_between(0.0, k_most_ns))->capture_default_str();
  };
  // Without any cost all radices would be equal.
  add("--latency", options->latency, "L, of the network")->required();
  add("--send-overhead", options->send_overhead, "o_s, of the sender, per message");
  add("--receive-overhead", options->receive_overhead, "o_r, of the receiver, per message");
  add("--gap", options->gap, "g, between two messages of one side");
  add("--serialisation", options->serialisation, "S, of one notification at the port");
  add("--round", options->round, "t, between two rounds");
  app.add_option("--shape", options->shape, "forward, or symmetric (odd radices only)")
      ->check(one_of({"forward", "symmetric"}))
      ->capture_default_str();
  app.add_flag("--json", options->json, "as JSON");
  return [options] { return run(*options); };
}

}  // namespace tutti::command
