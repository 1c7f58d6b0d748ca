#pragma once
// Which algorithm of an MPI does what one of Tutti's does, and the cells into which rules cut the calls of a
// collective. Shared by the exports.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "select/export.hpp"

namespace tutti::select {

/// One algorithm in both MPIs.
struct NativeAlgorithm {
  algorithm::Collective collective;
  std::string_view name;            // Tutti's
  std::string_view only_with = {};  // the parameter that has to have `value`; empty: any parameters will do
  uint64_t value = 0;
  int openmpi = -1;             // its number in coll/tuned; -1: it has none
  std::string_view mpich = {};  // after "MPIR_<Collective>_intra_"; empty: it has none
  enum class Needs : uint8_t {
    nothing,
    power_of_two,
    commutative,
    long_built_in
  } mpich_needs = Needs::nothing;
};

/// How an MPI measures the size of a call, from Tutti's view of it (bytes_of_interest()).
enum class Measure : uint8_t { same, times_ranks, none };

/// The row for a rule's choice; nullptr: neither MPI has it with these parameters.
const NativeAlgorithm* find_native(algorithm::Collective collective, const Candidate& use);

/// The value of a parameter of that name, or 0.
uint64_t parameter_value(const algorithm::Choice& choice, std::string_view name);

/// What serves the sizes from `least_bytes` up to the next cell's, in Tutti's measure. rule == nullptr:
/// nothing said.
struct Cell {
  uint64_t least_bytes = 0;
  const Rule* rule = nullptr;
};

/// Communicators of these numbers of ranks, and what serves them.
struct Row {
  uint64_t least_ranks = 0, most_ranks = UINT64_MAX;
  std::vector<Cell> cells;
  bool says_something() const;
};

/// Cuts a collective's calls into cells, by the first rule that matches. A size of which an MPI has another
/// measure needs rows of one number of ranks each (`one_by_one`).
std::vector<Row> rows_of(std::span<const Rule* const> rules, bool one_by_one);
/// Ranges of more numbers of ranks than this are not cut one by one.
inline constexpr uint64_t k_most_single_ranks = 256;

/// "alltoall ring:steps=4 (FILE, rule 3)", for messages.
std::string title_of(const Rule& rule);

/// The rules that hold with that MPI; the others are reported as left out.
std::vector<Rule> rules_of_mpi(std::span<const Rule> rules, std::string_view mpi, Exported* exported);

/// What an MPI can be told about one collective.
struct Sorted {
  std::vector<const Rule*> said;
  /// All that decide, in order: those that cannot be said too, in whose place the MPI decides itself (except
  /// where not even their ranges can be told).
  std::vector<const Rule*> deciding;
  bool is_said(const Rule* rule) const;
};

/// Why the MPI has no algorithm for this rule's choice (which is not native), if so.
using Problem = std::optional<std::string> (*)(const Rule& rule);

/// Sorts the rules for blocking calls of a collective; the others are reported as left out.
Sorted sorted(std::span<const Rule> rules, algorithm::Collective collective, Measure measure,
              Problem problem_of, Exported* exported);

}  // namespace tutti::select
