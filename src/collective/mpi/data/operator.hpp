#pragma once
// Adapts an MPI operator on an MPI datatype to the engine's interface.

#include <mpi.h>

#include <optional>

#include "base/float_mode.hpp"
#include "collective/mpi/data/datatype.hpp"
#include "engine/engine.hpp"
#include "engine/reduce_kernels.hpp"

namespace tutti::mpi {

/// True for a valid user-defined operator.
bool is_own_operator(MPI_Op op);

/// Computes target = source op target: by Tutti's own loops for predefined operators, and by PMPI_Reduce_local for
/// user-defined ones. Uses the floating-point mode of the thread that bound the operator, whichever thread applies it.
/// Lives for one call, or for all starts of a request.
class MpiReducer final : public engine::Reducer {
 public:
  /// False: the reduction stays native. The result depends only on the operator and the type, which MPI requires to be
  /// the same on all ranks:
  ///  - derived types stay native, because a user-defined operator may depend on their layout;
  ///  - so do combinations of predefined operator and type without a loop, most of which are errors.
  bool bind(MPI_Op op, const Type& type);
  /// Called when a persistent operation is started again, on this thread.
  void start_again() { mode_ = base::FloatMode::of_thread(); }

  void apply(const std::byte* source, std::byte* target, uint64_t bytes) const override;
  bool is_commutative() const override { return is_commutative_; }
  std::optional<engine::NamedOperator> name() const override;
  /// True for a user-defined operator.
  bool is_own_operator() const { return kernel_ == nullptr; }

 private:
  engine::ReduceKernel kernel_ = nullptr;
  std::optional<engine::NamedOperator> name_;  // of the kernel
  MPI_Op op_ = MPI_OP_NULL;
  MPI_Datatype datatype_ = MPI_DATATYPE_NULL;
  base::FloatMode mode_;
  uint64_t element_bytes_ = 1;
  bool is_commutative_ = true;
};

}  // namespace tutti::mpi
