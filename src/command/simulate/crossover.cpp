#include "command/simulate/crossover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "select/selector.hpp"

namespace tutti::command {

using base::Result;
using base::Status;
using select::Candidate;
using select::Rule;

namespace {

double time_of(const SimulationTable& table, const SimulationCell& cell) {
  return table.arrivals.kind == arrival::Kind::none ? cell.figures.whole_ns : cell.figures.mean_ns;
}

Candidate candidate_of(const SimulationCell& cell) {
  Candidate candidate{.choice = cell.choice};
  if (cell.leader == arrival::Leader::agent) candidate.leader = select::LeaderPolicy::agent;
  return candidate;
}

/// The cells of one size with figures, the fastest first.
std::vector<const SimulationCell*> ranked(const SimulationTable& table, uint64_t bytes) {
  std::vector<const SimulationCell*> cells;
  for (const SimulationCell& cell : table.cells)
    if (cell.bytes == bytes && cell.why_not.empty()) cells.push_back(&cell);
  std::ranges::stable_sort(cells, {}, [&](const SimulationCell* cell) { return time_of(table, *cell); });
  return cells;
}

std::string reason(const SimulationTable& table, const std::vector<const SimulationCell*>& cells) {
  std::string text = fmt::format("simulated on {}: {:.1f} us at {} bytes", table.machine.name,
                                 time_of(table, *cells[0]) / 1000, cells[0]->bytes);
  if (cells.size() > 1)
    text += fmt::format("; next {} {:.1f} us", to_string(cells[1]->choice), time_of(table, *cells[1]) / 1000);
  return text;
}

Rule rule_of(const SimulationTable& table, const std::vector<const SimulationCell*>& cells) {
  const uint64_t nodes = table.nodes, ranks_per_node = table.ranks_per_node, ranks = nodes * ranks_per_node;
  const algorithm::UniformCall call{.collective = table.collective,
                                    .rank_count = static_cast<schedule::Rank>(ranks),
                                    .root = table.root,
                                    .bytes = cells[0]->bytes};
  uint64_t bytes = 0;  // size of the calls as rules count it
  const bool have_size = select::bytes_of_interest(algorithm::request_of(call, table.root), &bytes);
  Rule rule;
  rule.collective = table.collective;
  rule.ranks = {ranks, ranks};
  rule.nodes = {nodes, nodes};
  rule.ranks_per_node = {ranks_per_node, ranks_per_node};
  if (have_size) rule.bytes = {bytes, bytes};
  rule.use = candidate_of(*cells[0]);
  rule.because = reason(table, cells);
  return rule;
}

}  // namespace

Result<std::vector<Rule>> crossovers(const SimulationTable& table) {
  if (std::ranges::find(table.leaders, arrival::Leader::first) != table.leaders.end())
    return Status::invalid_argument("--crossover: no rule can ask for --leader first");
  if (table.sizes.size() > 1 && !select::has_bytes_of_interest(table.collective))
    return Status::invalid_argument(
        fmt::format("--crossover: rules cannot tell sizes of {} apart; give one of --sizes",
                    to_string(table.collective)));
  std::vector<uint64_t> sizes = table.sizes;
  std::ranges::sort(sizes);
  std::vector<Rule> rules;
  for (const uint64_t bytes : sizes) {
    const auto cells = ranked(table, bytes);
    if (cells.empty()) continue;
    Rule rule = rule_of(table, cells);
    if (!rules.empty() && rules.back().bytes.least == rule.bytes.least) continue;
    if (!rules.empty() && rules.back().use == rule.use) {
      rules.back().bytes.most = rule.bytes.most;
      continue;
    }
    if (!rules.empty()) rules.back().bytes.most = rule.bytes.least - 1;
    rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace tutti::command
