#include "command/model/print.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::command {

using arrival::Estimate;
using nlohmann::ordered_json;

namespace {

struct NamedTime {
  const char* name;
  Estimate arrival::BroadcastTimes::*time;
};
constexpr NamedTime k_times[] = {{"slowest", &arrival::BroadcastTimes::slowest},
                                 {"mean", &arrival::BroadcastTimes::mean},
                                 {"after_last", &arrival::BroadcastTimes::after_last},
                                 {"floor_slowest", &arrival::BroadcastTimes::floor_slowest},
                                 {"floor_mean", &arrival::BroadcastTimes::floor_mean}};

struct NamedFormula {
  const char* name;
  double TimeRow::*time;
};
constexpr NamedFormula k_formulas[] = {{"BT balanced", &TimeRow::bt_balanced},
                                       {"BT", &TimeRow::bt},
                                       {"PBT balanced", &TimeRow::pbt_balanced},
                                       {"PBT", &TimeRow::pbt},
                                       {"CPBT", &TimeRow::cpbt}};

Estimate in_us(const Estimate& ns) {
  return {ns.value / k_ns_per_us, ns.error / k_ns_per_us};
}

double over_percent(const ImpactRow& row) {
  // If both are equal, rounding may make the integral slightly larger.
  return row.exact > 0 ? std::max(100 * (row.paper / row.exact - 1), 0.0) : 0;
}

void print_impact(const std::vector<ImpactRow>& rows, std::string& text) {
  text += fmt::format("# Figure 3: the unbalance impact coefficient E(W) / t(m) of the root, by k / t(m)\n");
  text += fmt::format("{:<10}{:>8}{:>7}{:>12}{:>12}{:>8}{:>14}{:>9}\n", "curve", "k/t(m)", "steps", "formula",
                      "exact", "over", "Monte Carlo", "+-");
  for (const ImpactRow& row : rows)
    text += fmt::format("{:<10}{:>8g}{:>7}{:>12.3f}{:>12.3f}{:>6.1f} %{:>14.3f}{:>9.3f}\n", row.curve,
                        row.of.unbalance, row.of.steps, row.paper, row.exact, over_percent(row),
                        row.sampled.value, row.sampled.error);
}

void print_times(const std::vector<TimeRow>& rows, std::string& text) {
  text += "# Figure 4: mean time of a broadcast by the paper's formulas, in us\n";
  text += fmt::format("{:>9}{:>10}{:>9}", "bytes", "t(m)", "k/t(m)");
  for (const auto& [name, time] : k_formulas) text += fmt::format("{:>14}", name);
  for (const TimeRow& row : rows) {
    text += fmt::format("\n{:>9}{:>10.2f}{:>9.2f}", row.bytes, row.transfer_us, row.unbalance);
    for (const auto& [name, time] : k_formulas) text += fmt::format("{:>14.1f}", row.*time);
  }
  text += '\n';
}

void print_trees(const std::vector<TreeRow>& rows, std::string& text) {
  text +=
      "# The whole tree, by Monte Carlo, in us: greatest mean of a process, mean over processes, last exit "
      "minus last arrival;\n# floor: what no broadcast can avoid of the first two, waiting for the root\n";
  text += fmt::format("{:>9}  {:<6}", "bytes", "curve");
  for (const auto& [name, time] : k_times) text += fmt::format("{:>14}{:>8}", name, "+-");
  for (const TreeRow& row : rows) {
    text += fmt::format("\n{:>9}  {:<6}", row.bytes, row.curve);
    for (const auto& [name, time] : k_times) {
      const Estimate us = in_us(row.times_ns.*time);
      text += fmt::format("{:>14.1f}{:>8.2f}", us.value, us.error);
    }
  }
  text += '\n';
}

/// One curve per number of contenders; all have the same points.
void print_leaders(const std::vector<LeaderRow>& rows, std::string& text) {
  text +=
      "# Figure 6: when the leader of a node of n processes arrives: density (of 1/k), and chance to have "
      "come\n";
  std::vector<const LeaderRow*> first;  // first point of each curve
  for (const LeaderRow& row : rows)
    if (row.x == 0) first.push_back(&row);
  const size_t points = first.empty() ? 0 : rows.size() / first.size();
  text += fmt::format("{:>6}", "x/k");
  for (const LeaderRow* curve : first) text += fmt::format("{:>18}", fmt::format("n={}", curve->contenders));
  for (size_t i = 0; i < points; ++i) {
    text += fmt::format("\n{:>6.2f}", first.front()[i].x);
    for (const LeaderRow* curve : first)
      text += fmt::format("{:>10.4f}{:>8.4f}", curve[i].density, curve[i].distribution);
  }
  text += '\n';
}

}  // namespace

