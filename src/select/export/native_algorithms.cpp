#include "select/export/native_algorithms.hpp"

#include <algorithm>
#include <set>

namespace tutti::select {

using algorithm::Choice;
using algorithm::Collective;

namespace {

using Needs = NativeAlgorithm::Needs;

// Sources: Open MPI `ompi_info --param coll tuned --level 9`; MPICH src/mpi/coll/coll_algorithms.txt of 4.0.
constexpr NativeAlgorithm k_table[] = {
    {Collective::barrier, "dissemination", "radix", 2, 4, "dissemination"},
    {Collective::barrier, "tree", "radix", 2, 6},
    {Collective::bcast, "linear", {}, 0, 1},
    {Collective::bcast, "chain", {}, 0, 3},
    {Collective::bcast, "knomial", "radix", 2, 6, "binomial"},
    {Collective::bcast, "rdaas", {}, 0, 8, "scatter_recursive_doubling_allgather", Needs::power_of_two},
    {Collective::bcast, "ringaas", {}, 0, 9, "scatter_ring_allgather"},
    {Collective::reduce, "knomial", "radix", 2, 5, "binomial"},
    {Collective::reduce, "chain", {}, 0, 3},
    {Collective::reduce, "rsg", {}, 0, 7, "reduce_scatter_gather", Needs::long_built_in},
    {Collective::allreduce, "recursive_doubling", {}, 0, 3, "recursive_doubling"},
    {Collective::allreduce, "ring", {}, 0, 5},
    {Collective::allreduce, "rabenseifner", {}, 0, 6, "reduce_scatter_allgather", Needs::long_built_in},
    {Collective::allreduce, "reduce_bcast", "radix", 2, 2},
    {Collective::reduce_scatter, "ring", {}, 0, 3},
    {Collective::reduce_scatter, "recursive_halving", {}, 0, 2, "recursive_halving", Needs::commutative},
    {Collective::reduce_scatter, "pairwise", {}, 0, -1, "pairwise", Needs::commutative},
    {Collective::reduce_scatter_block,
     "recursive_halving",
     {},
     0,
     3,
     "recursive_halving",
     Needs::commutative},
    {Collective::reduce_scatter_block, "pairwise", {}, 0, -1, "pairwise", Needs::commutative},
    {Collective::allgather, "ring", {}, 0, 4, "ring"},
    {Collective::allgather, "recursive_doubling", {}, 0, 3, "recursive_doubling", Needs::power_of_two},
    {Collective::allgather, "bruck", {}, 0, 2, "brucks"},
    {Collective::allgather, "neighbour_exchange", {}, 0, 5},
    {Collective::allgatherv, "ring", {}, 0, 3, "ring"},
    {Collective::allgatherv, "recursive_doubling", {}, 0, -1, "recursive_doubling", Needs::power_of_two},
    {Collective::allgatherv, "bruck", {}, 0, 2, "brucks"},
    {Collective::allgatherv, "neighbour_exchange", {}, 0, 4},
    {Collective::alltoall, "linear", {}, 0, 1, "scattered"},
    {Collective::alltoall, "ring", "steps", 1, 2, "pairwise"},
    {Collective::alltoall, "bruck", "radix", 2, 3, "brucks"},
    {Collective::alltoallv, "linear", {}, 0, 1, "scattered"},
    {Collective::alltoallv, "ring", "steps", 1, 2},
    {Collective::gather, "linear", {}, 0, 1},
    {Collective::gather, "binomial", "radix", 2, 2, "binomial"},
    {Collective::scatter, "linear", {}, 0, 1},
    {Collective::scatter, "binomial", "radix", 2, 2, "binomial"},
    {Collective::scan, "linear", {}, 0, 1},
    {Collective::scan, "recursive_doubling", {}, 0, 2, "recursive_doubling"},
    {Collective::exscan, "linear", {}, 0, 1},
    {Collective::exscan, "recursive_doubling", {}, 0, 2},
};

/// Begins of the ranges, and the numbers after their ends: rules do not distinguish values between two of these.
std::vector<uint64_t> edges(std::span<const Rule* const> rules, Range Rule::*range) {
  std::set<uint64_t> found = {0};
  for (const Rule* rule : rules) {
    found.insert((rule->*range).least);
    if ((rule->*range).most != UINT64_MAX) found.insert((rule->*range).most + 1);
  }
  return {found.begin(), found.end()};
}

/// Why the MPI's file cannot express the rule's ranges; nullopt: it can.
std::optional<std::string> range_problem(const Rule& rule, Measure measure) {
  if (rule.bytes.is_any() || measure == Measure::same) return std::nullopt;
  if (measure == Measure::none) return "the MPI does not distinguish sizes of this collective in bytes";
  if (rule.ranks.most - rule.ranks.least < k_most_single_ranks) return std::nullopt;
  return "the MPI counts the bytes of all ranks together, and the rule is for too many numbers of ranks";
}

std::vector<Cell> cells_of(std::span<const Rule* const> rules, uint64_t ranks) {
  std::vector<Cell> cells;
  for (const uint64_t least : edges(rules, &Rule::bytes)) {
    const auto at = std::find_if(rules.begin(), rules.end(), [&](const Rule* rule) {
      return rule->ranks.contains(ranks) && rule->bytes.contains(least);
    });
    const Rule* rule = at == rules.end() ? nullptr : *at;
    if (cells.empty() || cells.back().rule != rule) cells.push_back({least, rule});
  }
  return cells;
}

}  // namespace

uint64_t parameter_value(const Choice& choice, std::string_view name) {
  const auto parameters = choice.algorithm->parameters;
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].name == name) return choice.parameters[i];
  return 0;
}

