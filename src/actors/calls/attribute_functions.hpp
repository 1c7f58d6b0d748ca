#pragma once
// What is done with attributes of communicators by the functions of their keyvals, in the language of each.

#include <mpi.h>

#include "actors/calls/attributes.hpp"

namespace tutti::actors {

class Rank;

/// All of `from` whose functions say so, for a duplicate. What MPI_Comm_dup returns.
int copy_attributes(Rank& me, MPI_Comm from, const AttributeValues& values, AttributeValues* copies);
/// Calls the functions, last set first (MPI 4.0, §11.2.4).
int delete_attributes(Rank& me, MPI_Comm of, AttributeValues* values);

/// Types have their attributes in the MPI below. It calls the functions of those of its own types when it ends, where
/// the program is over: this rank's MPI_Finalize deletes them.
void note_type_attribute(Rank& me, MPI_Datatype type, int keyval);
void delete_type_attributes(Rank& me);

/// As MPI_Comm_get_attr(), in any language. *found: nullptr where there is no value; valid until it is deleted.
int find_attribute(Rank& me, MPI_Comm comm, int keyval, AttributeValue** found);
/// As MPI_Comm_set_attr().
int set_attribute(Rank& me, MPI_Comm comm, int keyval, AttributeValue value);

}  // namespace tutti::actors
