#pragma once
// Log that a run with TUTTI_OVERLAP=trace writes, one file per rank (paper 002, section 5.1.1):
//
//   {"schema": 1, "rank": 0, "ranks": 2, "left_out": 0, "calls": [
//     {"collective": "alltoall", "bytes": 4194304, "blocks": 2, "communicator": 1, "transfer_ns": 35100000,
//      "first_use_ns": ["own", 12000, 1180000, null, …]}]}
//
// `bytes`: as in select::bytes_of_interest(), missing if only some ranks know it. `first_use_ns`: for each part of the
// result, time from the return of the call to the first use; null: not used before the next call with data; "own":
// comes from the rank itself.

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "select/access_orders.hpp"

namespace tutti::select {

struct TracedCall {
  algorithm::Collective collective = algorithm::Collective::alltoall;
  std::optional<uint64_t> bytes;
  schedule::Rank blocks = 1;  // of the result
  uint32_t communicator = 0;
  AccessRecord record;
};

/// The log of one rank. Any thread.
class AccessLog {
 public:
  static constexpr size_t k_most_calls = 10'000;

  /// Stores the call; beyond k_most_calls it is only counted.
  void add(TracedCall call);
  std::string to_json(int rank, int rank_count) const;

 private:
  mutable std::mutex mutex_;
  std::vector<TracedCall> calls_;
  uint64_t left_out_ = 0;
};

/// A log that was read from a file.
struct ReadAccessLog {
  int rank = 0, rank_count = 1;
  uint64_t left_out = 0;
  std::vector<TracedCall> calls;
};

/// Checks that every record has the number of parts that its blocks require. Error: invalid_argument, what is wrong.
base::Result<ReadAccessLog> parse_access_log(std::string_view text);

/// File name in the folder of a run: "access.3.json".
std::string access_log_name(int rank);

}  // namespace tutti::select
