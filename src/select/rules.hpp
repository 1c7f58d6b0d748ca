#pragma once
// The rules file: which algorithm serves which calls (docs/selection.md, JSON schema in rules.schema.json).
//
//   { "schema": 1,
//     "rules": [ { "collective": "bcast", "nodes": [2, null], "bytes": ["128K", null],
//                  "use": "chain:segment=16K", "because": "every link carries the message once" } ] }
//
// Ranges are [least, most], both inclusive; null or a missing range means "any". The first rule that matches and whose
// algorithm accepts the request decides; without one the native MPI runs. Results of run-time selection are written as
// rules too (select/learned.hpp).

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "base/status.hpp"
#include "select/candidate.hpp"

namespace tutti::select {

/// A closed interval of integers.
struct Range {
  uint64_t least = 0;
  uint64_t most = UINT64_MAX;
  bool contains(uint64_t value) const { return least <= value && value <= most; }
  bool is_any() const { return least == 0 && most == UINT64_MAX; }
  bool operator==(const Range&) const = default;
};

/// Measurements behind a learned rule; costs are those of the slowest rank.
struct Evidence {
  uint64_t samples = 0;    // trials; 0: the rule was not learned
  uint64_t median_ns = 0;  // of the rule's choice
  uint64_t native_ns = 0;  // of the native MPI; 0: not tried
  bool operator==(const Evidence&) const = default;
};

/// Names of the MPIs in rules. Where ranks are threads, Tutti itself is the MPI.
inline constexpr std::string_view k_ranks_are_threads = "threads";
inline constexpr std::array<std::string_view, 3> k_mpi_names = {"mpich", "openmpi", k_ranks_are_threads};

struct Rule {
  algorithm::Collective collective = algorithm::Collective::barrier;
  std::string mpi;                     // one of k_mpi_names: applies only to that; empty: to any
  std::optional<CallInterface> calls;  // nullopt: any
  Range ranks, nodes, ranks_per_node;  // ranks_per_node: of the node with most ranks
  Range bytes;                         // see bytes_of_interest()
  Candidate use;
  Evidence evidence;
  std::string because;  // shown in reports
  std::string origin;   // "built-in rule 3", "FILE, rule 2", "TUTTI_BCAST"
  bool holds_with(std::string_view other) const { return mpi.empty() || mpi == other; }

  /// Written by the user, so that run-time selection does not override it. Set by Selector.
  bool is_binding = false;
  /// One of Tutti's own rules, which are for slow links (select/links.hpp). Set by Selector.
  bool is_built_in = false;
  /// One line for reports. Set by Selector.
  std::string reason;
};

/// Parses the text of a rules file. `origin` names it in messages and in Rule::origin. Error: invalid_argument, one
/// line with the position and the problem; no rule of an invalid file is used.
base::Result<std::vector<Rule>> parse_rules(std::string_view text, const std::string& origin);

/// Reads a rules file. Error: system (it cannot be read) or invalid_argument.
base::Result<std::vector<Rule>> load_rules(const std::string& file_name);

/// The text of a rules file with these rules, one per line. parse_rules() restores them, except Rule::origin.
std::string format_rules(std::span<const Rule> rules);

/// Text of the built-in rules, for parse_rules().
std::string_view default_rules_text();

}  // namespace tutti::select
