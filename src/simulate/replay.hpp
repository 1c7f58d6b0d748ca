#pragma once
// Replays a recorded run: the computation between collective calls takes its recorded time, and the calls take their
// simulated time on another machine, with other algorithms, or without lateness. Not thread-safe.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arrival/broadcast.hpp"
#include "simulate/collective.hpp"
#include "simulate/recorded_call.hpp"

namespace tutti::simulate {

/// Differences from the recorded run.
struct Change {
  std::array<std::optional<algorithm::Choice>, algorithm::k_collective_count> choices;  // by collective
  arrival::Leader leader = arrival::Leader::fixed;  // for calls that support it
  /// Distributes the work before each call evenly over its ranks.
  bool without_lateness = false;
  /// Multiplies the numbers of ranks and nodes, with the same work per rank. A communicator of all ranks grows; others
  /// are replicated.
  uint32_t times = 1;
};

class Replay {
 public:
  /// `node_of_rank`: of the recorded run.
  Replay(std::vector<uint32_t> node_of_rank, const Machine& machine, Change change);

  /// Adds a call; each rank's calls must be added in their order. Errors: as measure().
  base::Status add(const RecordedCall& call, const AskToStop& stops = {});

  struct Times {
    double run_ns = 0;     // until the last rank has left its last call
    double inside_ns = 0;  // in collective calls, mean over ranks
    uint64_t simulated = 0, kept = 0;
  };
  Times times() const;

 private:
  struct Kind {
    algorithm::Collective collective;
    uint64_t bytes;
    schedule::Rank root;
    std::vector<uint32_t> members;
    std::string choice;
    auto operator<=>(const Kind&) const = default;
  };

  base::Status add_copy(const RecordedCall& call, std::span<const uint32_t> members, uint32_t copies,
                        const AskToStop& stops);
  base::Result<PreparedCall*> prepared(const RecordedCall& call, std::span<const uint32_t> members);
  base::Result<PreparedCall> prepare(const RecordedCall& call, const topology::Topology& topology) const;
  topology::Topology topology_of(std::span<const uint32_t> members) const;

  const std::vector<uint32_t> node_of_rank_;
  uint32_t nodes_ = 0;
  const Machine machine_;
  const Costs costs_;
  const Change change_;
  std::unique_ptr<interconnect::NetworkTopology> links_;
  base::Status links_status_;
  std::map<Kind, PreparedCall> known_;
  std::vector<double> now_ns_, inside_ns_;  // by rank
  uint64_t simulated_ = 0, kept_ = 0;
};

}  // namespace tutti::simulate
