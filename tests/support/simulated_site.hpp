#pragma once
// A call site on many simulated ranks: every rank has a Tuner of its own, measures on its own, and receives
// what all measured when it pleases the test. What a call costs is the test's business.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "algorithm/catalogue.hpp"
#include "select/tuner.hpp"

namespace tutti::support {

inline constexpr double k_ms = 1e6;  // in ns

/// `count` different candidates; the native MPI is at `native`.
inline std::vector<select::Candidate> some_candidates(size_t count, size_t native) {
  std::vector<select::Candidate> candidates;
  for (uint32_t radix = 2; candidates.size() < count; ++radix) {
    select::Candidate candidate;
    if (candidates.size() != native) {
      candidate.choice.algorithm = algorithm::find(algorithm::Collective::alltoall, "bruck");
      candidate.choice.parameters.values[0] = radix;
    }
    candidates.push_back(candidate);
  }
  return candidates;
}

class SimulatedSite {
 public:
  /// The cost of call `call` on rank `rank` if `candidate` serves it.
  using Cost = std::function<select::Sample(uint32_t candidate, size_t rank, uint64_t call)>;

  SimulatedSite(size_t ranks, const std::vector<select::Candidate>& candidates,
                const select::TunerOptions& options, Cost cost)
      : cost_(std::move(cost)) {
    for (size_t rank = 0; rank < ranks; ++rank) ranks_.emplace_back(candidates, options);
  }

  /// Every rank makes `count` calls, in step.
  void run(uint64_t count) {
    for (uint64_t i = 0; i < count; ++i)
      for (size_t rank = 0; rank < ranks_.size(); ++rank) ASSERT_TRUE(step(rank)) << "rank " << rank;
  }

  /// The next call of one rank. False: it has to wait for what other ranks measured.
  bool step(size_t rank) {
    Rank& self = ranks_[rank];
    if (self.tuner.must_agree() && !deliver(rank)) return false;
    self.tuner.advance();
    if (self.tuner.wants_candidates()) self.tuner.enable_candidates(can_serve);
    const auto who = static_cast<uint32_t>(rank);
    if (const auto mine = self.tuner.next_measured(self.clock_ns, who, clock)) contribute(rank, *mine);
    const select::ServedCall served_call = self.tuner.begin(self.clock_ns);
    remember(served_call);
    const select::Sample sample = cost_(served_call.candidate, rank, served_call.call);
    self.clock_ns += sample.total_ns() + outside_ns;
    self.open.push_back({served_call, sample});
    while (self.open.size() > in_flight) {
      self.tuner.end(self.open.front().first, self.open.front().second);
      self.open.pop_front();
    }
    return true;
  }

  /// Hands a rank what all ranks measured if that is complete. False: it is not.
  bool deliver(size_t rank) {
    Rank& self = ranks_[rank];
    if (!self.tuner.is_agreeing()) return false;
    Reduction& reduction = reductions_[self.delivered];
    if (reduction.measured.size() < ranks_.size()) return false;
    ++self.delivered;
    select::Arrivals arrivals;
    const select::Arrivals* known = reduction.measured.front().has_arrivals ? &arrivals : nullptr;
    if (known != nullptr)
      for (const select::Measured& mine : reduction.measured) arrivals.add(mine.arrivals());
    select::RoundMeasurements all;
    for (const select::Measured& mine : reduction.measured) all.add(mine.measurements(known));
    self.tuner.agreed(all, known);
    return true;
  }

  const select::Tuner& tuner(size_t rank = 0) const { return ranks_[rank].tuner; }
  size_t rank_count() const { return ranks_.size(); }
  /// The candidate that served each call; the ranks have been checked to agree.
  const std::vector<select::ServedCall>& served_calls() const { return served_calls_; }
  uint32_t choice() const { return ranks_[0].tuner.scheduler().choice(); }
  size_t agreements() const { return reductions_.size(); }
  uint64_t elapsed_ns() const { return ranks_[0].clock_ns; }

  uint64_t outside_ns = 0;                                   // computation between two calls
  select::CommonClock clock{.offset_ns = 0, .error_ns = 0};  // of all ranks
  bool can_serve = true;                                     // disabled candidates can serve calls
  size_t in_flight = 0;  // calls that have begun and not completed, besides the latest

 private:
  struct Rank {
    Rank(const std::vector<select::Candidate>& candidates, const select::TunerOptions& options)
        : tuner(candidates, options) {}
    select::Tuner tuner;
    uint64_t clock_ns = 1'000'000;
    size_t given = 0, delivered = 0;
    std::deque<std::pair<select::ServedCall, select::Sample>> open;
  };
  struct Reduction {
    uint64_t call = 0;
    std::vector<select::Measured> measured;  // by the ranks, in the order in which they came
  };

  void contribute(size_t rank, const select::Measured& mine) {
    Rank& self = ranks_[rank];
    const uint64_t call = self.tuner.call_count();
    if (self.given == reductions_.size()) reductions_.push_back({.call = call});
    Reduction& reduction = reductions_[self.given++];
    ASSERT_EQ(reduction.call, call) << "rank " << rank << " reduces at another call";
    reduction.measured.push_back(mine);
  }

  void remember(const select::ServedCall& served_call) {
    if (served_call.call == served_calls_.size()) served_calls_.push_back(served_call);
    ASSERT_LT(served_call.call, served_calls_.size());
    ASSERT_EQ(served_calls_[served_call.call].candidate, served_call.candidate)
        << "call " << served_call.call;
    ASSERT_EQ(served_calls_[served_call.call].is_trial, served_call.is_trial) << "call " << served_call.call;
  }

  Cost cost_;
  std::vector<Rank> ranks_;
  std::deque<Reduction> reductions_;
  std::vector<select::ServedCall> served_calls_;
};

/// Costs around given ones: a few percent of noise, now and then a call that takes several times as long.
class Noise {
 public:
  Noise(uint32_t seed, double spread, double hiccup_share)
      : random_(seed), spread_(spread), share_(hiccup_share) {}

  uint64_t around(double ns) {
    const double factor = std::exp(spread_ * normal_(random_));
    return static_cast<uint64_t>(ns * factor * (uniform_(random_) < share_ ? 4 : 1));
  }
  double uniform(double least, double most) { return least + (most - least) * uniform_(random_); }

 private:
  std::mt19937 random_;
  double spread_, share_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_{0, 1};
};

}  // namespace tutti::support
