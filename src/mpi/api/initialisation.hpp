#pragma once
// One call of tutti_*_init: checks the program's arguments and creates a request.

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "mpi/api/errors_return_guard.hpp"
#include "mpi/api/hints.hpp"
#include "mpi/call/persistent_call.hpp"

namespace tutti::mpi::api {

/// The generated entry points use it to check the arguments that the MPI does not check, offer the call to the function
/// of the same name in collective/mpi/arguments, and create a native persistent request if that declines. Arguments
/// that are not significant on this rank are ignored.
class Initialisation {
 public:
  Initialisation(Collective collective, MPI_Comm comm, int64_t* request);

  /// Checks of the arguments; the first that fails determines the result.
  void root(int rank);
  void op(MPI_Op op);
  void data(const char* name, const void* buffer, int64_t count, MPI_Datatype type, bool is_significant);
  void blocks(const char* name, const void* buffer, const int counts[], const int displacements[],
              MPI_Datatype type, bool is_significant);
  void blocks(const char* name, const void* buffer, const int counts[], const int displacements[],
              const MPI_Datatype types[], bool is_significant);
  /// Checks only this rank's block of a buffer with one block per rank.
  void own_block(const char* name, const void* buffer, const int counts[], MPI_Datatype type);
  /// True if this rank is the root.
  bool is_root(int root) const { return root == rank_; }

  /// True if no check has failed and Tutti may serve the call.
  bool is_offered();
  Call& call() { return served_->call(); }
  /// Creates the request of a prepared call. False: the native MPI has to serve it.
  bool is_taken();
  int result() const { return result_; }

  /// Creates a request of the MPI.
#ifdef OPEN_MPI
  /// `make` calls its PMPIX_*_init.
  template <class Make>
  int native(Make make) {
    if (result_ != 0) return result_;
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = count_native_init(comm_, make(&made));
    return keep_native(code, made);
  }
#else
  /// `begin` calls the nonblocking collective at every start, because persistent ones of MPICH 4.0 give wrong results
  /// or fail when they are started again.
  int native(std::function<int(MPI_Request*)> begin);
#endif

 private:
  void begin();
  void refuse(int code, const std::string& message);
  void refuse_argument(const char* name, const char* what);
  void block(const char* name, const void* buffer, int64_t count, MPI_Datatype type);
#ifdef OPEN_MPI
  int keep_native(int code, MPI_Request made);
#endif

  Collective collective_;
  MPI_Comm comm_;
  int64_t* request_;
  int result_ = 0;
  std::optional<ErrorsReturnGuard> quiet_;  // set while MPI functions may be called
  Hints hints_;
  int rank_ = 0, size_ = 0;
  std::unique_ptr<PersistentCall> served_;
};

}  // namespace tutti::mpi::api
