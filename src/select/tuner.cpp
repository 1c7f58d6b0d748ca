#include "select/tuner.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/text.hpp"

namespace tutti::select {

namespace {

size_t native_of(const std::vector<Candidate>& candidates) {
  const auto at = std::find_if(candidates.begin(), candidates.end(),
                               [](const Candidate& candidate) { return candidate.is_native(); });
  return at == candidates.end() ? 0 : static_cast<size_t>(at - candidates.begin());
}

std::vector<Trial> trials_of(const Round& round) {
  std::vector<Trial> trials;
  for (const TrialSlot& slot : round.slots) trials.push_back({.candidate = slot.candidate, .sample = {}});
  return trials;
}

/// Microseconds for reports: "119.8".
std::string microseconds(uint64_t ns) {
  const uint64_t tenths = (ns + 50) / 100;
  return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10);
}

/// "6 % less".
std::string difference(Ratio ratio) {
  const bool is_less = ratio <= k_one;
  const Ratio part = is_less ? k_one - ratio : ratio - k_one;
  return std::to_string((part * 100 + k_one / 2) / k_one) + (is_less ? " % less" : " % more");
}

}  // namespace

Tuner::Tuner(std::vector<Candidate> candidates, const TunerOptions& options)
    : candidates_(std::move(candidates)),
      scheduler_(candidates_.size(), native_of(candidates_), options),
      waits_(options.waits),
      trials_(trials_of(scheduler_.round())) {}

Measured Tuner::measured(uint64_t now_ns, uint32_t rank, const CommonClock& clock) {
  Measured mine{.elapsed_ns = now_ns - first_call_ns_, .count = trials_.size(), .rank = rank, .clock = clock};
  std::ranges::copy(trials_, mine.trials.begin());
  mine.has_arrivals = waits_.has_value();
  if (waits_) mine.waits = *waits_;
  is_given_ = true;
  return mine;
}

void Tuner::agreed(const RoundMeasurements& all, const Arrivals* arrivals) {
  assert(is_given_);
  agreed_ = {all, arrivals == nullptr ? std::nullopt : std::optional(*arrivals)};
}

void Tuner::take_effect() {
  scheduler_.apply(agreed_->all, agreed_->arrivals ? &*agreed_->arrivals : nullptr);
  agreed_.reset();
  is_given_ = false;
  trials_ = trials_of(scheduler_.round());
  if (const auto late = scheduler_.late_rank())
    for (Candidate& candidate : candidates_)
      if (candidate.is_for_late_rank()) candidate.choice.parameters.values[0] = *late;
}

void Tuner::enable_candidates(bool can_serve) {
  scheduler_.enable_candidates(can_serve);
  trials_ = trials_of(scheduler_.round());
}

uint64_t Tuner::skip_quiet_calls(uint64_t most) {
  const uint64_t first = scheduler_.round().first_call;
  if (wants_candidates() || next_call_ == 0 || next_call_ >= first) return 0;
  const uint64_t count = std::min(first - next_call_, most);
  next_call_ += count;
  return count;
}

void Tuner::end(const ServedCall& served_call, const Sample& sample) {
  if (!served_call.is_trial || is_given_) return;
  const int slot = scheduler_.round().slot_of(served_call.call);
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
  if (report.trials > 0) report.median_ns = scaled(scheduler_.reference_ns(), stats.typical());
  return report;
}

/// Example: "119.8 µs, native 127.9 (6 % less), 32 trials". The medians are those of the slowest rank.
std::string Tuner::comparison(const Switch& last) const {
  const CandidateReport chosen = report_of(last.to), other = report_of(last.from);
  if (chosen.trials == 0 || other.trials == 0)  // explored anew
    return difference(last.ratio) + " than " + to_string(other.candidate) + ", " +
           base::counted(last.trials, "trial");
  return microseconds(chosen.median_ns) + " µs, " + to_string(other.candidate) + ' ' +
         microseconds(other.median_ns) + " (" + difference(ratio_of(chosen.median_ns, other.median_ns)) +
         "), " + base::counted(chosen.trials, "trial");
}

std::string Tuner::reason() const {
  const auto& switches = scheduler_.switches();
  const auto last = std::find_if(switches.rbegin(), switches.rend(),
                                 [](const Switch& event) { return event.why != Switch::Why::drift; });
  if (last != switches.rend() && last->why == Switch::Why::faster) return comparison(*last);
  if (scheduler_.round_count() == 0) return "the first choice: few calls, or nothing else can serve them";
  return scheduler_.is_exploring() ? "the first choice, while others are tried"
                                   : "the first choice, and nothing tried was better";
}

}  // namespace tutti::select
