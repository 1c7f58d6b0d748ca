#pragma once
// Small numbers for communicators, agreed between their members.
//
// The number of a communicator is the upper part of the tags of its messages, so that one private communicator carries
// the messages of all of them and Tutti uses up none of the MPI's own context ids. The members choose the lowest number
// that is free on all of them, as MPICH does for its context ids (Balaji et al., EuroMPI 2009).
//
// Reuse is safe: a number is given back when its communicator is freed. By then this process has received all messages
// with it, because collectives receive every message that they send. A new communicator gets the number only when all
// its members have given it back, so no old message to it is in flight.

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "base/status.hpp"

namespace tutti::mpi {

using CommId = uint16_t;

inline constexpr int k_comm_id_count = 4096;
inline constexpr CommId k_world_id = 0;

/// Collective over the members of `comm`, all of which have MPI_COMM_WORLD in common. Any thread; creations that run at
/// the same time on one process differ in (parent, tag), which is the same on all members. `is_able`: this member can
/// serve the communicator. Errors, the same on all members: out_of_memory if no number is free on all of them;
/// not_supported if one of them is not able.
base::Result<CommId> agree_on_id(MPI_Comm comm, CommId parent, int tag, bool is_able);

/// Numbers that all members of one communicator have reserved for the communicators that they create together, so that
/// most creations need no agreement: all members create them in the same order, and the n-th one gets the n-th number.
/// The disjoint communicators that one split creates share a number. Used by the thread that is inside a creation.
class Reserve {
 public:
  Reserve() = default;
  ~Reserve();
  Reserve(const Reserve&) = delete;
  Reserve& operator=(const Reserve&) = delete;

  /// Takes the number for a creation that all members of `parent`, whose number is `parent_id`, have just made,
  /// whatever each of them got. Collective if the reserve is empty: the members then reserve twice as many numbers as
  /// the last time, up to a limit. Error: as agree_on_id().
  base::Result<CommId> take(MPI_Comm parent, CommId parent_id);

 private:
  std::vector<CommId> numbers_;  // the next one is last
  uint32_t wanted_ = 1;
};

/// Gives back the number of a communicator that no longer exists, or an unused one.
void give_back(CommId id);

/// Holds a number and gives it back when it is destroyed.
class OwnedId {
 public:
  explicit OwnedId(CommId id) : id_(id) {}
  ~OwnedId();
  OwnedId(const OwnedId&) = delete;
  OwnedId& operator=(const OwnedId&) = delete;
  CommId get() const { return id_; }

 private:
  const CommId id_;
};

/// Resets all state: only the number of MPI_COMM_WORLD is taken.
void reset_ids();

}  // namespace tutti::mpi
