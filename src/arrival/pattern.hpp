#pragma once
// Arrival patterns: the delay of each process in each call of a collective, by name and parameters or measured, and
// random draws from them (paper 000 §2.1: U[0, k]; §4.1: Fig. 11). Pure, except load_pattern(); any thread.
//
//   none                     all simultaneous
//   uniform:5ms              U[0, 5 ms], the paper's k
//   exponential:5ms          the mean is 5 ms
//   normal:15ms,5ms          mean and standard deviation; negative values become 0
//   normal:5ms               the same: the mean is three deviations, which leaves 0.13 % below 0
//   straggler:rank=3,20ms    rank 3 arrives 20 ms after all others
//   one-late:20ms            one rank does, another one in each call
//   ascending:20ms           by rank, the last one 20 ms after the first
//   halves:20ms              the odd ranks 20 ms after the even ones
//   FILE                     measured: recording.hpp

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "arrival/recording.hpp"
#include "base/status.hpp"

namespace tutti::arrival {

enum class Kind : uint8_t {
  none,
  uniform,
  exponential,
  normal,
  straggler,
  one_late,
  ascending,
  halves,
  recorded,
};

/// Names as in the table above; "recorded" for a file.
std::string_view to_string(Kind kind);

struct Pattern {
  Kind kind = Kind::none;
  uint64_t spread_ns = 0;  // duration of the pattern; standard deviation of normal; at most k_longest_ns
  uint64_t mean_ns = 0;    // of normal; at most k_longest_ns
  uint32_t rank = 0;       // of straggler
  std::shared_ptr<const Recording> recording;  // of recorded; otherwise nullptr
};

/// Parses a pattern by name, not a file. Error: invalid_argument, one line.
base::Result<Pattern> parse_pattern(std::string_view text);

/// Parses a pattern by name; other texts are names of files to read. Errors: one line; errors in a file include the
/// position.
base::Result<Pattern> load_pattern(const std::string& text);

/// Text that parse_pattern() parses to the same pattern; for a recorded one the name of its file.
std::string to_text(const Pattern& pattern);

/// Checks whether the pattern fits `ranks` processes. Error: invalid_argument, one line: the rank does not exist, or
/// the recording has another number of ranks.
base::Status check(const Pattern& pattern, uint32_t ranks);

struct Who {
  uint32_t rank = 0, ranks = 1;  // rank < ranks
};

/// Delay of `who` in call number `call` after the common start, in nanoseconds; at least 0. Deterministic on all
/// machines. `pattern` must pass check() for these ranks.
double delay_ns(const Pattern& pattern, uint64_t seed, Who who, uint32_t call);

}  // namespace tutti::arrival
