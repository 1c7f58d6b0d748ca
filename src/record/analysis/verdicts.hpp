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
  moving_imbalance,
  slow_transfer,
  wrong_algorithm,
  nothing_wrong
};
std::string_view to_string(Fault fault);  // "slow_rank", …

struct Verdict {
  Fault fault = Fault::nothing_wrong;
  std::string text;    // a sentence
  std::string advice;  // another one
  std::optional<uint32_t> rank, node;
  std::optional<size_t> site;  // in Analysis::sites
  double share = 0;            // of the time of all ranks that it costs
};

/// What each threshold is, as a part of the time of all ranks.
inline constexpr double k_waiting_that_matters = 0.05;
inline constexpr double k_moving_that_matters = 0.10;
inline constexpr double k_transfer_that_matters = 0.10;
/// Of the waiting: one rank or node is to blame.
inline constexpr double k_share_to_blame = 0.5;
/// A candidate is better that takes this part of the time.
inline constexpr double k_better = 0.8;
/// Transfers are slow that take so many times the best seen.
inline constexpr double k_slow = 3;

/// Worst first; nothing_wrong alone; `unfinished` is not among them (ending.hpp). `against`: another run of the program
/// whose choices may have been better; nullptr: none.
std::vector<Verdict> verdicts_of(const Analysis& analysis, const Analysis* against, Symbols* symbols);

/// What made the rank late at the site: "rank 3 computes 12.0 ms longer than others after allreduce …"; empty: unknown.
std::string cause_of(const Analysis& analysis, const Site& site, Symbols* symbols);

/// "12.1 ms", "350 us", "2.50 s".
std::string duration_text(double ns);
inline std::string duration_text(uint64_t ns) {
  return duration_text(static_cast<double>(ns));
}
/// "bcast in solve (solver.c:120)".
std::string site_text(const Analysis& analysis, const Site& site, Symbols* symbols);

}  // namespace tutti::record::analysis
