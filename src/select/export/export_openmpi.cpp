// Open MPI's coll/tuned file: blocks by collective, within them by number of ranks, within them by size. Each line
// applies from its number on. Lines with algorithm 0 leave the decision to Open MPI. Version 4.1 also applies the first
// block and line to smaller communicators and messages, so both start at 0.

#include <algorithm>
#include <limits>

#include "select/export/native_algorithms.hpp"

namespace tutti::select {

using algorithm::Collective;

namespace {

/// Number of a collective in the file, and its measure of sizes.
struct TunedCollective {
  Collective collective;
  int number;
  Measure measure;
};
constexpr TunedCollective k_tuned_collectives[] = {
    {Collective::allgather, 0, Measure::times_ranks},
    {Collective::allgatherv, 1, Measure::times_ranks},
    {Collective::allreduce, 2, Measure::same},
    {Collective::alltoall, 3, Measure::times_ranks},
    {Collective::alltoallv, 4, Measure::none},
    {Collective::barrier, 6, Measure::none},
    {Collective::bcast, 7, Measure::same},
    {Collective::exscan, 8, Measure::none},
    {Collective::gather, 9, Measure::times_ranks},
    {Collective::reduce, 11, Measure::same},
    {Collective::reduce_scatter, 12, Measure::same},
    {Collective::reduce_scatter_block, 13, Measure::same},
    {Collective::scan, 14, Measure::none},
    {Collective::scatter, 15, Measure::times_ranks},
};
constexpr uint64_t k_most_ranks = std::numeric_limits<int>::max();
constexpr uint64_t k_most_bytes = std::numeric_limits<int64_t>::max();
constexpr uint64_t k_most_segment = std::numeric_limits<int>::max();

std::optional<std::string> tuned_problem_of(const Rule& rule) {
  const NativeAlgorithm* native = find_native(rule.collective, rule.use);
  if (native == nullptr || native->openmpi < 0) return "Open MPI has no such algorithm";
  if (parameter_value(rule.use.choice, "segment") > k_most_segment)
    return "Open MPI has no segments this long";
  return std::nullopt;
}

std::string line_of(uint64_t bytes, const Rule* rule) {
  std::string line = std::to_string(bytes);
  if (rule == nullptr || rule->use.is_native()) return line + " 0 0 0\n";
  const NativeAlgorithm* native = find_native(rule->collective, rule->use);
  return line + ' ' + std::to_string(native->openmpi) + " 0 " +
         std::to_string(parameter_value(rule->use.choice, "segment")) + "  # " +
         algorithm::to_string(rule->use.choice) + '\n';
}

std::string block_of(const Row& row, Measure measure, const Sorted& rules) {
  std::string lines;
  size_t count = 0;
  for (const Cell& cell : row.cells) {
    const bool is_scaled = measure == Measure::times_ranks;
    const uint64_t ranks = std::max<uint64_t>(row.least_ranks, 1);
    if (is_scaled && cell.least_bytes > k_most_bytes / ranks) break;
    const uint64_t bytes = is_scaled ? cell.least_bytes * ranks : cell.least_bytes;
    if (bytes > k_most_bytes) break;
    lines += line_of(bytes, rules.is_said(cell.rule) ? cell.rule : nullptr);
    ++count;
  }
  return std::to_string(row.least_ranks) + "  # ranks\n" + std::to_string(count) + "  # sizes\n" + lines;
}

/// The part of the file for one collective; may be empty.
std::string part_of(const TunedCollective& collective, std::span<const Rule> rules, Exported* exported) {
  const Sorted rules_here =
      sorted(rules, collective.collective, collective.measure, tuned_problem_of, exported);
  if (rules_here.said.empty()) return {};
  std::string blocks;
  size_t count = 0;
  for (const Row& row : rows_of(rules_here.deciding, collective.measure == Measure::times_ranks)) {
    if (row.least_ranks > k_most_ranks) break;
    blocks += block_of(row, collective.measure, rules_here);
    ++count;
  }
  return std::to_string(collective.number) + "  # " +
         std::string(algorithm::to_string(collective.collective)) + '\n' + std::to_string(count) +
         "  # numbers of ranks\n" + blocks;
}

}  // namespace

Exported to_openmpi(std::span<const Rule> all) {
  Exported exported;
  const std::vector<Rule> rules = rules_of_mpi(all, "openmpi", &exported);
  std::string parts;
  size_t count = 0;
  for (const TunedCollective& collective : k_tuned_collectives) {
    const std::string part = part_of(collective, rules, &exported);
    if (part.empty()) continue;
    parts += part;
    ++count;
  }
  for (const Rule& rule : rules) {
    const bool is_known = std::any_of(std::begin(k_tuned_collectives), std::end(k_tuned_collectives),
                                      [&](const auto& row) { return row.collective == rule.collective; });
    if (!is_known) exported.left_out.push_back(title_of(rule) + ": not a collective of coll/tuned");
  }
  exported.text = std::to_string(count) + "  # collectives\n" + parts;
  return exported;
}

}  // namespace tutti::select
