#include "mpi/kept_datatypes.hpp"

#include "mpi/datatype.hpp"

namespace tutti::mpi {

namespace {

bool is_derived(MPI_Datatype type) {
  Type described;
  return describe(type, &described) && !described.is_predefined;
}

int rank_count(MPI_Comm comm) {
  int count = 0;
  PMPI_Comm_size(comm, &count);
  return count;
}

}  // namespace

KeptDatatypes::KeptDatatypes(const MPI_Datatype* types, MPI_Comm comm) {
  keep(types, types == nullptr ? 0 : rank_count(comm));
}

void KeptDatatypes::keep(const MPI_Datatype* types, int count) {
  struct Kept {
    std::vector<MPI_Datatype> handles, own;
    ~Kept() {
      for (MPI_Datatype& type : own) PMPI_Type_free(&type);
    }
  };
  auto kept = std::make_shared<Kept>();
  for (int i = 0; i < count; ++i) {
    MPI_Datatype type = types[i];
    if (is_derived(type) && PMPI_Type_dup(types[i], &type) == MPI_SUCCESS) kept->own.push_back(type);
    kept->handles.push_back(type);
  }
  kept_ = {kept, &kept->handles};
}

}  // namespace tutti::mpi
