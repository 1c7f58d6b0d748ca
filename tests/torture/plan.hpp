#pragma once
// A random program of legal MPI calls. It knows no MPI: every rank makes the same plan from the same seed.
//
// The plan is one list. Each rank carries out those operations in which it takes part, in the order of the list, so
// that the program ends however late any rank is:
//   - operations side by side that do not wait (Op::may_be_reordered) may change places on each rank by itself, but
//     for those of one communicator, whose order MPI fixes;
//   - a rank waits for an operation only when every operation up to Op::ready is behind it.

#include <array>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "random.hpp"

namespace torture {

enum class Kind : uint8_t {
  collective,
  make_persistent,
  start_persistent,
  free_persistent,
  message,  // both sides at the same place
  send,     // the two sides of a message at different places
  receive,
  make_communicator,
  free_communicator,
  make_window,
  window_epoch,
  free_window,
  attribute,
  error,
};

enum class Collective : uint8_t {
  barrier,
  bcast,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  gather,
  gatherv,
  scatter,
  scatterv,
  scan,
  exscan,
};

inline constexpr int k_collective_count = 17;

std::string_view name_of(Collective);

enum class Interface : uint8_t { blocking, nonblocking, persistent };

enum class Making : uint8_t { dup, idup, split, create, create_group, cart, split_shared, merge };

struct Op {
  int id = 0;  // place in the list of the seed, whatever is left out
  Kind kind = Kind::collective;
  int communicator = 0;     // index into Plan::communicators()
  int object = -1;          // id of the operation that made the persistent request, window or other side
  int ready = 0;            // id of the last operation that this one needs on other ranks
  uint64_t seed = 0;        // what else is drawn, the same on all ranks
  Collective collective{};  // of collective and make_persistent
  Interface interface {};
  Making making{};                   // of make_communicator
  bool is_among_neighbours = false;  // in place of `collective`

  bool may_be_reordered() const;
};

/// The ranks of the world in a communicator, in its order.
struct Members {
  int made_by = -1;  // id of the operation; -1: the world
  int color = 0;     // the same operation makes several
  std::vector<int> ranks;
  bool any_tag = false;  // messages of this communicator are received with MPI_ANY_TAG
  bool has_neighbours = false;

  int rank_of(int world_rank) const;  // -1: none
};

struct Choice {
  uint64_t seed = 1;
  int operations = 100;
  int ranks = 2;
  std::set<int> keep;    // empty: all
  std::set<Kind> kinds;  // empty: all
};

class Plan {
 public:
  explicit Plan(const Choice& choice);

  const std::vector<Op>& operations() const { return operations_; }
  const std::vector<Members>& communicators() const { return communicators_; }
  /// Places of those that `op` makes.
  std::vector<int> made_by(const Op& op) const;

 private:
  friend class Planner;
  void keep(const std::set<int>& ids);

  std::vector<Op> operations_;
  std::vector<Members> communicators_;
};

}  // namespace torture
