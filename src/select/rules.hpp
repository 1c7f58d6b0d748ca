#pragma once
// The rules file: which algorithm serves which calls (docs/selection.md, JSON schema in rules.schema.json).
//
//   { "schema": 1,
//     "rules": [ { "collective": "bcast", "nodes": [2, null], "bytes": ["128K", null],
//                  "use": "chain:segment=16K", "because": "every link carries the message once" } ] }
//
// Ranges are [least, most], both included; null or a missing range means "any". The first rule that matches
// and whose algorithm accepts the request decides; where none does, the native MPI runs.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "base/status.hpp"

namespace tutti::select {

/// A closed interval of whole numbers.
struct Range {
  uint64_t least = 0;
  uint64_t most = UINT64_MAX;
  bool contains(uint64_t value) const { return least <= value && value <= most; }
  bool is_any() const { return least == 0 && most == UINT64_MAX; }
};

struct Rule {
  algorithm::Collective collective = algorithm::Collective::barrier;
  Range ranks, nodes, ranks_per_node;  // ranks_per_node: of the node with the most ranks
  Range bytes;                         // see bytes_of_interest()
  algorithm::Choice use;               // algorithm == nullptr: the native MPI
  std::string because;                 // shown in reports
  std::string origin;                  // "built-in rule 3", "FILE, rule 2", "TUTTI_BCAST"
};

/// Reads a rules file's text. `origin` names it in messages and in Rule::origin.
/// Error: invalid_argument, one line with the place and what is wrong; nothing is taken from a bad file.
base::Result<std::vector<Rule>> parse_rules(std::string_view text, const std::string& origin);

/// Reads a rules file. Error: system (it cannot be read) or invalid_argument.
base::Result<std::vector<Rule>> load_rules(const std::string& file_name);

/// The rules that Tutti comes with, as text for parse_rules().
std::string_view default_rules_text();

}  // namespace tutti::select
