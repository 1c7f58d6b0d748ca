#pragma once
// A communicator of one rank.

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "actors/calls/attributes.hpp"
#include "actors/calls/error_handler.hpp"
#include "actors/calls/foreign_fields.hpp"

namespace tutti::actors {

struct Cartesian {
  std::vector<int> dims, periods;  // the slowest dimension first
};
struct Graph {
  std::vector<int> index, edges;
};
struct DistributedGraph {
  std::vector<int> sources, source_weights, destinations, destination_weights;
  bool is_weighted = false;
};

/// What kinds of traffic keep apart: a communicator has a context for each.
enum class Traffic : uint8_t { point_to_point, collective, neighbours, creation, group_creation };
inline constexpr uint64_t k_contexts_each = 8;

/// The contexts that one rank gives to communicators, number 0 being that of its MPI_COMM_SELF. No other rank gives
/// them, and MPI_COMM_WORLD has context 0: so that nobody has to agree on anything.
constexpr uint64_t context_of(int world_rank, uint64_t number) {
  return (static_cast<uint64_t>(world_rank) + 1) << 40 | number * k_contexts_each;
}

/// What goes with a communicator.
class Belonging {
 public:
  virtual ~Belonging() = default;
};

/// Who is in a communicator.
struct Members {
  std::vector<int> ranks;             // in MPI_COMM_WORLD
  int me = 0;                         // the rank whose communicator it is
  MPI_Group world = MPI_GROUP_EMPTY;  // of the MPI below: all ranks, with the same numbers
};

/// Belongs to its rank, and is used by its thread.
class Communicator {
 public:
  /// `context`: the same on all members, a multiple of k_contexts_each.
  Communicator(uint64_t context, Members members);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  ForeignFields foreign;  // first
  int number = 0;
  MPI_Comm handle = MPI_COMM_NULL;

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(members_.ranks.size()); }
  const std::vector<int>& members() const { return members_.ranks; }
  uint64_t context(Traffic traffic) const { return context_ + static_cast<uint64_t>(traffic); }
  /// Of one that is there before its ranks know it. Before anything is sent in it.
  void set_context(uint64_t context) { context_ = context; }
  /// Of the MPI below, whose ranks of MPI_COMM_WORLD are those of the program. Belongs to this.
  MPI_Group group() const { return group_; }
  bool has_rank(int rank) const { return rank >= 0 && rank < size(); }

  /// The program frees it, and requests that are under way end.
  void hold() { ++users_; }
  void release();
  bool is_freed = false;    // by the program
  int late_duplicates = 0;  // MPI_Comm_idup() of it, so far
  /// What follows the last release(). Those of MPI itself stay.
  std::function<void()> freed;

  std::string name;
  ErrorHandler* error_handler = nullptr;  // nullptr: errors are fatal
  AttributeValues attributes;
  std::map<std::string, std::string> info;
  std::variant<std::monostate, Cartesian, Graph, DistributedGraph> topology;
  std::unique_ptr<Belonging> collectives;  // collectives_of()

 private:
  uint64_t context_;
  const Members members_;
  int users_ = 1;
  int rank_ = MPI_UNDEFINED;
  MPI_Group group_ = MPI_GROUP_NULL;
};

}  // namespace tutti::actors
