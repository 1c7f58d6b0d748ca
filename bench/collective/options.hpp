#pragma once
// The command line of the collective benchmark.

#include <cstdint>
#include <string>
#include <vector>

namespace tutti::bench {

struct Options {
  std::vector<std::string> collectives;
  uint64_t min_bytes = 8, max_bytes = uint64_t{4} << 20;
  std::vector<uint64_t> sizes;  // wins over min and max when given
  int repetitions = 11;
  uint64_t batch_bytes = 32 << 10;  // small calls are timed in batches of about this many bytes
  int max_batch = 64;
  bool verify = true;
  std::string csv_file, json_file;

  std::string arrivals;          // pattern or file (arrival/pattern.hpp); empty: all calls begin together
  std::string delay = "sleep";   // how ranks come late: sleep or spin
  uint64_t seed = 1;             // of arrivals
  int calls = 10, warm_up = 10;  // of each side: in a repetition, and before the first one

  /// The sizes to measure: as given, or powers of two.
  std::vector<uint64_t> all_sizes() const;
};

/// Fills *options. Returns true to go on; otherwise *exit_status is set and help or one line of error was
/// printed (by the caller's rank 0 only, when `speaks`).
bool parse_options(int argc, char** argv, bool speaks, Options* options, int* exit_status);

}  // namespace tutti::bench
