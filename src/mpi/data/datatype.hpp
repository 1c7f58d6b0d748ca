#pragma once
// What Tutti knows about an MPI datatype: how many bytes its signature has and where they lie in memory.

#include <mpi.h>

#include <cstdint>

#include "base/status.hpp"
#include "engine/reduce_kernels.hpp"

namespace tutti::mpi {

struct Type {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  uint64_t size = 0;    // bytes of the signature: the same on every rank that takes part in a call
  int64_t extent = 0;   // bytes from one element to the next
  int64_t true_lb = 0;  // where the first byte lies
  bool is_run = false;  // one element is a single run of bytes in the order of the signature
  bool is_predefined = false;
  bool is_fortran = false;  // predefined; its integers have no logical operators (MPI 4.0, section 6.9.2)
  bool has_kernel_type = false;  // `kernel_type` is meaningful
  engine::ElementType kernel_type = engine::ElementType::byte;

  /// `count` elements lie in memory as one run of bytes, in order, starting at true_lb.
  bool is_dense(int64_t count) const {
    return is_run && (count <= 1 || extent == static_cast<int64_t>(size));
  }
};

/// Learns the predefined types. Once, after MPI is initialised and before the first describe(). `quiet_comm`
/// returns errors (MPI_ERRORS_RETURN) and lives until release_datatypes().
base::Status prepare_datatypes(MPI_Comm quiet_comm);
/// Forgets the keyval under which derived types are remembered. Before MPI is finalised.
void release_datatypes();

/// Describes a type. Cheap: predefined types are looked up, derived ones examined at their first use only.
/// False where the handle is null or not committed: the native call knows the right error. Any thread.
bool describe(MPI_Datatype handle, Type* type);
/// Bytes of an element alone, which costs less where a derived type has not been described. False as describe().
bool find_size(MPI_Datatype handle, uint64_t* bytes);

/// Another handle for the derived type, to be freed, while the program frees its own. Not MPI_Type_dup: that would run
/// the program's copy callbacks for attributes of the type, which may refuse. Result: a code of MPI.
int keep_datatype(MPI_Datatype type, MPI_Datatype* kept);

/// The handle always means the same: that of a predefined type, or of none. Any thread.
bool is_own_name(MPI_Datatype handle);

}  // namespace tutti::mpi
