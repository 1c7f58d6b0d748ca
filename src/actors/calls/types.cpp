// Datatypes are those of the native MPI; these calls convert arrays of them, or record attributes.

#include <vector>

#include "actors/calls/attribute_functions.hpp"
#include "actors/calls/rank.hpp"
#include "calls.hpp"

namespace tutti::actors::calls {

// NOLINTBEGIN(readability-identifier-naming): names of MPI
int Type_create_struct(Rank& me, int count, const int lengths[], const MPI_Aint displacements[],
                       const MPI_Datatype types[], MPI_Datatype* newtype) {
  std::vector<MPI_Datatype> native;
  for (int i = 0; i < count; ++i) native.push_back(me.native(types[i]));
  return me.checked(PMPI_Type_create_struct(count, lengths, displacements, native.data(), newtype));
}

#ifdef MPICH_VERSION
int Type_struct(Rank& me, int count, int lengths[], MPI_Aint displacements[], MPI_Datatype types[],
                MPI_Datatype* newtype) {
  return Type_create_struct(me, count, lengths, displacements, types, newtype);
}
#endif

int Type_get_contents(Rank& me, MPI_Datatype type, int max_integers, int max_addresses, int max_types,
                      int integers[], MPI_Aint addresses[], MPI_Datatype types[]) {
  const int code =
      PMPI_Type_get_contents(type, max_integers, max_addresses, max_types, integers, addresses, types);
  if (code != MPI_SUCCESS) return me.checked(code);
  int integer_count = 0, address_count = 0, type_count = 0, combiner = 0;
  PMPI_Type_get_envelope(type, &integer_count, &address_count, &type_count, &combiner);
  for (int i = 0; i < type_count && i < max_types; ++i) types[i] = me.programs(types[i]);
  return MPI_SUCCESS;
}

int Type_set_attr(Rank& me, MPI_Datatype type, int keyval, void* value) {
  const int code = PMPI_Type_set_attr(type, keyval, value);
  if (code == MPI_SUCCESS) note_type_attribute(me, type, keyval);
  return me.checked(code);
}

int Type_delete_attr(Rank& me, MPI_Datatype type, int keyval) {
  me.type_attributes().erase({type, keyval});
  return me.checked(PMPI_Type_delete_attr(type, keyval));
}
// NOLINTEND(readability-identifier-naming)

}  // namespace tutti::actors::calls
