#pragma once
// Operators that programs create.

#include <mpi.h>

#include <utility>
#include <variant>

#include "actors/calls/foreign_fields.hpp"
#include "collective/mpi/data/operator.hpp"
#include "engine/engine.hpp"
#ifdef MPICH_VERSION
#include "actors/stub/mpich_internals.h"
#endif

namespace tutti::actors {

/// Belongs to its rank.
struct UserOperator {
  ForeignFields foreign;  // must be the first member
  int number = 0;
  MPI_User_function* function = nullptr;
  bool is_commutative = false;
#ifdef MPICH_VERSION
  tutti_op_proxy* cxx = nullptr;  // calls C++ functions
#else
  MPI_User_function* cxx = nullptr;  // passed to `function` as its fifth argument
  /// Open MPI's Fortran library writes into the object.
  bool is_fortran() const {
    return foreign != ForeignFields{};
  }
#endif
};

/// True for a predefined operator.
bool is_predefined(MPI_Op op);

/// A function of the program in its language, for one datatype.
class OperatorFunction {
 public:
  /// `type`: handle of the native MPI; `programs_type`: the program's handle.
  OperatorFunction(const UserOperator& op, MPI_Datatype type, MPI_Datatype programs_type);
  void operator()(void* in, void* inout, int count) const;

 private:
  MPI_User_function* function_;
  decltype(UserOperator::cxx) cxx_;
  MPI_Datatype type_;  // the program's handle
#ifdef OPEN_MPI
  MPI_Fint fortran_type_ = 0;  // 0: the function is not written in Fortran
#endif
};

/// Reduces with the program's function on the program's datatype.
class ProgramReducer final : public engine::Reducer {
 public:
  /// `lower_bound`: offset from the address of an element to its first byte.
  ProgramReducer(const OperatorFunction& function, bool is_commutative, uint64_t element_bytes,
                 int64_t lower_bound)
      : function_(function),
        is_commutative_(is_commutative),
        element_bytes_(element_bytes),
        lower_bound_(lower_bound) {}
  void apply(const std::byte* source, std::byte* target, uint64_t bytes) const override;
  bool is_commutative() const override { return is_commutative_; }

 private:
  OperatorFunction function_;
  bool is_commutative_;
  uint64_t element_bytes_;
  int64_t lower_bound_;
};

/// Reduces with a predefined operator on a type for which Tutti has no loop.
class NativeReducer final : public engine::Reducer {
 public:
  NativeReducer(MPI_Op op, MPI_Datatype type, uint64_t element_bytes)
      : op_(op), type_(type), element_bytes_(element_bytes) {}
  void apply(const std::byte* source, std::byte* target, uint64_t bytes) const override;
  bool is_commutative() const override { return true; }

 private:
  MPI_Op op_;
  MPI_Datatype type_;
  uint64_t element_bytes_;
};

/// The operator of a reduction.
class BoundOperator {
 public:
  /// Binds an operator of the program. `programs_type`: the program's handle of `type`.
  void bind_own(const UserOperator& op, const mpi::Type& type, MPI_Datatype programs_type);
  /// Binds a predefined operator. Returns an error class: these apply to predefined datatypes only.
  int bind_predefined(MPI_Op op, const mpi::Type& type);

  bool is_commutative() const {
    return std::visit([](const auto& one) { return one.is_commutative(); }, reducer_);
  }
  bool is_own_operator() const { return std::holds_alternative<ProgramReducer>(reducer_); }
  /// Called when a persistent operation is started again, on this thread.
  void start_again() {
    if (auto* const predefined = std::get_if<mpi::MpiReducer>(&reducer_)) predefined->start_again();
  }
  const engine::Reducer& reducer() const {
    return std::visit([](const auto& one) -> const engine::Reducer& { return one; }, reducer_);
  }

 private:
  std::variant<mpi::MpiReducer, ProgramReducer, NativeReducer> reducer_;
};

}  // namespace tutti::actors
