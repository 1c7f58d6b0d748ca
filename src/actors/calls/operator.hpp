#pragma once
// Operators that programs make.

#include <mpi.h>

#include "actors/calls/foreign_fields.hpp"
#include "engine/engine.hpp"

namespace tutti::actors {

/// Belongs to its rank.
struct Operator {
  ForeignFields foreign;  // first
  int number = 0;
  MPI_User_function* function = nullptr;
  bool is_commutative = false;
  int users = 1;  // the handle and the operations under way
};

/// By the program's function on the program's type, or by the MPI below on predefined ones.
class ProgramReducer final : public engine::Reducer {
 public:
  /// `programs_type`: as the function knows it. `lower_bound`: bytes from the address of an element to its first byte.
  ProgramReducer(const Operator& op, MPI_Datatype programs_type, uint64_t element_bytes, int64_t lower_bound)
      : function_(op.function),
        is_commutative_(op.is_commutative),
        type_(programs_type),
        element_bytes_(element_bytes),
        lower_bound_(lower_bound) {}
  void apply(const std::byte* source, std::byte* target, uint64_t bytes) const override;
  bool is_commutative() const override { return is_commutative_; }

 private:
  MPI_User_function* function_;
  bool is_commutative_;
  MPI_Datatype type_;
  uint64_t element_bytes_;
  int64_t lower_bound_;
};

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

}  // namespace tutti::actors
