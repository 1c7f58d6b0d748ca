#pragma once
// Copies, deletes, finds and sets attributes of communicators, calling the keyval functions in their
// language.

#include <mpi.h>

#include "actors/calls/attributes.hpp"

namespace tutti::actors {

class Rank;

/// Copies the attributes of `from` whose copy functions request it, for a duplicate. Returns the result of
/// MPI_Comm_dup.
int copy_attributes(Rank& me, MPI_Comm from, const AttributeValues& values, AttributeValues* copies);
/// Calls the delete functions, in reverse order of setting (MPI 4.0, §11.2.4).
int delete_attributes(Rank& me, MPI_Comm of, AttributeValues* values);

/// The native MPI stores attributes of datatypes. For its own datatypes it calls the delete functions when it
/// ends, after the program has ended; therefore this rank's MPI_Finalize deletes these attributes.
void note_type_attribute(Rank& me, MPI_Datatype type, int keyval);
void delete_type_attributes(Rank& me);

/// As MPI_Comm_get_attr(), in any language. *found: nullptr if there is no value; valid until it is deleted.
int find_attribute(Rank& me, MPI_Comm comm, int keyval, AttributeValue** found);
/// As MPI_Comm_set_attr().
int set_attribute(Rank& me, MPI_Comm comm, int keyval, AttributeValue value);

}  // namespace tutti::actors
