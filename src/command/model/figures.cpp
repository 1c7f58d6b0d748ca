#include "command/model/figures.hpp"

#include <fmt/format.h>

#include <utility>

namespace tutti::command {

using base::Result;
using base::Status;

namespace {

constexpr int k_leader_points = 20;  // number of intervals of each curve of Figure 6

double transfer_us(const ModelOptions& options, uint64_t bytes) {
  return options.alpha_us + options.beta_us * static_cast<double>(bytes);
}

struct Curve {
  std::string name;
  arrival::ImpactCase of;
};

/// The curves of Figure 3; the unbalance is set later.
std::vector<Curve> curves_of(const ModelOptions& options) {
  const uint32_t steps = arrival::binomial_steps(options.nodes);
  std::vector<Curve> curves = {{"BT", {.steps = arrival::binomial_steps(options.processes)}},
                               {"PBT", {.steps = steps}}};
  for (const uint32_t n : options.contenders)
    curves.push_back({fmt::format("CPBT n={}", n), {.steps = steps, .contenders = n}});
  return curves;
}

}  // namespace

Result<std::vector<ImpactRow>> impact_figure(const ModelOptions& options) {
  std::vector<ImpactRow> rows;
  for (Curve curve : curves_of(options))
    for (const double unbalance : options.unbalances) {
      curve.of.unbalance = unbalance;
      if (Status status = check(curve.of); !status) return status;
      rows.push_back({curve.name, curve.of, arrival::paper_coefficient(curve.of),
                      arrival::exact_coefficient(curve.of),
                      arrival::sampled_coefficient(curve.of, options.trials, options.seed)});
    }
  return rows;
}

Result<std::vector<TimeRow>> time_figure(const ModelOptions& options) {
  const uint32_t all_steps = arrival::binomial_steps(options.processes);
  const uint32_t steps = arrival::binomial_steps(options.nodes);
  const uint32_t members = options.processes / options.nodes;
  std::vector<TimeRow> rows;
  for (const uint64_t bytes : options.bytes) {
    const double t = transfer_us(options, bytes), unbalance = options.k_us / t;
    const arrival::ImpactCase bt{unbalance, all_steps, 1}, pbt{unbalance, steps, 1},
        cpbt{unbalance, steps, members};
    for (const auto& of : {bt, pbt, cpbt})
      if (Status status = check(of); !status) return status;
    // Inside a node the paper assumes r(m) = t(m).
    const double flat = arrival::balanced_time(all_steps, t), levels = arrival::balanced_time(steps, t) + t;
    rows.push_back({bytes, t, unbalance, flat, flat + t * paper_coefficient(bt), levels,
                    levels + t * paper_coefficient(pbt), levels + t * paper_coefficient(cpbt)});
  }
  return rows;
}

Result<std::vector<TreeRow>> tree_figure(const ModelOptions& options, const arrival::Pattern& arrivals) {
  using arrival::Broadcast;
  using arrival::Leader;
  if (Status status = check(arrivals, options.processes); !status) return status;
  const uint32_t p = options.processes, nodes = options.nodes;
  std::vector<TreeRow> rows;
  for (const uint64_t bytes : options.bytes) {
    const double t = transfer_us(options, bytes) * k_ns_per_us;
    const std::pair<const char*, Broadcast> trees[] = {{"BT", {p, p, Leader::fixed, t, t}},
                                                       {"PBT", {p, nodes, Leader::fixed, t, t}},
                                                       {"CPBT", {p, nodes, Leader::first, t, t}},
                                                       {"agent", {p, nodes, Leader::agent, t, t}}};
    for (const auto& [curve, of] : trees) {
      if (Status status = check(of); !status) return status;
      rows.push_back({bytes, curve, sampled_times(of, arrivals, options.trials, options.seed)});
    }
  }
  return rows;
}

std::vector<LeaderRow> leader_figure(const ModelOptions& options) {
  std::vector<uint32_t> all = {1};  // a fixed leader
  all.insert(all.end(), options.contenders.begin(), options.contenders.end());
  std::vector<LeaderRow> rows;
  for (const uint32_t n : all)
    for (int i = 0; i <= k_leader_points; ++i) {
      const double x = static_cast<double>(i) / k_leader_points;
      rows.push_back({n, x, arrival::leader_density(x, 1, n), arrival::leader_distribution(x, 1, n)});
    }
  return rows;
}

}  // namespace tutti::command