const NativeAlgorithm* find_native(Collective collective, const Candidate& use) {
  if (use.is_by_agents()) return nullptr;
  const Choice& choice = use.choice;
  const auto* row =
      std::find_if(std::begin(k_table), std::end(k_table), [&](const NativeAlgorithm& candidate) {
        return candidate.collective == collective && candidate.name == choice.algorithm->name;
      });
  if (row == std::end(k_table)) return nullptr;
  const bool fits = row->only_with.empty() || parameter_value(choice, row->only_with) == row->value;
  return fits ? row : nullptr;
}

bool Row::says_something() const {
  return std::any_of(cells.begin(), cells.end(), [](const Cell& cell) { return cell.rule != nullptr; });
}

std::vector<Row> rows_of(std::span<const Rule* const> rules, bool one_by_one) {
  std::vector<Row> rows;
  const auto starts = edges(rules, &Rule::ranks);
  for (size_t i = 0; i < starts.size(); ++i) {
    const uint64_t most = i + 1 < starts.size() ? starts[i + 1] - 1 : UINT64_MAX;
    Row row{starts[i], most, cells_of(rules, starts[i])};
    const bool is_long = most - starts[i] >= k_most_single_ranks;
    if (!one_by_one || is_long || !row.says_something()) {
      rows.push_back(std::move(row));
      continue;
    }
    for (uint64_t ranks = starts[i]; ranks <= most; ++ranks) rows.push_back({ranks, ranks, row.cells});
  }
  return rows;
}

std::string title_of(const Rule& rule) {
  std::string title(algorithm::to_string(rule.collective));
  title += ' ' + to_string(rule.use);
  return rule.origin.empty() ? title : title + " (" + rule.origin + ')';
}

std::vector<Rule> rules_of_mpi(std::span<const Rule> rules, std::string_view mpi, Exported* exported) {
  std::vector<Rule> held;
  for (const Rule& rule : rules)
    if (rule.holds_with(mpi))
      held.push_back(rule);
    else if (rule.mpi != k_ranks_are_threads)
      exported->left_out.push_back(title_of(rule) + ": only with " + rule.mpi);
  return held;
}

bool Sorted::is_said(const Rule* rule) const {
  return std::find(said.begin(), said.end(), rule) != said.end();
}

Sorted sorted(std::span<const Rule> rules, Collective collective, Measure measure, Problem problem_of,
              Exported* exported) {
  Sorted result;
  for (const Rule& rule : rules) {
    if (rule.collective != collective) continue;
    const auto leave_out = [&](const std::string& why) {
      exported->left_out.push_back(title_of(rule) + ": " + why);
    };
    if (rule.calls && *rule.calls != CallInterface::blocking) {
      leave_out("only blocking calls have such a file");
      continue;
    }
    if (measure != Measure::none || rule.bytes.is_any()) result.deciding.push_back(&rule);
    const auto no_algorithm = rule.use.is_native() ? std::nullopt : problem_of(rule);
    if (const auto why = no_algorithm ? no_algorithm : range_problem(rule, measure)) {
      leave_out(*why);
      continue;
    }
    result.said.push_back(&rule);
    if (!rule.nodes.is_any() || !rule.ranks_per_node.is_any())
      exported->remarks.push_back(title_of(rule) + ": holds for any placement of the ranks");
  }
  return result;
}

}  // namespace tutti::select
