#pragma once
// Datatypes of a call that goes to the native MPI only after it has returned to the program, which may have
// freed them by then.

#include <mpi.h>

#include <memory>
#include <vector>

namespace tutti::mpi {

/// Copies share what they keep.
class KeptDatatypes {
 public:
  /// One type, or `count` in an array. What cannot be kept is handed on as it is: the native call knows the
  /// right error. An argument that is not significant in this call may be anything, and is not looked at.
  KeptDatatypes(MPI_Datatype type, bool is_significant);
  KeptDatatypes(const MPI_Datatype* types, int count, bool is_significant);

  MPI_Datatype one() const { return kept_ ? kept_->front() : type_; }
  const MPI_Datatype* all() const { return kept_ ? kept_->data() : types_; }

 private:
  void keep(const MPI_Datatype* types, int count);

  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  const MPI_Datatype* types_ = nullptr;
  std::shared_ptr<std::vector<MPI_Datatype>> kept_;
};

}  // namespace tutti::mpi
