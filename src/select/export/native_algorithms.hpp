#pragma once
// Equivalents of Tutti's algorithms in the MPIs, and the cells into which rules divide the calls of a collective.
// Shared by the exports.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "select/export/export.hpp"

namespace tutti::select {

/// One algorithm of Tutti and its equivalents in both MPIs.
struct NativeAlgorithm {
  algorithm::Collective collective;
  std::string_view name;            // in Tutti
  std::string_view only_with = {};  // parameter that must have `value`; empty: any parameters
  uint64_t value = 0;
  int openmpi = -1;             // number in coll/tuned; -1: none
  std::string_view mpich = {};  // name after "MPIR_<Collective>_intra_"; empty: none
  enum class Needs : uint8_t {
    nothing,
    power_of_two,
    commutative,
    long_built_in
  } mpich_needs = Needs::nothing;
};

/// How an MPI measures the size of a call, relative to bytes_of_interest().
enum class Measure : uint8_t { same, times_ranks, none };

/// The table row for a rule's choice; nullptr: neither MPI has it with these parameters.
const NativeAlgorithm* find_native(algorithm::Collective collective, const Candidate& use);

/// The value of a parameter of that name, or 0.
uint64_t parameter_value(const algorithm::Choice& choice, std::string_view name);

/// Rule for the sizes from `least_bytes` up to the next cell's, in Tutti's measure. rule == nullptr: no rule applies.
struct Cell {
  uint64_t least_bytes = 0;
  const Rule* rule = nullptr;
};

/// The cells for communicators with these numbers of ranks.
struct Row {
  uint64_t least_ranks = 0, most_ranks = UINT64_MAX;
  std::vector<Cell> cells;
  bool says_something() const;
};

/// Divides a collective's calls into cells, by the first rule that matches. If an MPI measures sizes differently, each
/// number of ranks needs its own row (`one_by_one`).
std::vector<Row> rows_of(std::span<const Rule* const> rules, bool one_by_one);
/// Larger ranges of numbers of ranks are not divided into single numbers.
inline constexpr uint64_t k_most_single_ranks = 256;

/// "alltoall ring:steps=4 (FILE, rule 3)", for messages.
std::string title_of(const Rule& rule);

/// The rules that apply to that MPI; the others are reported as left out.
std::vector<Rule> rules_of_mpi(std::span<const Rule> rules, std::string_view mpi, Exported* exported);

/// The rules for one collective, sorted by whether an MPI can express them.
struct Sorted {
  std::vector<const Rule*> said;
  /// All rules that decide, in order, including those that cannot be expressed, for which the MPI decides itself. Rules
  /// whose ranges cannot be expressed are not included.
  std::vector<const Rule*> deciding;
  bool is_said(const Rule* rule) const;
};

/// Returns why the MPI has no algorithm for this rule's choice (which is not native); nullopt: it has one.
using Problem = std::optional<std::string> (*)(const Rule& rule);

/// Sorts the rules for blocking calls of a collective; the others are reported as left out.
Sorted sorted(std::span<const Rule> rules, algorithm::Collective collective, Measure measure,
              Problem problem_of, Exported* exported);

}  // namespace tutti::select
