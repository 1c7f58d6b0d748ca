#pragma once
// The command line of the overlap benchmark.

#include <cstdint>
#include <string>
#include <vector>

namespace tutti::bench {

/// What the program computes between the start of a collective and its wait.
struct ComputationOptions {
  bool asleep = true, busy = false;
  std::vector<uint64_t> vector_lengths = {100'000};  // of busy computations, in doubles
  bool openmp = false;                               // also with all threads of OpenMP
  uint64_t products =
      0;  // vector products in a busy computation; 0: as many as last as long as the blocking call
  double microseconds = 0;  // of every computation; 0: as long as the blocking native call takes
  int tests = 0;            // calls of MPI_Test in between
};

struct OverlapOptions {
  std::vector<std::string> collectives;
  std::vector<uint64_t> sizes = {65536, 262144, 1048576, 4194304};
  ComputationOptions computation;
  int repetitions = 11;
  int warm_up_calls = 0;             // of each kind and beside each computation, before anything is timed
  uint64_t batch_bytes = 512 << 10;  // small calls are timed in batches of about this many bytes
  int cores = 0;                     // that all ranks share; 0: as many as their nodes have
  bool verify = true;
  std::string json_file;
};

/// Fills *options. Returns true to go on; otherwise *exit_status is set and help or one line of error was
/// printed (by the caller's rank 0 only, when `speaks`).
bool parse_options(int argc, char** argv, bool speaks, OverlapOptions* options, int* exit_status);

}  // namespace tutti::bench
