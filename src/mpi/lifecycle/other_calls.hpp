#pragma once
// Calls beside collectives and messages in which ranks wait for each other: communicators, windows and files are made,
// used and freed together, and neighbourhoods exchange data. For the record of a run.

#include <mpi.h>

#include <cstdint>
#include <string>

#include "mpi/lifecycle/waiting_call.hpp"

namespace tutti::mpi {

/// In place of `next`, the function of the MPI that has this name, one that records how long the program is in it;
/// `next` itself where the name is of no such function. Generated (src/mpi/generate.py).
void* recorded_other_call(const char* name, void* next);

/// What a call is about: a communicator, or that of a window or file.
class CallObject {
 public:
  CallObject() = default;
  static CallObject of_comm(MPI_Comm comm);
  static CallObject of_window(MPI_Win window);
  static CallObject of_file(MPI_File file);

  /// nullptr: its members are not known, or there are no others.
  const record::Track* track() const { return track_; }

  /// It has been made with this one's members; it is no more.
  void made_window(MPI_Win window) const;
  void made_file(MPI_File file) const;
  static void freed_window(MPI_Win window);
  static void freed_file(MPI_File file);

 private:
  explicit CallObject(const record::Track* track) : track_(track) {}
  const record::Track* track_ = nullptr;
};

/// Stands around the native call.
class OtherCall {
 public:
  /// `peer`: the rank that it is for; negative: any may be.
  OtherCall(const std::string* name, CallObject object, int peer);

  /// It has returned this, which is given back.
  int ended(int result);
  /// The same of one that exchanges data with neighbours.
  int ended_among_neighbours(int result, MPI_Comm comm);
  /// The same of one that has only started.
  int started(int result, const MPI_Request* request);

 private:
  const CallObject object_;
  const std::string* const name_;
  const int peer_;
  WaitingCall waiting_;
};

}  // namespace tutti::mpi
