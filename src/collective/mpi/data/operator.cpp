#include "collective/mpi/data/operator.hpp"

#include <algorithm>
#include <climits>
#include <mutex>

namespace tutti::mpi {

namespace {

enum class Origin { predefined, own, unusable };

Origin origin_of(MPI_Op op, engine::Operator* known) {
  using O = engine::Operator;
  const struct {
    MPI_Op handle;
    O name;
  } table[] = {
      {MPI_SUM, O::sum},   {MPI_MAX, O::max},   {MPI_MIN, O::min},       {MPI_PROD, O::prod},
      {MPI_LAND, O::land}, {MPI_BAND, O::band}, {MPI_LOR, O::lor},       {MPI_BOR, O::bor},
      {MPI_LXOR, O::lxor}, {MPI_BXOR, O::bxor}, {MPI_MINLOC, O::minloc}, {MPI_MAXLOC, O::maxloc},
  };
  for (const auto& row : table) {
    if (row.handle != op) continue;
    *known = row.name;
    return Origin::predefined;
  }
  // MPI_REPLACE and MPI_NO_OP belong to one-sided communication; here they are errors that the MPI reports.
  return op == MPI_OP_NULL || op == MPI_REPLACE || op == MPI_NO_OP ? Origin::unusable : Origin::own;
}

/// The MPI refuses an empty reduction with an invalid handle; it is done on a communicator of this process only. Other
/// functions would call the error handler of MPI_COMM_WORLD.
bool is_operator(MPI_Op op) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  static MPI_Comm alone = [] {
    MPI_Comm self = MPI_COMM_NULL;
    PMPI_Comm_dup(MPI_COMM_SELF, &self);
    PMPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
    return self;
  }();
  int nothing = 0;
  return PMPI_Allreduce(MPI_IN_PLACE, &nothing, 0, MPI_INT, op, alone) == MPI_SUCCESS;
}

/// True for a combination that the MPI standard does not define: some MPIs refuse it, and some do not.
bool is_foreign(engine::Operator op, const Type& type) {
  const bool is_logical =
      op == engine::Operator::land || op == engine::Operator::lor || op == engine::Operator::lxor;
  return is_logical && type.is_fortran;
}

}  // namespace

bool is_own_operator(MPI_Op op) {
  engine::Operator known{};
  return origin_of(op, &known) == Origin::own && is_operator(op);
}

bool MpiReducer::bind(MPI_Op op, const Type& type) {
  if (!type.is_predefined || type.extent <= 0) return false;
  element_bytes_ = static_cast<uint64_t>(type.extent);
  mode_ = base::FloatMode::of_thread();
  engine::Operator known{};
  switch (origin_of(op, &known)) {
    case Origin::unusable:
      return false;
    case Origin::predefined:
      if (type.has_kernel_type && !is_foreign(known, type))
        kernel_ = engine::find_reduce_kernel(known, type.kernel_type);
      if (kernel_ != nullptr) name_ = {.op = known, .element = type.kernel_type};
      return kernel_ != nullptr;
    case Origin::own:
      break;
  }
  int commutes = 0;
  if (!is_operator(op) || PMPI_Op_commutative(op, &commutes) != MPI_SUCCESS) return false;
  op_ = op;
  datatype_ = type.handle;
  is_commutative_ = commutes != 0;
  return true;
}

std::optional<engine::NamedOperator> MpiReducer::name() const {
  auto name = name_;
  if (name) name->mode = mode_;
  return name;
}

void MpiReducer::apply(const std::byte* source, std::byte* target, uint64_t bytes) const {
  const base::InFloatMode mode(mode_);
  uint64_t count = bytes / element_bytes_;
  if (kernel_ != nullptr) return kernel_(source, target, count);
  while (count > 0) {
    const uint64_t now = std::min<uint64_t>(count, INT_MAX);
    PMPI_Reduce_local(source, target, static_cast<int>(now), datatype_, op_);
    source += now * element_bytes_;
    target += now * element_bytes_;
    count -= now;
  }
}

}  // namespace tutti::mpi
