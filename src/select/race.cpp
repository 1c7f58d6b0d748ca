#include "select/race.hpp"

#include <algorithm>

#include "select/measure.hpp"

namespace tutti::select {

namespace {

constexpr Ratio percent(uint64_t n) {
  return k_one * n / 100;
}

/// A candidate is dropped when its median is this much above the running choice's, and its lower quartile
/// too: then it is no accident.
struct DropRule {
  size_t trials;
  Ratio median, lower_quartile;
};
constexpr DropRule k_drop_rules[] = {
    {2, percent(150), percent(150)},
    {6, percent(120), percent(105)},
    {12, percent(108), percent(102)},
};

/// And it becomes the running choice when its median is below this.
struct SwitchRule {
  size_t trials;
  Ratio median, largest;
};
constexpr SwitchRule k_switch_rules[] = {
    {2, percent(80), percent(80)},
    {6, percent(94), k_most_ratio},
    {12, percent(96), k_most_ratio},
    {20, percent(98), k_most_ratio},
};

constexpr uint32_t k_reference_rounds = 8;
constexpr Ratio k_drift = percent(25);
constexpr uint32_t k_sure_suspicions = 2;
constexpr Ratio k_surprise = percent(20);  // a candidate that was done with costs something else now
constexpr size_t k_enough_for_own = 6;
// Calls of a candidate in a round of which a median says something, and a call that says nothing of it.
constexpr size_t k_enough_for_median = 3;
constexpr uint64_t k_held_up = 4;
constexpr size_t k_sure_trials = 6;  // of a new choice: the ratios of the others can be converted

/// What of a first call is put down to its being the first: half of what it takes longer than the running
/// choice, and no more than that takes itself. Who takes many times as long is believed.
Ratio first_call_part(Ratio ratio) {
  return ratio > k_one ? std::min((ratio - k_one) / 2, k_one) : 0;
}

bool differs(uint64_t a, uint64_t b, Ratio tolerance) {
  return std::max(a, b) > scaled(std::min(a, b), k_one + tolerance);
}

}  // namespace

Race::Race(size_t candidate_count, size_t native, const TunerOptions& options)
    : options_(options), native_(static_cast<uint32_t>(native)), standings_(candidate_count) {
  const bool few_calls = options.expected_calls != 0 && options.expected_calls < k_least_expected_calls;
  if (candidate_count < 2 || options.budget_permille == 0 || few_calls)
    is_exploring_ = false;
  else
    plan();
}

void Race::apply(const Contribution& maxima) {
  elapsed_ns_ = std::max(elapsed_ns_, std::min(maxima[0], uint64_t{1} << 60));
  elapsed_calls_ = round_.due_call;
  uint64_t reference = 0;
  if (!find_reference(maxima, &reference)) {
    try_again();
    return;
  }
  failures_ = 0;
  charge(maxima, reference);
  score(maxima, reference);
  if (has_drifted(reference)) is_exploring_ ? follow(reference) : reopen_all(reference);
  drop_the_bad();
  choose();
  plan();
}

/// The running choice's median in this round. False when it, or more than half of the others, is unknown.
bool Race::find_reference(const Contribution& maxima, uint64_t* reference) const {
  std::array<uint64_t, k_most_slots> costs;
  size_t known = 0, counted = 0, counted_known = 0;
  for (size_t i = 0; i < round_.slots.size(); ++i) {
    const uint64_t cost = maxima[1 + i];
    if (!round_.slots[i].counts) continue;
    ++counted;
    if (cost == k_unknown_cost) continue;
    ++counted_known;
    if (round_.slots[i].candidate == choice_) costs[known++] = std::clamp<uint64_t>(cost, 1, k_most_cost_ns);
  }
  if (known < 2 || 2 * counted_known < counted) return false;
  *reference = quantile(costs.data(), known, 2, 4);
  return true;
}

/// What the round cost compared with calling the running choice all the time.
void Race::charge(const Contribution& maxima, uint64_t reference) {
  loss_ns_ += options_.agreement_ns;
  for (uint32_t candidate = 0; candidate < standings_.size(); ++candidate)
    if (candidate != choice_) loss_ns_ += loss_of(candidate, maxima, reference);
}

/// Of all its calls together: one that by chance takes longer than the running choice is no loss where
/// another one takes less. And one that takes many times as long as its others was held up, as calls of the
/// running choice are.
uint64_t Race::loss_of(uint32_t candidate, const Contribution& maxima, uint64_t reference) const {
  std::array<uint64_t, k_most_slots> costs;
  size_t count = 0;
  for (size_t i = 0; i < round_.slots.size(); ++i) {
    if (round_.slots[i].candidate != candidate) continue;
    const uint64_t cost = maxima[1 + i];
    const bool is_known = cost != k_unknown_cost;
    costs[count++] =
        is_known ? std::min(cost, k_most_cost_ns) : scaled(reference, standings_[candidate].expected(k_one));
  }
  if (count == 0) return 0;
  std::array<uint64_t, k_most_slots> sorted = costs;
  const uint64_t most =
      count < k_enough_for_median ? k_most_cost_ns : k_held_up * quantile(sorted.data(), count, 2, 4);
  uint64_t sum = 0;
  for (size_t i = 0; i < count; ++i) sum += std::min(costs[i], most);
  return sum > count * reference ? sum - count * reference : 0;
}

void Race::score(const Contribution& maxima, uint64_t reference) {
  for (uint32_t candidate = 0; candidate < standings_.size(); ++candidate)
    score_one(candidate, maxima, reference);
}

void Race::score_one(uint32_t candidate, const Contribution& maxima, uint64_t reference) {
  std::array<Ratio, k_most_slots> fresh;
  size_t count = 0;
  Standing& standing = standings_[candidate];
  for (size_t i = 0; i < round_.slots.size(); ++i) {
    const Slot& slot = round_.slots[i];
    if (slot.candidate != candidate || maxima[1 + i] == k_unknown_cost) continue;
    const Ratio ratio = ratio_of(std::min(maxima[1 + i], k_most_cost_ns), reference);
    if (slot.counts)
      fresh[count++] = ratio;
    else if (standing.count() == 0)
      standing.expect(ratio - first_call_part(ratio));
  }
  if (count == 0) return;
  std::array<Ratio, k_most_slots> sorted = fresh;
  const Ratio median = quantile(sorted.data(), count, 2, 4);
  const bool was_done = candidate != choice_ && standing.count() > 0 && !is_contender(candidate);
  if (was_done && differs(median, standing.median(), k_surprise)) standing.reopen();
  for (size_t i = 0; i < count; ++i) standing.add(fresh[i]);
}

/// Does the running choice cost something else than before? Only when it does so twice in a row.
bool Race::has_drifted(uint64_t reference) {
  if (reference_rounds_ == 0) reference_ns_ = reference;
  const Standing& own = standings_[choice_];
  // Where calls differ much among themselves, a median of a few differs too.
  const Ratio spread = own.count() >= k_enough_for_own ? own.upper_quartile() - own.lower_quartile() : 0;
  if (differs(reference, reference_ns_, std::max(k_drift, spread))) return ++suspicions_ >= k_sure_suspicions;
  suspicions_ = 0;
  if (reference_rounds_ < k_reference_rounds) {
    reference_ns_ = (reference_ns_ * reference_rounds_ + reference) / (reference_rounds_ + 1);
    ++reference_rounds_;
  }
  return false;
}

/// Another level. What is being explored is compared within its rounds, so nothing that is known is lost.
void Race::follow(uint64_t reference) {
  reference_ns_ = reference;
  reference_rounds_ = 1;
  suspicions_ = 0;
}

void Race::reopen_all(uint64_t reference) {
  const Ratio change = ratio_of(reference, reference_ns_);
  note({round_.effect_call, choice_, choice_, change, k_sure_suspicions, Switch::Why::drift});
  for (Standing& standing : standings_) standing.reopen();
  follow(reference);
  calm_ = 0;
}

Ratio Race::own_median() const {
  const Standing& own = standings_[choice_];
  return own.count() >= k_enough_for_own ? std::max<Ratio>(own.median(), 1) : k_one;
}

/// A candidate's median to that of the running choice.
Ratio Race::relative(uint32_t candidate) const {
  return ratio_of(standings_[candidate].median(), own_median());
}

void Race::drop_the_bad() {
  for (uint32_t candidate = 0; candidate < standings_.size(); ++candidate) {
    Standing& standing = standings_[candidate];
    if (candidate == choice_ || standing.is_dropped || standing.count() == 0) continue;
    const Ratio quartile = ratio_of(standing.lower_quartile(), own_median());
    for (const DropRule& rule : k_drop_rules)
      if (standing.count() >= rule.trials && relative(candidate) > rule.median &&
          quartile > rule.lower_quartile)
        standing.is_dropped = true;
  }
}

/// The best of those that are better beyond doubt, if there is one.
void Race::choose() {
  uint32_t best = choice_;
  Ratio best_median = k_one;
  for (uint32_t candidate = 0; candidate < standings_.size(); ++candidate) {
    const Standing& standing = standings_[candidate];
    if (candidate == choice_ || standing.count() == 0 || standing.is_dropped) continue;
    const Ratio median = relative(candidate);
    const Ratio largest = ratio_of(standing.largest(), own_median());
    const bool is_better =
        std::any_of(std::begin(k_switch_rules), std::end(k_switch_rules), [&](const auto& rule) {
          return standing.count() >= rule.trials && median < rule.median && largest < rule.largest;
        });
    if (!is_better || median >= best_median) continue;
    best = candidate;
    best_median = median;
  }
  if (best != choice_) switch_to(best);
}

void Race::switch_to(uint32_t candidate) {
  const uint32_t old = choice_;
  const auto trials = static_cast<uint32_t>(standings_[candidate].count());
  const Ratio unit = relative(candidate);
  note({round_.effect_call, old, candidate, unit, trials, Switch::Why::faster});
  const Ratio base = std::max<Ratio>(standings_[candidate].median(), 1);
  for (Standing& standing : standings_) standing.rebase(base);
  choice_ = candidate;
  reference_ns_ = std::max<uint64_t>(scaled(reference_ns_, unit), 1);
  reference_rounds_ = 1;
  suspicions_ = 0;
  calm_ = 0;
  // The old choice has to be compared with the new one in the same rounds: if the switch was a mistake, it
  // comes back. From few trials the ratios of the others cannot be converted either.
  for (uint32_t other = 0; other < standings_.size(); ++other) {
    const bool is_unsure = other == old || (trials < k_sure_trials && other != candidate);
    if (is_unsure && !standings_[other].is_dropped) standings_[other].reopen();
  }
}

void Race::note(const Switch& event) {
  if (switches_.size() < k_most_switches) switches_.push_back(event);
}

}  // namespace tutti::select
