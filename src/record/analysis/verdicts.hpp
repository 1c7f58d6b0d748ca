#pragma once
// Verdicts on a run: what costs time, in sentences for the user, and what to do about it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/analysis/analysis.hpp"
#include "record/analysis/symbols.hpp"

namespace tutti::record::analysis {

enum class Fault : uint8_t {
  unfinished,
  slow_rank,
  slow_node,
  late_at_times,
  moving_imbalance,
  slow_transfer,
  wrong_algorithm,
  mostly_transfer,
  cannot_tell,
  nothing_wrong
};
std::string_view to_string(Fault fault);  // "slow_rank", …

struct Verdict {
  Fault fault = Fault::nothing_wrong;
  std::string text;             // one sentence
  std::string advice;           // one sentence
  std::vector<uint32_t> ranks;  // ranks to blame, the worst first
  std::optional<uint32_t> node;
  std::optional<size_t> site;  // index in Analysis::sites
  double share = 0;            // share of the time of all ranks that the fault costs
  bool can_be_spread = false;  // the same work spread evenly would have taken without_lateness_ns()
};

/// Thresholds, as shares of the time of all ranks.
inline constexpr double k_waiting_that_matters = 0.05;
inline constexpr double k_moving_that_matters = 0.10;
inline constexpr double k_transfer_that_matters = 0.10;
/// Share of the waiting from which one rank or node is to blame.
inline constexpr double k_share_to_blame = 0.5;
/// A candidate is better if it takes at most this share of the time.
inline constexpr double k_better = 0.8;
/// A rank's usual work takes longer, not only now and then: the delay corresponds to an equal one in at least this
/// share of the calls. The second value is for waits for messages, of which many belong to the same work.
inline constexpr double k_steady = 0.4, k_steady_messages = 0.05;
/// The same for all ranks together.
inline constexpr double k_steady_together = 0.2;
/// Share of the waiting for work from which one rank alone is late at times.
inline constexpr double k_share_alone = 0.8;
/// Transfers are slow if they take this many times the best one seen.
inline constexpr double k_slow = 3;

/// Share of transfer, with no rank late, from which the run is dominated by MPI.
inline constexpr double k_transfer_that_rules = 0.5;
/// A bad choice is reported before late ranks if it costs this many times as much.
inline constexpr double k_far_more = 2;

/// Threshold for calls for which it is unknown whether they wait; share of the time of all ranks.
inline constexpr double k_unknown_that_matters = 0.1;

/// The verdicts, worst first. nothing_wrong, cannot_tell and mostly_transfer are returned alone; `unfinished` is never
/// returned (ending.hpp). `against`: another run of the program, whose choices may have been better; nullptr: none.
std::vector<Verdict> verdicts_of(const Analysis& analysis, const Analysis* against, Symbols* symbols);

/// Reason why the rank was late that most of the waiting at the site is for: "rank 3 takes 12.0 ms after the call in …
/// where others take …".
struct Cause {
  std::string text;
  uint32_t rank = 0;
  uint64_t gap_ns = 0, typical_gap_ns = 0;
};
/// Returns nullopt if the reason is unknown, or if the rank became late elsewhere.
std::optional<Cause> cause_of(const Analysis& analysis, const Site& site, Symbols* symbols);

/// "12.1 ms", "350 us", "2.50 s".
std::string duration_text(double ns);
inline std::string duration_text(uint64_t ns) {
  return duration_text(static_cast<double>(ns));
}
/// "bcast in solve (solver.c:120)".
std::string site_text(const Analysis& analysis, const Site& site, Symbols* symbols);

}  // namespace tutti::record::analysis
