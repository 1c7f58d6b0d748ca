// What a rank finds in its requests, attributes, operators and signals, by rules of MPI and of the C library.

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

// signal() of programs that are compiled with -std=c11.
typedef void (*handler)(int);
extern handler __sysv_signal(int number, handler action);  // NOLINT

static volatile sig_atomic_t caught;

static void note(int number) {
  caught = number;
}

static void signals(void) {
  __sysv_signal(SIGFPE, note);
  raise(SIGFPE);
  CHECK(caught == SIGFPE, "a handler of signal() has run");
  for (int i = 0; i < 5; ++i) CHECK(system("exit 3") == 3 << 8, "the status of a command");
  struct sigaction action;
  sigaction(SIGINT, NULL, &action);
  CHECK(action.sa_handler == SIG_DFL, "commands of several ranks leave the action of SIGINT");
}

// The program may change data that it knows to be there.
static void data_of_a_test(void) {
  const int next = (g_rank + 1) % g_size, last = (g_rank + g_size - 1) % g_size;
  int sent[4] = {g_rank, 1, 2, 3}, received[4] = {0}, flag = 0;
  MPI_Datatype pairs;
  MPI_Type_vector(2, 1, 2, MPI_INT, &pairs);
  MPI_Type_commit(&pairs);
  MPI_Request request;
  MPI_Irecv(received, 1, pairs, last, 1, MPI_COMM_WORLD, &request);
  MPI_Send(sent, 1, pairs, next, 1, MPI_COMM_WORLD);
  MPI_Status status;
  while (flag == 0) MPI_Request_get_status(request, &flag, &status);
  CHECK(received[0] == last && received[2] == 2, "the data is there");
  received[0] = 400;
  status.MPI_TAG = 0;
  MPI_Wait(&request, &status);
  CHECK(received[0] == 400 && status.MPI_TAG == 1, "stored once: %d, tag %d", received[0], status.MPI_TAG);
  MPI_Type_free(&pairs);
}

static void attributes(void) {
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  int *most = NULL, there = 0;
  MPI_Comm_get_attr(copy, MPI_TAG_UB, &most, &there);
  CHECK(there != 0 && *most >= 32767, "the largest tag of a duplicate");
  MPI_Comm_free(&copy);
}

static MPI_Datatype passed;
static int others;

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  if (*type != passed) ++others;
  for (int i = 0; i < 2 * *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static void type_of_an_operator(void) {
  int one[2] = {1, 2}, sum[2] = {0};
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  MPI_Type_contiguous(2, MPI_INT, &passed);
  MPI_Type_commit(&passed);
  MPI_Request request;
  MPI_Iallreduce(one, sum, 1, passed, op, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(sum[0] == g_size && sum[1] == 2 * g_size, "a sum by an operator of the program");
  CHECK(others == 0, "the operator gets the datatype of the call");
  MPI_Type_free(&passed);
  MPI_Op_free(&op);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  signals();
  data_of_a_test();
  attributes();
  type_of_an_operator();
  return check_finish("as_natively");
}
