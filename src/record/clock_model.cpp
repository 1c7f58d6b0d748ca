#include "record/clock_model.hpp"

#include <algorithm>

namespace tutti::record {

namespace {

constexpr uint64_t k_million = 1'000'000;

uint64_t distance(uint64_t a, uint64_t b) {
  return a > b ? a - b : b - a;
}

}  // namespace

ClockModel::ClockModel(std::span<const ClockSample> samples, bool is_reference)
    : samples_(samples.begin(), samples.end()), is_reference_(is_reference) {
  std::ranges::stable_sort(samples_, {}, &ClockSample::at_ns);
}

int64_t ClockModel::at(uint64_t machine_ns) const {
  const auto own = static_cast<int64_t>(machine_ns);
  if (samples_.empty()) return own;
  const auto after = std::ranges::upper_bound(samples_, machine_ns, {}, &ClockSample::at_ns);
  if (after == samples_.begin()) return own + samples_.front().offset_ns;
  const ClockSample& before = *std::prev(after);
  if (after == samples_.end() || after->at_ns == before.at_ns) return own + before.offset_ns;
  const double part =
      static_cast<double>(machine_ns - before.at_ns) / static_cast<double>(after->at_ns - before.at_ns);
  return own + before.offset_ns +
         static_cast<int64_t>(part * static_cast<double>(after->offset_ns - before.offset_ns));
}

uint64_t ClockModel::error_ns(uint64_t machine_ns) const {
  if (is_reference_) return 0;
  if (samples_.empty()) return k_unknown_ns;
  const auto after = std::ranges::upper_bound(samples_, machine_ns, {}, &ClockSample::at_ns);
  const bool is_between = after != samples_.begin() && after != samples_.end();
  if (!is_between) {
    const ClockSample& nearest = after == samples_.begin() ? samples_.front() : samples_.back();
    return nearest.error_ns + distance(machine_ns, nearest.at_ns) / k_million * k_drift_per_million;
  }
  const ClockSample& before = *std::prev(after);
  const uint64_t away = std::min(machine_ns - before.at_ns, after->at_ns - machine_ns);
  return std::max(before.error_ns, after->error_ns) + away / k_million * k_wander_per_million;
}

}  // namespace tutti::record
