#pragma once
// What was learned while programs ran, kept as rules in a file that many jobs may write at once.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "select/rules.hpp"
#include "select/tuner.hpp"

namespace tutti::select {

/// What a call site looks like to a rule.
struct SiteShape {
  algorithm::Collective collective = algorithm::Collective::barrier;
  CallKind kind = CallKind::blocking;
  uint64_t ranks = 1, nodes = 1, ranks_per_node = 1;
  /// See bytes_of_interest(); the rule covers all sizes of the same power of two.
  uint64_t bytes = 0;
  bool bytes_known = true;
};

/// Fewer agreed trials of the running choice are not worth keeping,
inline constexpr size_t k_least_learned_trials = 12;
/// and with fewer another candidate counts as hardly tried, unless it was dropped.
inline constexpr size_t k_least_other_trials = 6;

/// The site's running choice as a rule, with its evidence. Error: not_found, why the evidence does not
/// support one: too few trials, of the choice or of the native MPI; or another candidate has the better
/// median, and the run ended before the choice went over to it. For the native MPI all others have to have
/// been tried.
base::Result<Rule> learned_rule(const Tuner& tuner, const SiteShape& site);

/// The rules of a file together with newly learned ones. Where both have a learned rule for the same site:
/// the same choice gathers evidence; another choice takes over when it has at least as much, and uses up its
/// amount of the old evidence otherwise. So a machine that changed is believed after a while, and one strange
/// run is not. A learned rule whose own evidence says that the native MPI is as fast goes. Rules without
/// evidence were written by people: they stay, and stay in front.
std::vector<Rule> merged(std::vector<Rule> known, std::span<const Rule> learned);
/// Evidence of a rule never exceeds this many samples.
inline constexpr uint64_t k_most_samples = 1000;

/// Merges into the file, which is made if there is none. Atomic: readers see the old file or the new one, and
/// no update of another process is lost, whatever happens to this one; FILE.lock, which stays, is locked
/// meanwhile (by the kernel, so that no process leaves it locked when it dies; the file system must support
/// locks). Users who may write into the folder share the lock; a lock file that is a link is refused.
/// Error: invalid_argument (the file is not a rules file: it is left alone) or system (it cannot be read,
/// written or locked; ETIMEDOUT: others kept it locked for `patience_ns`).
base::Status save_learned(const std::string& file_name, std::span<const Rule> learned,
                          uint64_t patience_ns = 10'000'000'000);

/// Whether save_learned() can be expected to work, as far as permissions tell and without changing anything:
/// for asking before the run. Errors: as save_learned().
base::Status check_learnable(const std::string& file_name);

}  // namespace tutti::select
