#pragma once
// Results of run-time selection as rules in a file that several jobs may update at the same time.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "select/rules.hpp"
#include "select/tuner.hpp"

namespace tutti::select {

/// Properties of a call site that rules match.
struct SiteShape {
  algorithm::Collective collective = algorithm::Collective::barrier;
  CallInterface interface = CallInterface::blocking;
  uint64_t ranks = 1, nodes = 1, ranks_per_node = 1;
  /// See bytes_of_interest(); the rule covers all sizes with the same highest bit.
  uint64_t bytes = 0;
  bool bytes_known = true;
};

/// With fewer agreed trials of the running choice no rule is learned.
inline constexpr size_t k_least_learned_trials = 12;
/// With fewer trials another candidate counts as hardly tried, unless it was dropped.
inline constexpr size_t k_least_other_trials = 6;

/// The site's running choice as a rule with its evidence. Error: not_found, why the evidence is insufficient: too few
/// trials of the choice or of the native MPI, or another candidate has the better median and the run ended before a
/// switch to it. If the choice is the native MPI, all others must have been tried. Error: not_supported for calls that
/// return early.
base::Result<Rule> learned_rule(const Tuner& tuner, const SiteShape& site);

/// Merges the rules of a file with newly learned ones. If both have a learned rule for the same site: the same choice
/// adds its evidence; another choice replaces the old one if it has at least as much evidence, and otherwise reduces
/// the old evidence by its own amount. So a lasting change of the machine is adopted after a while, and a single
/// unusual run is not. A learned rule is removed if its own evidence shows that the native MPI is as fast. Rules
/// without evidence were written by the user: they are kept, in front of the others.
std::vector<Rule> merged(std::vector<Rule> known, std::span<const Rule> learned);
/// Upper limit for the samples in a rule's evidence.
inline constexpr uint64_t k_most_samples = 1000;

/// Merges into the file, which is created if there is none. Atomic: readers see the old file or the new one, and no
/// update of another process is lost even if this one dies. FILE.lock, which remains, is locked meanwhile. The kernel
/// releases the lock when a process dies; the file system must support locks. Users with write access to the folder
/// share the lock; a symbolic link as lock file is refused. Error: invalid_argument (not a rules file: it stays
/// unchanged) or system (it cannot be read, written or locked; ETIMEDOUT: other processes kept it locked for
/// `patience_ns`).
base::Status save_learned(const std::string& file_name, std::span<const Rule> learned,
                          uint64_t patience_ns = 10'000'000'000);

/// Checks before the run whether save_learned() can be expected to work, as far as permissions show, without changing
/// anything. Errors: as save_learned().
base::Status check_learnable(const std::string& file_name);

}  // namespace tutti::select
