#include "collective/call_site.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "base/clock.hpp"

namespace tutti::collective {

using select::ServedCall;

CallSite::CallSite(AgreementEndpoint& endpoint, uint32_t number, const select::SiteShape& shape,
                   std::vector<select::Candidate> candidates, const select::TunerOptions& options,
                   bool measures_periods)
    : endpoint_(endpoint),
      shape_(shape),
      tuner_(std::move(candidates), options),
      agreement_(endpoint, number),
      measures_periods_(measures_periods) {}

/// Also drives the pending agreement if no thread does so.
std::optional<ServedCall> CallSite::try_next(uint64_t now_ns) {
  if (tuner_.is_agreeing() && agreement_.is_done()) tuner_.agreed(agreement_.all(), agreement_.arrivals());
  if (tuner_.must_agree()) return std::nullopt;
  tuner_.advance();
  if (tuner_.wants_candidates()) return std::nullopt;
  const auto rank = static_cast<uint32_t>(endpoint_.group().rank);
  if (const auto mine = tuner_.next_measured(now_ns, rank, endpoint_.process().clock()))
    agreement_.begin(*mine);
  if (tuner_.must_agree()) return std::nullopt;
  return tuner_.begin(now_ns);
}

ServedCall CallSite::next(const std::function<bool()>& enable_candidates) {
  const std::lock_guard lock(mutex_);
  const uint64_t now_ns = base::monotonic_ns();
  if (returned_) {
    returned_->sample.between_ns = now_ns - returned_->at_ns;
    tuner_.end(returned_->served_call, returned_->sample);
    returned_.reset();
  }
  for (;;) {
    if (const auto served_call = try_next(now_ns)) return *served_call;
    if (tuner_.wants_candidates())
      tuner_.enable_candidates(enable_candidates());
    else
      agreement_.wait();
  }
}

void CallSite::take_back(const ServedCall& served_call) {
  const std::lock_guard lock(mutex_);
  tuner_.take_back(served_call);
}

uint32_t CallSite::skip_native_calls() {
  constexpr uint64_t k_most = uint64_t{1} << 20;
  const std::lock_guard lock(mutex_);
  if (!tuner_.candidate(tuner_.scheduler().choice()).is_native()) return 0;
  return static_cast<uint32_t>(tuner_.skip_quiet_calls(k_most));
}

std::optional<ServedCall> CallSite::next_at_once() {
  const std::lock_guard lock(mutex_);
  std::optional<ServedCall> served_call;
  if (held_back_ == 0) served_call = try_next(base::monotonic_ns());
  if (!served_call) ++held_back_;
  return served_call;
}

std::optional<ServedCall> CallSite::next_held_back() {
  const std::lock_guard lock(mutex_);
  const auto served_call = try_next(base::monotonic_ns());
  if (served_call) --held_back_;
  return served_call;
}

void CallSite::end(const ServedCall& served_call, const select::Sample& sample) {
  const std::lock_guard lock(mutex_);
  if (measures_periods_) {
    returned_ = {served_call, sample, base::monotonic_ns()};
    return;
  }
  tuner_.end(served_call, sample);
}

std::unique_lock<std::mutex> CallSite::lock_within_patience() const {
  constexpr uint64_t k_patience_ns = 50'000'000;
  std::unique_lock lock(mutex_, std::try_to_lock);
  const uint64_t start_ns = base::monotonic_ns();
  while (!lock.owns_lock() && base::monotonic_ns() - start_ns < k_patience_ns) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    static_cast<void>(lock.try_lock());
  }
  return lock;
}

}  // namespace tutti::collective
