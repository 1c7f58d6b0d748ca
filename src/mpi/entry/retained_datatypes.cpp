#include "mpi/entry/retained_datatypes.hpp"
#include "collective/mpi/data/datatype.hpp"

namespace tutti::mpi {

namespace {

bool is_derived(MPI_Datatype type) {
  Type described;
  return describe(type, &described) && !described.is_predefined;
}

}  // namespace

RetainedDatatypes::RetainedDatatypes(MPI_Datatype type, bool is_significant) : type_(type) {
  if (is_significant) keep(&type, 1);
}

RetainedDatatypes::RetainedDatatypes(const MPI_Datatype* types, int count, bool is_significant)
    : types_(types) {
  if (is_significant && types != nullptr) keep(types, count);
}

void RetainedDatatypes::keep(const MPI_Datatype* types, int count) {
  struct Retained {
    std::vector<MPI_Datatype> handles, own;
    ~Retained() {
      for (MPI_Datatype& type : own) PMPI_Type_free(&type);
    }
  };
  auto kept = std::make_shared<Retained>();
  for (int i = 0; i < count; ++i) {
    MPI_Datatype type = types[i];
    if (is_derived(type) && keep_datatype(types[i], &type) == MPI_SUCCESS) kept->own.push_back(type);
    kept->handles.push_back(type);
  }
  kept_ = {kept, &kept->handles};
}

}  // namespace tutti::mpi
