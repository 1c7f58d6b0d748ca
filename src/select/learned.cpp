#include "select/learned.hpp"

#include <algorithm>
#include <bit>

namespace tutti::select {

namespace {

bool is_same_site(const Rule& a, const Rule& b) {
  return a.collective == b.collective && a.calls == b.calls && a.ranks == b.ranks && a.nodes == b.nodes &&
         a.ranks_per_node == b.ranks_per_node && a.bytes == b.bytes;
}

/// All sizes with the same highest bit.
Range size_class(uint64_t bytes) {
  if (bytes == 0) return {0, 0};
  const uint64_t least = std::bit_floor(bytes);
  return {least, least + (least - 1)};
}

/// Mean of two medians by the samples behind them; either may be missing.
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
  if (known->use == learned.use && known->progress == learned.progress) {
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

}  // namespace

std::optional<Rule> learned_rule(const Tuner& tuner, const SiteShape& site) {
  const uint32_t choice = tuner.race().choice();
  const CandidateReport report = tuner.report_of(choice);
  if (report.trials < k_least_learned_trials) return std::nullopt;
  Rule rule{.collective = site.collective,
            .calls = site.kind,
            .ranks = {site.ranks, site.ranks},
            .nodes = {site.nodes, site.nodes},
            .ranks_per_node = {site.ranks_per_node, site.ranks_per_node}};
  if (site.bytes_known) rule.bytes = size_class(site.bytes);
  rule.use = report.candidate.choice;
  rule.progress = report.candidate.progress;
  rule.evidence = {.samples = report.trials, .median_ns = report.median_ns};
  bool tried_others = false;
  for (uint32_t i = 0; i < tuner.candidate_count(); ++i) {
    const CandidateReport other = tuner.report_of(i);
    if (other.candidate.is_native()) rule.evidence.native_ns = other.median_ns;
    tried_others |= i != choice && other.trials > 0;
  }
  if (!tried_others) return std::nullopt;
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
  std::stable_partition(known.begin(), known.end(),
                        [](const Rule& rule) { return rule.evidence.samples == 0; });
  return known;
}

}  // namespace tutti::select
