#pragma once
// The command line of the program behind `tutti tune`.

#include <cstdint>
#include <string>
#include <vector>

#include "bench/overlap/options.hpp"
#include "select/candidate.hpp"

namespace tutti::bench {

struct TuneOptions {
  std::vector<std::string> collectives;
  std::vector<uint64_t> sizes = {4096, 16384, 65536, 262144, 1048576, 4194304};
  std::vector<select::CallInterface> kinds = {select::CallInterface::blocking};
  double seconds = 10;  // at most, for each call site
  int calls = 2000;     // at most; by then all candidates have been tried often enough
  ComputationOptions computation = {.asleep = false, .busy = true};  // between start and wait
  std::string rules_file;                                            // where it is kept what is learned

  bool wants(select::CallInterface kind) const;
};

/// Fills *options. Returns true to continue; otherwise sets *exit_status, and *message to the text for the user: help
/// if the status is 0. Independent of MPI.
bool parse_options(int argc, char** argv, TuneOptions* options, int* exit_status, std::string* message);

}  // namespace tutti::bench