std::string model_text(const ModelFigures& figures) {
  std::string text;
  const auto part = [&](const auto& rows, auto print) {
    if (rows.empty()) return;
    if (!text.empty()) text += '\n';
    print(rows, text);
  };
  part(figures.impact, print_impact);
  part(figures.times, print_times);
  part(figures.trees, print_trees);
  part(figures.leaders, print_leaders);
  return text;
}

std::string model_csv(const ModelFigures& figures) {
  std::string text = "figure,curve,x,quantity,value,error\n";
  const auto add = [&](int figure, const std::string& curve, double x, const char* quantity, Estimate of) {
    text += fmt::format("{},{},{},{},{:.9g},{:.3g}\n", figure, curve, x, quantity, of.value, of.error);
  };
  for (const ImpactRow& row : figures.impact) {
    add(3, row.curve, row.of.unbalance, "formula", {row.paper});
    add(3, row.curve, row.of.unbalance, "exact", {row.exact});
    add(3, row.curve, row.of.unbalance, "monte_carlo", row.sampled);
  }
  for (const TimeRow& row : figures.times)
    for (const auto& [name, time] : k_formulas)
      add(4, name, static_cast<double>(row.bytes), "formula_us", {row.*time});
  for (const TreeRow& row : figures.trees)
    for (const auto& [name, time] : k_times)
      add(4, row.curve, static_cast<double>(row.bytes), fmt::format("tree_{}_us", name).c_str(),
          in_us(row.times_ns.*time));
  for (const LeaderRow& row : figures.leaders) {
    add(6, fmt::format("n={}", row.contenders), row.x, "density", {row.density});
    add(6, fmt::format("n={}", row.contenders), row.x, "distribution", {row.distribution});
  }
  return text;
}

ordered_json model_json(const ModelOptions& options, const ModelFigures& figures) {
  ordered_json document = {{"schema", 1},
                           {"processes", options.processes},
                           {"nodes", options.nodes},
                           {"alpha_us", options.alpha_us},
                           {"beta_us_per_byte", options.beta_us},
                           {"k_us", options.k_us},
                           {"arrivals", options.arrivals},
                           {"trials", options.trials},
                           {"seed", options.seed}};
  for (const ImpactRow& row : figures.impact)
    document["figure3"].push_back({{"curve", row.curve},
                                   {"unbalance", row.of.unbalance},
                                   {"steps", row.of.steps},
                                   {"contenders", row.of.contenders},
                                   {"formula", row.paper},
                                   {"exact", row.exact},
                                   {"monte_carlo", row.sampled.value},
                                   {"standard_error", row.sampled.error}});
  for (const TimeRow& row : figures.times) {
    ordered_json line = {
        {"bytes", row.bytes}, {"transfer_us", row.transfer_us}, {"unbalance", row.unbalance}};
    for (const auto& [name, time] : k_formulas) line["formula_us"][name] = row.*time;
    document["figure4"].push_back(line);
  }
  for (const TreeRow& row : figures.trees) {
    ordered_json line = {{"bytes", row.bytes}, {"curve", row.curve}};
    for (const auto& [name, time] : k_times) {
      const Estimate us = in_us(row.times_ns.*time);
      line[name] = {{"us", us.value}, {"standard_error_us", us.error}};
    }
    document["whole_tree"].push_back(line);
  }
  for (const LeaderRow& row : figures.leaders)
    document["figure6"].push_back({{"contenders", row.contenders},
                                   {"x", row.x},
                                   {"density", row.density},
                                   {"distribution", row.distribution}});
  return document;
}

}  // namespace tutti::command
