#pragma once
// What is wrong with a run, in words, and what to do about it.

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
  std::string text;             // a sentence
  std::string advice;           // another one
  std::vector<uint32_t> ranks;  // that are to blame, the worst first
  std::optional<uint32_t> node;
  std::optional<size_t> site;  // in Analysis::sites
  double share = 0;            // of the time of all ranks that it costs
  bool can_be_spread = false;  // the same work, evenly: the run would have taken without_lateness_ns()
};

/// What each threshold is, as a part of the time of all ranks.
inline constexpr double k_waiting_that_matters = 0.05;
inline constexpr double k_moving_that_matters = 0.10;
inline constexpr double k_transfer_that_matters = 0.10;
/// Of the waiting: one rank or node is to blame.
inline constexpr double k_share_to_blame = 0.5;
/// A candidate is better that takes this part of the time.
inline constexpr double k_better = 0.8;
/// A rank's work takes longer, and not only now and then: as if it were longer in this part of the calls at least, by
/// the same time in each. Of waits for messages, of which many belong to the same work.
inline constexpr double k_steady = 0.4, k_steady_messages = 0.05;
/// The same of all ranks together.
inline constexpr double k_steady_together = 0.2;
/// Of what is waited for work: one rank alone is late at times.
inline constexpr double k_share_alone = 0.8;
/// Transfers are slow that take so many times the best seen.
inline constexpr double k_slow = 3;

/// No rank is late: the run is MPI.
inline constexpr double k_transfer_that_rules = 0.5;
/// A bad choice comes before late ranks if it costs so many times as much.
inline constexpr double k_far_more = 2;

/// Of the time of all ranks, in calls of which nobody knows whether they wait.
inline constexpr double k_unknown_that_matters = 0.1;

/// Worst first; nothing_wrong, cannot_tell and mostly_transfer alone; `unfinished` is not among them (ending.hpp).
/// `against`: another run of the program whose choices may have been better; nullptr: none.
std::vector<Verdict> verdicts_of(const Analysis& analysis, const Analysis* against, Symbols* symbols);

/// What made the rank late that most of the waiting at the site is for: "rank 3 takes 12.0 ms after the call in … where
/// others take …".
struct Cause {
  std::string text;
  uint32_t rank = 0;
  uint64_t gap_ns = 0, typical_gap_ns = 0;
};
/// nullopt: unknown, or it became late elsewhere.
std::optional<Cause> cause_of(const Analysis& analysis, const Site& site, Symbols* symbols);

/// "12.1 ms", "350 us", "2.50 s".
std::string duration_text(double ns);
inline std::string duration_text(uint64_t ns) {
  return duration_text(static_cast<double>(ns));
}
/// "bcast in solve (solver.c:120)".
std::string site_text(const Analysis& analysis, const Site& site, Symbols* symbols);

}  // namespace tutti::record::analysis
