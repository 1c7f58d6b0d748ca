#pragma once
// Tutti's description of an MPI datatype: the bytes of its signature and their layout in memory.

#include <mpi.h>

#include <cstdint>

#include "base/status.hpp"
#include "engine/reduce_kernels.hpp"

namespace tutti::mpi {

struct Type {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  uint64_t size = 0;    // bytes of the signature: the same on every rank that takes part in a call
  int64_t extent = 0;   // bytes from one element to the next
  int64_t true_lb = 0;  // offset of the first byte
  bool is_run = false;  // one element is a single run of bytes in the order of the signature
  bool is_predefined = false;
  bool is_fortran = false;  // predefined; its integers have no logical operators (MPI 4.0, section 6.9.2)
  bool has_kernel_type = false;  // `kernel_type` is meaningful
  engine::ElementType kernel_type = engine::ElementType::byte;

  /// True if `count` elements are one run of bytes in memory, in order, starting at true_lb.
  bool is_dense(int64_t count) const {
    return is_run && (count <= 1 || extent == static_cast<int64_t>(size));
  }
};

/// Describes the predefined types. Called once, after the initialisation of MPI and before the first describe().
/// `quiet_comm` returns errors (MPI_ERRORS_RETURN) and lives until release_datatypes().
base::Status prepare_datatypes(MPI_Comm quiet_comm);
/// Frees the keyval of the attribute that holds a derived type's description. Called before MPI is finalised.
void release_datatypes();

/// Describes a type. Cheap: predefined types are looked up, derived ones examined at their first use only. False: the
/// handle is null or not committed, and the native call returns the right error. Any thread.
bool describe(MPI_Datatype handle, Type* type);
/// Only the bytes of an element, which costs less for a derived type that has not been described. False: as describe().
bool find_size(MPI_Datatype handle, uint64_t* bytes);

/// Creates another handle for the derived type, which outlives the program's and has to be freed. MPI_Type_dup would
/// run the program's copy callbacks for attributes of the type, which may fail. Returns an MPI error code.
int keep_datatype(MPI_Datatype type, MPI_Datatype* kept);

/// True if the handle always has the same meaning: it is that of a predefined type, or MPI_DATATYPE_NULL. Any thread.
bool is_own_name(MPI_Datatype handle);

}  // namespace tutti::mpi
