#pragma once
// Records the time in other calls in which ranks wait for each other: those that create, use and free communicators,
// windows and files, and neighbourhood collectives.

#include <mpi.h>

#include <cstdint>
#include <string>

#include "mpi/recorded_calls/waiting_call.hpp"

namespace tutti::mpi {

/// A wrapper for `next`, the MPI function of this name, that records how long the program is in it; `next` itself if it
/// is not such a function. Generated (src/mpi/generate.py).
void* recorded_other_call(const char* name, void* next);

/// The object of a call: a communicator, or that of a window or file.
class CallObject {
 public:
  CallObject() = default;
  static CallObject of_comm(MPI_Comm comm);
  static CallObject of_window(MPI_Win window);
  static CallObject of_file(MPI_File file);

  /// nullptr: its members are unknown, or this process is the only one.
  const record::OperationCounter* counter() const { return counter_; }

  /// The window or file has been created with the members of this object; it has been freed.
  void made_window(MPI_Win window) const;
  void made_file(MPI_File file) const;
  static void freed_window(MPI_Win window);
  static void freed_file(MPI_File file);

 private:
  explicit CallObject(const record::OperationCounter* counter) : counter_(counter) {}
  const record::OperationCounter* counter_ = nullptr;
};

/// Wraps the native call.
class OtherCall {
 public:
  /// `peer`: the rank that the call is for; negative: possibly any.
  OtherCall(const std::string* name, CallObject object, int peer);

  /// The native call has returned `result`, which is returned.
  int ended(int result);
  /// The same for a call that exchanges data with neighbours.
  int ended_among_neighbours(int result, MPI_Comm comm);
  /// The same for a call that has only started its operation.
  int started(int result, const MPI_Request* request);

 private:
  const CallObject object_;
  const std::string* const name_;
  const int peer_;
  WaitingCall waiting_;
};

}  // namespace tutti::mpi
