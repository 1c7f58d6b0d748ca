#include "select/learned.hpp"

#include <algorithm>
#include <bit>

namespace tutti::select {

using base::Result;
using base::Status;

namespace {

bool is_same_site(const Rule& a, const Rule& b) {
  return a.mpi == b.mpi && a.collective == b.collective && a.calls == b.calls && a.ranks == b.ranks &&
         a.nodes == b.nodes && a.ranks_per_node == b.ranks_per_node && a.bytes == b.bytes;
}

/// All sizes with the same highest bit.
Range size_class(uint64_t bytes) {
  if (bytes == 0) return {0, 0};
  const uint64_t least = std::bit_floor(bytes);
  return {least, least + (least - 1)};
}

/// Mean of two medians, weighted by their numbers of samples; either median may be missing (0).
uint64_t weighted(uint64_t a, uint64_t a_weight, uint64_t b, uint64_t b_weight) {
  if (a == 0) return b;
  if (b == 0) return a;
  const auto sum =
      static_cast<unsigned __int128>(a) * a_weight + static_cast<unsigned __int128>(b) * b_weight;
  return static_cast<uint64_t>(sum / std::max<uint64_t>(a_weight + b_weight, 1));
}

void absorb(Rule* known, const Rule& learned) {
  Evidence& old = known->evidence;
  const Evidence& fresh = learned.evidence;
  const uint64_t fresh_samples = std::min(fresh.samples, k_most_samples);
  old.samples = std::min(old.samples, k_most_samples);
  if (known->use == learned.use) {
    old.median_ns = weighted(old.median_ns, old.samples, fresh.median_ns, fresh_samples);
    old.native_ns = weighted(old.native_ns, old.samples, fresh.native_ns, fresh_samples);
    old.samples = std::min(old.samples + fresh_samples, k_most_samples);
    known->because = learned.because;
  } else if (fresh_samples >= old.samples) {
    const uint64_t left = std::max<uint64_t>(fresh_samples - old.samples, 1);
    *known = learned;
    known->evidence.samples = left;
  } else {
    old.samples -= fresh_samples;
  }
}

/// Whether the evidence shows that this candidate is no better than the chosen one. A difference below 2 % is ignored,
/// as in the scheduler (trial_scheduler.cpp), except that a rule must not be slower than the native MPI.
Status check_against(const CandidateReport& other, const CandidateReport& chosen) {
  constexpr uint64_t k_alike_percent = 98;
  const bool is_tried = other.is_dropped || other.trials >= k_least_other_trials;
  if (other.candidate.is_native()) {
    if (!is_tried) return Status::not_found("the native MPI was hardly tried");
    if (other.trials > 0 && other.median_ns <= chosen.median_ns) return Status::not_found("undecided");
  } else if (!is_tried) {
    if (chosen.candidate.is_native()) return Status::not_found("still exploring");
  } else if (!other.is_dropped && other.median_ns < chosen.median_ns * k_alike_percent / 100) {
    return Status::not_found("undecided");
  }
  return {};
}

/// Whether the trials support the running choice.
Status check_evidence(const Tuner& tuner, uint32_t choice) {
  const CandidateReport chosen = tuner.report_of(choice);
  if (tuner.candidate_count() < 2 || tuner.only_watches()) return Status::not_found("nothing else to try");
  // Arrivals of the next run may not be skewed.
  if (tuner.scheduler().arrivals().is_late()) return Status::not_found("ranks came late");
  if (chosen.trials < k_least_learned_trials) return Status::not_found("too few trials");
  for (uint32_t i = 0; i < tuner.candidate_count(); ++i)
    if (i != choice && !tuner.scheduler().is_disabled(i))
      if (Status status = check_against(tuner.report_of(i), chosen); !status) return status;
  return {};
}

/// Whether the rule's evidence does not contradict that it is better than the native MPI.
bool is_supported(const Rule& rule) {
  const Evidence& evidence = rule.evidence;
  const bool is_native = rule.use.is_native();
  return is_native || evidence.samples == 0 || evidence.native_ns == 0 ||
         evidence.median_ns < evidence.native_ns;
}

}  // namespace

Result<Rule> learned_rule(const Tuner& tuner, const SiteShape& site) {
  const uint32_t choice = tuner.scheduler().choice();
  const CandidateReport report = tuner.report_of(choice);
  if (Status status = check_evidence(tuner, choice); !status) return status;
  if (report.candidate.progress.mode == ProgressMode::early)
    return Status::not_supported("for calls that return early, which settings ask for");
  Rule rule{.collective = site.collective,
            .calls = site.interface,
            .ranks = {site.ranks, site.ranks},
            .nodes = {site.nodes, site.nodes},
            .ranks_per_node = {site.ranks_per_node, site.ranks_per_node}};
  if (site.bytes_known) rule.bytes = size_class(site.bytes);
  rule.use = report.candidate;
  rule.evidence = {.samples = report.trials, .median_ns = report.median_ns};
  for (uint32_t i = 0; i < tuner.candidate_count(); ++i)
    if (const CandidateReport other = tuner.report_of(i); other.candidate.is_native())
      rule.evidence.native_ns = other.median_ns;
  rule.because = "learned: " + tuner.reason();
  return rule;
}

std::vector<Rule> merged(std::vector<Rule> known, std::span<const Rule> learned) {
  for (const Rule& rule : learned) {
    const auto at = std::find_if(known.begin(), known.end(), [&](const Rule& other) {
      return other.evidence.samples > 0 && is_same_site(other, rule);
    });
    if (at == known.end())
      known.push_back(rule);
    else
      absorb(&*at, rule);
  }
  std::erase_if(known, [](const Rule& rule) { return !is_supported(rule); });
  std::stable_partition(known.begin(), known.end(),
                        [](const Rule& rule) { return rule.evidence.samples == 0; });
  return known;
}

}  // namespace tutti::select
