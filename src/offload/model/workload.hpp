#pragma once
// The work of the nodes of a simulation: one collective, repeated, in one or several communicators, with a
// pattern of arrival times. Pure except for Journal; any thread.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "arrival/pattern.hpp"
#include "base/status.hpp"
#include "offload/descriptor.hpp"
#include "offload/network/network.hpp"
#include "pattern/dissemination.hpp"

namespace tutti::offload::model {

enum class EngineChoice : uint8_t {
  offload,   // the NIC executes descriptors
  software,  // the host sends and receives every message itself
};

struct Workload {
  uint32_t nodes = 128;
  EngineChoice engine = EngineChoice::offload;
  uint32_t radix = 3;  // 2 … 16
  /// For barriers; symmetric needs an odd radix.
  pattern::DisseminationShape shape = pattern::DisseminationShape::symmetric;
  /// True: the sends of a round are ordered by path length, the longest first. False: they are in the order
  /// of the pattern. Applies to both engines.
  bool farthest_first = true;

  Operator op = Operator::none;  // not none: an allreduce instead of a barrier (offload only)
  ElementType type = ElementType::int64;
  uint8_t elements = 1;

  uint32_t repeats = 1;        // number of collectives per node
  uint32_t communicators = 1;  // used in turn; each has a barrier id
  uint32_t window = 1;         // maximum number in flight per node; 1 is a blocking barrier
  uint32_t first_epoch = 0;
  /// Delay until hosts arrive at a collective, after they have left the previous one (or started).
  arrival::Pattern arrivals;
  uint64_t seed = 1;

  bool from_memory = false;  // SDQ instead of HDQ
  Completion completion = Completion::queue_entry;
  bool through_mpi = false;  // software: messages by MPI rather than by the NIC's user library
  double background = 0;     // share of every node's link used by RDMA transfers to random nodes; [0, 1)
  uint32_t background_bytes = 1024;
  network::Faults faults;
};

/// Error: invalid_argument, one line: a number out of its range, or an unsupported combination.
base::Status check(const Workload& workload);

/// Time that `node` computes before it arrives at collective `which`, in nanoseconds.
double delay_ns(const Workload& workload, uint32_t node, uint32_t which);

/// Returns the descriptor of collective `which` at `node` with the rounds `rounds`.
Descriptor descriptor_of(const Workload& workload, uint32_t node, uint32_t which, std::vector<Round> rounds);

/// Operand of an allreduce, derived from seed, collective, node and element; small whole numbers and
/// fractions.
std::array<uint64_t, k_most_elements> operand_of(const Workload& workload, uint32_t node, uint32_t which);

/// Times of one collective over all nodes, in cycles.
struct CollectiveRecord {
  uint64_t first_arrival = UINT64_MAX, last_arrival = 0;
  uint64_t first_report = UINT64_MAX;                           // by an engine
  uint64_t first_completion = UINT64_MAX, last_completion = 0;  // seen by programs
  uint32_t arrived = 0, completed = 0;
  std::array<uint64_t, k_most_elements> result{};  // of the first node that has one
};

/// Records the events of a run and checks them. Nodes may report in any order.
class Journal {
 public:
  explicit Journal(const Workload& workload) : workload_(workload), records_(workload.repeats) {}

  void arrives(uint32_t which, uint64_t cycle);
  /// The engine reports completion: every node must have arrived.
  void reports(uint32_t which, uint64_t cycle);
  /// The program sees the completion; `result` may be empty.
  void completes(uint32_t which, uint64_t cycle, std::span<const uint64_t> result);
  /// An engine refused a descriptor, or reported an unknown completion.
  void goes_wrong() { ++wrong_; }
  void spends(uint64_t cpu_cycles) { cpu_cycles_ += cpu_cycles; }

  bool is_complete() const { return done_ == uint64_t{workload_.nodes} * workload_.repeats; }
  uint64_t done() const { return done_; }
  const std::vector<CollectiveRecord>& records() const { return records_; }
  /// Collectives that an engine reported before all nodes had arrived: must be 0.
  uint64_t early() const;
  /// Results that differ from that of the first node: must be 0.
  uint64_t differing() const { return differing_; }
  uint64_t wrong() const { return wrong_; }
  uint64_t cpu_cycles() const { return cpu_cycles_; }  // of hosts, for collectives

 private:
  const Workload& workload_;
  std::vector<CollectiveRecord> records_;
  uint64_t done_ = 0, differing_ = 0, wrong_ = 0, cpu_cycles_ = 0;
};

}  // namespace tutti::offload::model
