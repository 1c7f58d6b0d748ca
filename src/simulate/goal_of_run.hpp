#pragma once
// A recorded run as a GOAL program: what each rank computed between its collective calls, and the messages of these.

#include <cstdint>
#include <memory>
#include <vector>

#include "simulate/goal.hpp"
#include "simulate/recorded_call.hpp"

namespace tutti::simulate {

inline constexpr uint64_t k_most_goal_operations = uint64_t{1} << 25;  // some gigabytes

class GoalOfRun {
 public:
  /// `node_of_rank`: of the run. `machine`: decides about algorithms where the native MPI served a call, and what
  /// copies and reductions cost.
  GoalOfRun(std::vector<uint32_t> node_of_rank, Machine machine);

  /// Calls come in the order in which each rank made them. Errors: those of choice_again(); not_supported: more than
  /// k_most_goal_operations.
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
  std::unique_ptr<interconnect::Topology> links_;
  base::Status links_status_;
  GoalProgram program_;
  /// By rank: what the next operation waits for.
  std::vector<std::vector<uint32_t>> last_;
  uint64_t operations_ = 0;
};

}  // namespace tutti::simulate
