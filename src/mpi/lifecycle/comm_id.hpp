#pragma once
// Small numbers for communicators, agreed between their members.
//
// The number of a communicator is the upper part of the tag of its messages, so that one private communicator
// carries the messages of all of them and none of the MPI's own context ids is used up. The members look for
// the lowest number that all of them have free, as MPICH does for its context ids (Balaji et al., EuroMPI
// 2009).
//
// Reuse is safe: a number is given back when its communicator is freed, by which time this process has
// received all messages of it (collectives have no message without its receive); a new communicator gets the
// number only when all its members have given it back, so no member can still have an old message under way
// to it.

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "base/status.hpp"

namespace tutti::mpi {

using CommId = uint16_t;

inline constexpr int k_comm_id_count = 4096;
inline constexpr CommId k_world_id = 0;

/// Collective over the members of `comm`, all of which have MPI_COMM_WORLD in common. Any thread; creations
/// that run at the same time on one process differ in (parent, tag), and these are the same on all members.
/// `is_able`: this member can serve the communicator.
/// Errors, on all members alike: out_of_memory when they have no free number in common; not_supported when
/// one of them is not able.
base::Result<CommId> agree_on_id(MPI_Comm comm, CommId parent, int tag, bool is_able);

/// Numbers that all members of one communicator have set apart for the communicators that they make together, so that
/// most creations need no agreement: all members make them in the same order, and the n-th gets the n-th number. Those
/// of disjoint members, which one split makes, share theirs. Used by the thread that is inside a creation.
class Reserve {
 public:
  Reserve() = default;
  ~Reserve();
  Reserve(const Reserve&) = delete;
  Reserve& operator=(const Reserve&) = delete;

  /// For a creation that all members of `parent`, whose number is `parent_id`, have just made, whatever it gave to
  /// whom. Collective where the reserve is empty: the members set more and more numbers apart. Error: as agree_on_id().
  base::Result<CommId> take(MPI_Comm parent, CommId parent_id);

 private:
  std::vector<CommId> numbers_;  // the next one is last
  uint32_t wanted_ = 1;
};

/// Of one that is not used.
void give_back(CommId id);

/// Holds a number, which is given back when this goes.
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

/// Forgets everything: only the world's number is taken.
void reset_ids();

}  // namespace tutti::mpi
