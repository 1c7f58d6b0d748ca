#pragma once
// Keeps datatypes of a call that goes to the native MPI only after it has returned, when the program may have freed
// them.

#include <mpi.h>

#include <memory>
#include <vector>

namespace tutti::mpi {

/// Copies share the kept handles.
class RetainedDatatypes {
 public:
  /// One type, or an array of `count` types. A type that cannot be kept is passed on unchanged, because the native call
  /// returns the right error. An argument that is not significant in this call may be invalid and is ignored.
  RetainedDatatypes(MPI_Datatype type, bool is_significant);
  RetainedDatatypes(const MPI_Datatype* types, int count, bool is_significant);

  MPI_Datatype one() const { return kept_ ? kept_->front() : type_; }
  const MPI_Datatype* all() const { return kept_ ? kept_->data() : types_; }

 private:
  void keep(const MPI_Datatype* types, int count);

  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  const MPI_Datatype* types_ = nullptr;
  std::shared_ptr<std::vector<MPI_Datatype>> kept_;
};

}  // namespace tutti::mpi
