// Functions of generalized requests, of attributes and operators that call the MPI, between nonblocking collectives.
#include "check.h"

static void use_mpi(void) {
  MPI_Comm other;
  char name[MPI_MAX_OBJECT_NAME];
  int length = 0;
  MPI_Comm_dup(MPI_COMM_SELF, &other);
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  CHECK(length > 0, "MPI_COMM_WORLD has no name");
  MPI_Comm_free(&other);
}

static int query(void* state, MPI_Status* status) {
  (void)state;
  use_mpi();
  MPI_Status_set_elements(status, MPI_INT, 3);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = 1;
  status->MPI_TAG = 2;
  return MPI_SUCCESS;
}
static int end(void* state) {
  ++*(int*)state;
  use_mpi();
  return MPI_SUCCESS;
}
static int cancel(void* state, int is_complete) {
  (void)state;
  (void)is_complete;
  return MPI_SUCCESS;
}

static int copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm;
  (void)key;
  (void)extra;
  use_mpi();
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}
static int erase(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm;
  (void)key;
  (void)value;
  (void)extra;
  use_mpi();
  return MPI_SUCCESS;
}

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  int size = 0;
  MPI_Type_size(*type, &size);
  CHECK(size == (int)sizeof(double), "the type has %d bytes", size);
  for (int i = 0; i < *count; ++i) ((double*)inout)[i] += ((double*)in)[i];
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  int ended = 0, key;
  MPI_Op op;
  MPI_Comm_create_keyval(copy, erase, &key, NULL);
  MPI_Op_create(add, 1, &op);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &ended);
  for (int round = 0; round < 20; ++round) {
    MPI_Request generalized, broadcast;
    MPI_Status status;
    double value = g_rank == round % g_size ? round : -1, sum = 0;
    int count = 0;
    MPI_Grequest_start(query, end, cancel, &ended, &generalized);
    MPI_Ibcast(&value, 1, MPI_DOUBLE, round % g_size, MPI_COMM_WORLD, &broadcast);
    MPI_Grequest_complete(generalized);
    MPI_Wait(&generalized, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == 3 && status.MPI_TAG == 2, "%d elements, tag %d", count, status.MPI_TAG);
    MPI_Wait(&broadcast, MPI_STATUS_IGNORE);
    CHECK(value == round, "the value of round %d is %g", round, value);
    MPI_Iallreduce(&value, &sum, 1, MPI_DOUBLE, op, MPI_COMM_WORLD, &broadcast);
    MPI_Wait(&broadcast, MPI_STATUS_IGNORE);
    CHECK(sum == g_size * round, "the sum of round %d is %g", round, sum);
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_free(&other);
  }
  CHECK(ended == 20, "%d generalized requests have ended", ended);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  MPI_Comm_free_keyval(&key);
  MPI_Op_free(&op);
  return check_finish("calling_callbacks");
}
