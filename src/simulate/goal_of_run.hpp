#pragma once
// Converts a recorded run to a GOAL program: the computation of each rank between its collective calls, and the
// messages of these calls.

#include <cstdint>
#include <memory>
#include <vector>

#include "simulate/goal.hpp"
#include "simulate/recorded_call.hpp"

namespace tutti::simulate {

inline constexpr uint64_t k_most_goal_operations = uint64_t{1} << 25;  // some gigabytes

class GoalOfRun {
 public:
  /// `node_of_rank`: of the run. `machine`: determines the algorithms of calls that the native MPI served, and the
  /// costs of copies and reductions.
  GoalOfRun(std::vector<uint32_t> node_of_rank, Machine machine);

  /// Adds a call; each rank's calls must be added in their order. Errors: those of choice_again(); not_supported: more
  /// than k_most_goal_operations.
  base::Status add(const RecordedCall& call);

  const GoalProgram& program() const { return program_; }

 private:
  void begin(uint32_t rank, uint64_t gap_ns);
  uint32_t add_operation(uint32_t rank, GoalOperation operation);
  void add_schedule(const RecordedCall& call, size_t member, const schedule::Schedule& schedule,
                    const topology::Topology& topology);
  GoalOperation operation_of(const schedule::Task& task, const RecordedCall& call,
                             const topology::Topology& topology) const;

  const std::vector<uint32_t> node_of_rank_;
  const Machine machine_;
  std::unique_ptr<interconnect::NetworkTopology> links_;
  base::Status links_status_;
  GoalProgram program_;
  /// By rank: the operations that the next one depends on.
  std::vector<std::vector<uint32_t>> last_;
  uint64_t operations_ = 0;
};

}  // namespace tutti::simulate
