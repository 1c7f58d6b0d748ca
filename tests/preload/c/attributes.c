// Features that a library under the program must not disturb: attributes and their callbacks, info, names, error
// handlers, groups, the calls of profiling tools, and calls that are allowed before MPI_Init and after MPI_Finalize.
#include "check.h"

#include <stdio.h>
#include <string.h>

static int g_copies;
static int g_deletes;
static int g_deletes_of_self;
static int g_deletes_of_world;

static int copy_attribute(MPI_Comm comm, int keyval, void* extra, void* in, void* out, int* flag) {
  (void)comm;
  (void)keyval;
  (void)extra;
  ++g_copies;
  *(void**)out = (char*)in + 1;
  *flag = 1;
  return MPI_SUCCESS;
}

static int delete_attribute(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)comm;
  (void)keyval;
  (void)value;
  ++*(int*)extra;
  return MPI_SUCCESS;
}

static void use(MPI_Comm comm) {
  int rank;
  int size;
  int sum = 0;
  int data[5000] = {0};
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Bcast(data, 5000, MPI_INT, 0, comm);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == size * (size - 1) / 2, "allreduce gave %d", sum);
}

static char g_value[8];

static void check_attributes(void) {
  int keyval;
  int found = 0;
  void* value = NULL;
  MPI_Comm first;
  MPI_Comm second;
  MPI_Comm third;
  MPI_Comm_create_keyval(copy_attribute, delete_attribute, &keyval, &g_deletes);
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_set_attr(first, keyval, g_value);
  use(first);
  CHECK(g_copies == 0, "collectives copied an attribute %d times", g_copies);
  MPI_Comm_dup(first, &second);
  use(second);
  CHECK(g_copies == 1 && g_deletes == 0, "%d copies and %d deletions after one dup", g_copies, g_deletes);
  MPI_Comm_split(first, 0, 0, &third);
  CHECK(g_copies == 1, "split copied an attribute");
  MPI_Comm_get_attr(second, keyval, &value, &found);
  CHECK(found && value == g_value + 1, "the copied attribute has a wrong value");
  MPI_Comm_get_attr(third, keyval, &value, &found);
  CHECK(!found, "the communicator of a split has an attribute");
  MPI_Comm_delete_attr(second, keyval);
  CHECK(g_deletes == 1, "%d deletions after one MPI_Comm_delete_attr", g_deletes);
  MPI_Comm_free(&first);
  CHECK(g_deletes == 2, "%d deletions after freeing the communicator", g_deletes);
  MPI_Comm_free(&second);
  MPI_Comm_free(&third);
  MPI_Comm_free_keyval(&keyval);
  CHECK(g_deletes == 2 && g_copies == 1, "%d copies and %d deletions at the end", g_copies, g_deletes);
}

static int delete_of_type(MPI_Datatype type, int keyval, void* value, void* extra) {
  (void)keyval;
  (void)value;
  int bytes = 0;
  MPI_Type_size(type, &bytes);
  *(int*)extra += bytes;
  return MPI_SUCCESS;
}

static void check_world_attributes(void) {
  int* tag_limit = NULL;
  int found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag_limit, &found);
  CHECK(found && *tag_limit >= 32767, "MPI_TAG_UB");
  if (g_rank == 0) printf("MPI_TAG_UB %d\n", *tag_limit);

  int *last_code = NULL, error_class = 0;
  MPI_Add_error_class(&error_class);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last_code, &found);
  CHECK(found && *last_code >= error_class, "MPI_LASTUSEDCODE");
}

// It stays; deleted in MPI_Finalize, if at all.
static void set_attribute_of_predefined_type(void) {
  int keyval;
  static int deleted;
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, delete_of_type, &keyval, &deleted);
  MPI_Type_set_attr(MPI_INT, keyval, g_value);
  MPI_Type_free_keyval(&keyval);
}

static void check_names_and_handlers(void) {
  char name[MPI_MAX_OBJECT_NAME];
  int length = 0;
  MPI_Comm comm;
  MPI_Errhandler handler;
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  CHECK(strcmp(name, "MPI_COMM_WORLD") == 0, "the world is called '%s'", name);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_name(comm, "mine");
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  use(comm);
  MPI_Comm_get_name(comm, name, &length);
  CHECK(strcmp(name, "mine") == 0 && length == 4, "the communicator is called '%s'", name);
  MPI_Comm_get_errhandler(comm, &handler);
  CHECK(handler == MPI_ERRORS_RETURN, "the error handler has changed");
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  CHECK(handler == MPI_ERRORS_ARE_FATAL, "the world's error handler has changed");
  int result = -1;
  MPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
  CHECK(result == MPI_CONGRUENT, "the duplicate compares as %d", result);
  MPI_Comm_free(&comm);
  CHECK(comm == MPI_COMM_NULL, "freeing did not clear the handle");
}

static void check_info(void) {
  MPI_Info info;
  MPI_Info used;
  MPI_Comm comm;
  char value[100] = "";
  int found = 0;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_assert_no_any_tag", "false");
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
  use(comm);
  MPI_Comm_get_info(comm, &used);
  MPI_Info_get(used, "mpi_assert_no_any_tag", sizeof value - 1, value, &found);
  if (g_rank == 0) printf("mpi_assert_no_any_tag %s\n", found ? value : "is not kept");
  MPI_Info_free(&used);
  MPI_Info_free(&info);
  MPI_Comm_free(&comm);
}

static void check_profiling_calls(void) {
  int sum = 0;
  int data = g_rank == 0 ? 12 : 0;
  MPI_Pcontrol(0);
  MPI_Pcontrol(1);
  PMPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Allreduce(&data, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  PMPI_Barrier(MPI_COMM_WORLD);
  CHECK(sum == 12 * g_size, "mixing MPI and PMPI calls gave %d", sum);
  PMPI_Allreduce(&g_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(sum == g_size * (g_size - 1) / 2, "PMPI_Allreduce gave %d", sum);
}

// Expects values 1 to 3, the last of which was set first.
static int delete_in_order(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)comm;
  (void)keyval;
  int* const deleted = extra;
  if (*(int*)value == *deleted + 1) ++*deleted;
  return MPI_SUCCESS;
}

// Deleted in MPI_Finalize, in which MPI_COMM_SELF is freed first: the one that was set last before the others.
static void set_attributes_of_self(void) {
  static int values[3] = {1, 2, 3};
  int keyvals[3];
  for (int i = 0; i < 3; ++i)
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_in_order, &keyvals[i], &g_deletes_of_self);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyvals[1], &values[2]);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyvals[2], &values[1]);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyvals[0], &values[0]);
}

int main(int argc, char** argv) {
  int flag = 1;
  int version = 0;
  int subversion = 0;
  MPI_Initialized(&flag);
  const bool early = flag;
  MPI_Get_version(&version, &subversion);
  check_init(&argc, &argv);
  CHECK(!early && version >= 3, "before MPI_Init: initialized %d, version %d.%d", early, version, subversion);
  check_attributes();
  check_world_attributes();
  check_names_and_handlers();
  check_info();
  check_profiling_calls();
  set_attribute_of_predefined_type();
  set_attributes_of_self();
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(copy_attribute, delete_attribute, &keyval, &g_deletes_of_world);
  MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, g_value);
  MPI_Finalized(&flag);
  CHECK(!flag, "finalized too early");
  const int status = check_finish("attributes");
  MPI_Finalized(&flag);
  return status != 0 || !flag || g_deletes_of_self != 3 || g_deletes_of_world != 1;
}
