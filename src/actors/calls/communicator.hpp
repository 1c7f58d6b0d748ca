#pragma once
// A communicator of one rank.

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "actors/calls/attributes.hpp"
#include "actors/calls/error_handler.hpp"
#include "actors/calls/foreign_fields.hpp"
#include "record/operation_counter.hpp"

namespace tutti::actors {

struct Cartesian {
  std::vector<int> dims, periods;  // slowest dimension first
};
struct Graph {
  std::vector<int> index, edges;
};
struct DistributedGraph {
  std::vector<int> sources, source_weights, destinations, destination_weights;
  bool is_weighted = false;
};

/// Kinds of traffic that never match each other: a communicator has a context for each.
enum class Traffic : uint8_t { point_to_point, collective, neighbours, creation, group_creation, agreement };
inline constexpr uint64_t k_contexts_each = 8;

/// The contexts that one rank assigns to communicators, number 0 being its MPI_COMM_SELF. No other rank
/// assigns them, and MPI_COMM_WORLD has context 0, so no agreement is needed.
constexpr uint64_t context_of(int world_rank, uint64_t number) {
  return (static_cast<uint64_t>(world_rank) + 1) << 40 | number * k_contexts_each;
}

/// Base class of an object that a communicator owns.
class CommunicatorState {
 public:
  virtual ~CommunicatorState() = default;
};

/// The members of a communicator.
struct Members {
  std::vector<int> ranks;             // ranks in MPI_COMM_WORLD
  int me = 0;                         // the rank whose communicator it is
  MPI_Group world = MPI_GROUP_EMPTY;  // group of all ranks in the native MPI, with the same numbers
};

/// Belongs to its rank and is used by that rank's thread only.
class Communicator {
 public:
  /// `context`: the same on all members, a multiple of k_contexts_each.
  Communicator(uint64_t context, Members members);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  ForeignFields foreign;  // must be the first member
  int number = 0;
  MPI_Comm handle = MPI_COMM_NULL;

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(members_.ranks.size()); }
  const std::vector<int>& members() const { return members_.ranks; }
  uint64_t context(Traffic traffic) const { return context_ + static_cast<uint64_t>(traffic); }
  /// For a communicator whose handle exists before its context is agreed. Call before anything is sent in it.
  void set_context(uint64_t context) { context_ = context; }
  /// Group of the native MPI, whose ranks of MPI_COMM_WORLD are those of the program. Owned by this object.
  MPI_Group group() const { return group_; }
  bool has_rank(int rank) const { return rank >= 0 && rank < size(); }

  /// Counts the users: the program's handle and pending requests.
  void hold() { ++users_; }
  void release();
  bool is_freed = false;    // by the program
  int late_duplicates = 0;  // number of MPI_Comm_idup() calls on it
  /// Called after the last release(). Not set for predefined communicators.
  std::function<void()> freed;

  std::string name;
  ErrorHandler* error_handler = nullptr;  // nullptr: errors are fatal
  AttributeValues attributes;
  std::map<std::string, std::string> info;
  std::variant<std::monostate, Cartesian, Graph, DistributedGraph> topology;
  std::unique_ptr<CommunicatorState> collectives;  // collectives_of()
  /// DispatchServices::counter_of(); nullopt: not created yet. The counter belongs to the record.
  std::optional<record::OperationCounter*> counter;

 private:
  uint64_t context_;
  const Members members_;
  int users_ = 1;
  int rank_ = MPI_UNDEFINED;
  MPI_Group group_ = MPI_GROUP_NULL;
};

}  // namespace tutti::actors
