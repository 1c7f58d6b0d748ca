// Packed data on every kind of communicator: its bytes are the same, and so are what is unpacked and what fails.
#include "check.h"

#include <string.h>

static void pack_on(MPI_Comm comm, const char* name) {
  MPI_Datatype type;
  MPI_Type_vector(4, 2, 8, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  double from[32], to[32];
  for (int i = 0; i < 32; ++i) from[i] = i, to[i] = -1;
  int bytes = 0, used = 0;
  CHECK(MPI_Pack_size(1, type, comm, &bytes) == MPI_SUCCESS && bytes >= 64, "%s: %d bytes", name, bytes);
  char packed[1024];
  CHECK(MPI_Pack(from, 1, type, packed, sizeof packed, &used, comm) == MPI_SUCCESS && used >= 64, "%s: pack",
        name);
  int at = 0;
  CHECK(MPI_Unpack(packed, used, &at, to, 1, type, comm) == MPI_SUCCESS && at == used, "%s: unpack", name);
  for (int i = 0; i < 32; ++i) CHECK(to[i] == (i % 8 < 2 ? i : -1), "%s: %d is %g", name, i, to[i]);

  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  CHECK(MPI_Pack(from, -1, type, packed, sizeof packed, &used, comm) != MPI_SUCCESS, "%s: a negative count",
        name);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
  MPI_Type_free(&type);
}

static void pack_for_others(void) {
  MPI_Aint bytes = 0, at = 0;
  char packed[256];
  int from[3] = {1, 2, 3}, to[3] = {0};
  char format[] = "external32";
  CHECK(MPI_Pack_external_size(format, 3, MPI_INT, &bytes) == MPI_SUCCESS && bytes == 12, "external: size");
  CHECK(MPI_Pack_external(format, from, 3, MPI_INT, packed, sizeof packed, &at) == MPI_SUCCESS,
        "external: pack");
  at = 0;
  CHECK(MPI_Unpack_external(format, packed, bytes, &at, to, 3, MPI_INT) == MPI_SUCCESS, "external: unpack");
  CHECK(memcmp(from, to, sizeof from) == 0 && packed[3] == 1, "external");
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  MPI_Comm dup, split, created;
  MPI_Group group;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_split(MPI_COMM_WORLD, g_rank % 2, 0, &split);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Comm_create(MPI_COMM_WORLD, group, &created);
  pack_on(MPI_COMM_WORLD, "world");
  pack_on(MPI_COMM_SELF, "self");
  pack_on(dup, "dup");
  pack_on(split, "split");
  pack_on(created, "created");
  pack_for_others();
  MPI_Comm_free(&dup);
  MPI_Comm_free(&split);
  MPI_Comm_free(&created);
  MPI_Group_free(&group);
  return check_finish("packing");
}
