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
  /// One type. What cannot be kept is handed on as it is: the native call knows the right error.
  explicit KeptDatatypes(MPI_Datatype type) { keep(&type, 1); }
  /// One for every rank of `comm`, its remote group where it has one; none where `types` is not given.
  KeptDatatypes(const MPI_Datatype* types, MPI_Comm comm);

  MPI_Datatype one() const { return kept_->front(); }
  const MPI_Datatype* all() const { return kept_->empty() ? nullptr : kept_->data(); }

 private:
  void keep(const MPI_Datatype* types, int count);

  std::shared_ptr<std::vector<MPI_Datatype>> kept_;
};

}  // namespace tutti::mpi
