#include "mpi/entry/fortran.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <string>

#ifdef OPEN_MPI
// Open MPI's sentinels are variables (Fortran common blocks) and recognised by their addresses. libmpi defines them; a
// Fortran program has its own definitions, which the dynamic linker merges with those of libmpi.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): Fortran's
extern int mpi_fortran_bottom_, mpi_fortran_in_place_, mpi_fortran_unweighted_, mpi_fortran_weights_empty_;
extern int mpi_fortran_status_ignore_, mpi_fortran_statuses_ignore_;
// NOLINTEND(readability-identifier-naming)
}
#endif

namespace tutti::mpi::fortran {

#ifdef OPEN_MPI

bool is_in_place(const void* address) {
  return address == &mpi_fortran_in_place_;
}
void* buffer(void* address) {
  if (is_in_place(address)) return MPI_IN_PLACE;
  return address == &mpi_fortran_bottom_ ? MPI_BOTTOM : address;
}

int* weights(MPI_Fint* array) {
  if (array == &mpi_fortran_unweighted_) return MPI_UNWEIGHTED;
  if (array == &mpi_fortran_weights_empty_) return MPI_WEIGHTS_EMPTY;
  return array;
}

/// The MPI itself converts the statuses.
Statuses::Statuses(MPI_Fint* target, int count) : target_(target) {
  if (target == &mpi_fortran_status_ignore_ || target == &mpi_fortran_statuses_ignore_) target_ = nullptr;
  if (target_ != nullptr) statuses_.resize(static_cast<size_t>(std::max(count, 0)));
}

MPI_Status* Statuses::data() {
  return target_ == nullptr ? MPI_STATUSES_IGNORE : statuses_.data();
}

void Statuses::store(int count) {
  constexpr size_t k_length = sizeof(MPI_Status) / sizeof(MPI_Fint);
  for (size_t i = 0; target_ != nullptr && static_cast<int>(i) < count; ++i)
    PMPI_Status_c2f(&statuses_[i], target_ + i * k_length);
}

#else

namespace {

/// MPICH's sentinels are recognised by their addresses, too: variables of its own for mpi_f08; common blocks for the
/// other bindings, whose addresses MPICH's Fortran library stores at the first call. A C program does not load it.
struct Sentinel {
  const void* f08;
  void* const* older;
  explicit Sentinel(const char* name)
      : f08(dlsym(RTLD_DEFAULT, (std::string("MPIR_F08_MPI_") + name).c_str())),
        older(static_cast<void* const*>(dlsym(RTLD_DEFAULT, (std::string("MPIR_F_MPI_") + name).c_str()))) {}
  bool is(const void* address) const {
    return address != nullptr && (address == f08 || (older != nullptr && address == *older));
  }
};

}  // namespace

bool is_in_place(const void* address) {
  static const Sentinel in_place("IN_PLACE");
  return in_place.is(address);
}
void* buffer(void* address) {
  static const Sentinel bottom("BOTTOM");
  if (is_in_place(address)) return MPI_IN_PLACE;
  return bottom.is(address) ? MPI_BOTTOM : address;
}

/// Used by mpi_f08 only, whose statuses have the layout of C. Its sentinels are in libmpich or in the Fortran library,
/// depending on the version.
Statuses::Statuses(MPI_Fint* target, int) : target_(target) {
  static const auto* const one =
      static_cast<const void* const*>(dlsym(RTLD_DEFAULT, "MPI_F08_STATUS_IGNORE"));
  static const auto* const many =
      static_cast<const void* const*>(dlsym(RTLD_DEFAULT, "MPI_F08_STATUSES_IGNORE"));
  for (const void* const* const sentinel : {one, many})
    if (sentinel != nullptr && target == *sentinel) target_ = nullptr;
}

MPI_Status* Statuses::data() {
  return target_ == nullptr ? MPI_STATUSES_IGNORE : reinterpret_cast<MPI_Status*>(target_);
}

void Statuses::store(int) {}

#endif

Requests::Requests(MPI_Fint* handles, int count) : handles_(handles) {
  for (int i = 0; i < count; ++i) requests_.push_back(PMPI_Request_f2c(handles[i]));
}

void Requests::store() {
  for (size_t i = 0; i < requests_.size(); ++i) handles_[i] = PMPI_Request_c2f(requests_[i]);
}

void count_from_one(MPI_Fint* indices, int count) {
  for (int i = 0; i < count; ++i) ++indices[i];  // MPI_UNDEFINED is negative
}

std::vector<int> logicals(const MPI_Fint* values, int count) {
  std::vector<int> result(static_cast<size_t>(std::max(count, 0)));
  std::transform(values, values + result.size(), result.begin(), logical);
  return result;
}

std::vector<MPI_Datatype> datatypes(const MPI_Fint* handles, MPI_Comm comm, bool is_ignored) {
  int is_inter = 0, count = 0;
  if (is_ignored || comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS) return {};
  is_inter ? PMPI_Comm_remote_size(comm, &count) : PMPI_Comm_size(comm, &count);
  std::vector<MPI_Datatype> result;
  result.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) result.push_back(PMPI_Type_f2c(handles[i]));
  return result;
}

int cartesian_dimensions(MPI_Comm comm) {
  int kind = MPI_UNDEFINED, count = 0;
  if (comm == MPI_COMM_NULL || PMPI_Topo_test(comm, &kind) != MPI_SUCCESS || kind != MPI_CART) return 0;
  PMPI_Cartdim_get(comm, &count);
  return count;
}

}  // namespace tutti::mpi::fortran
