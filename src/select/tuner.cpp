#include "select/tuner.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace tutti::select {

namespace {

size_t native_of(const std::vector<Candidate>& candidates) {
  const auto at = std::find_if(candidates.begin(), candidates.end(),
                               [](const Candidate& candidate) { return candidate.is_native(); });
  return at == candidates.end() ? 0 : static_cast<size_t>(at - candidates.begin());
}

std::vector<Trial> trials_of(const Round& round) {
  std::vector<Trial> trials;
  for (const Slot& slot : round.slots) trials.push_back({.candidate = slot.candidate, .sample = {}});
  return trials;
}

/// "0.74": ratios for people.
std::string text_of(Ratio ratio) {
  const uint64_t hundredths = (ratio * 100 + k_one / 2) / k_one;
  const std::string digits = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + '.' + (digits.size() < 2 ? "0" : "") + digits;
}

}  // namespace

Tuner::Tuner(std::vector<Candidate> candidates, const TunerOptions& options)
    : candidates_(std::move(candidates)),
      scheduler_(candidates_.size(), native_of(candidates_), options),
      trials_(trials_of(scheduler_.round())) {}

std::optional<Contribution> Tuner::make_contribution(uint64_t now_ns) {
  std::array<uint64_t, k_most_slots> costs;
  costs_of(trials_, std::span(costs).first(trials_.size()));
  Contribution mine{.elapsed = now_ns - first_call_ns_};
  for (size_t i = 0; i < trials_.size(); ++i) {
    mine.most[i] = costs[i];
    mine.total[i] = costs[i] == k_unknown_cost ? 0 : costs[i];
  }
  is_given_ = true;
  return mine;
}

void Tuner::agreed(const Contribution& all) {
  assert(is_given_);
  agreed_ = all;
}

void Tuner::take_effect() {
  assert(agreed_);
  scheduler_.apply(*agreed_);
  agreed_.reset();
  is_given_ = false;
  trials_ = trials_of(scheduler_.round());
}

void Tuner::end(const Turn& turn, const Sample& sample) {
  if (!turn.is_trial || is_given_) return;
  const int slot = scheduler_.round().slot_of(turn.call);
  if (slot < 0) return;
  Trial& trial = trials_[static_cast<size_t>(slot)];
  trial.is_known = true;
  trial.sample = sample;
}

CandidateReport Tuner::report_of(uint32_t index) const {
  const CandidateStats& stats = scheduler_.stats(index);
  CandidateReport report{.candidate = candidates_[index],
                         .trials = static_cast<uint32_t>(stats.count()),
                         .is_dropped = stats.is_dropped};
  if (report.trials > 0) report.median_ns = scaled(scheduler_.reference_ns(), stats.median());
  return report;
}

std::string Tuner::reason() const {
  const auto& switches = scheduler_.switches();
  const auto last = std::find_if(switches.rbegin(), switches.rend(),
                                 [](const Switch& event) { return event.why == Switch::Why::faster; });
  if (last != switches.rend())
    return text_of(last->ratio) + " of the time of " + to_string(candidates_[last->from]) +
           " on the slowest rank, " + text_of(last->mean_ratio) + " on average, medians of " +
           std::to_string(last->trials) + " trials";
  if (scheduler_.round_count() == 0) return "the first choice: few calls, or nothing else can serve them";
  return scheduler_.is_exploring() ? "the first choice, while others are tried"
                                   : "the first choice, and nothing tried was better";
}

}  // namespace tutti::select
