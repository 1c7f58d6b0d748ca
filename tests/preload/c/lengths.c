// Ranks that do not agree on how long a message is. MPI calls that an error of the program and promises
// nothing; under Tutti every rank goes on, and those that receive something else than they ask for hear of it
// from the call that completes the operation, through the error handler of the communicator. Natively the
// MPIs differ: some calls end the job, others notice nothing.
#include "persistent.h"

#include "check.h"

#include <pthread.h>

enum { k_count = 40, k_most = 4 * k_count };

static int g_handled;
static MPI_Comm g_handled_on;
static int g_handled_here;
static pthread_t g_me;

static void note(MPI_Comm* comm, int* code, ...) {
  (void)code;
  ++g_handled;
  g_handled_on = *comm;
  g_handled_here = pthread_equal(pthread_self(), g_me);
}

// Completes a request and gives the error of its operation.
typedef int Complete(MPI_Request* request);

static int class_of(int code) {
  int class = MPI_SUCCESS;
  MPI_Error_class(code, &class);
  return class;
}

// The error class of a call for several requests.
static int class_in(int code, const MPI_Status* status) {
  if (code == MPI_SUCCESS) return code;
  CHECK(class_of(code) == MPI_ERR_IN_STATUS, "class %d", class_of(code));
  return class_of(status->MPI_ERROR);
}

static int by_wait(MPI_Request* request) {
  return class_of(MPI_Wait(request, MPI_STATUS_IGNORE));
}

static int by_test(MPI_Request* request) {
  int is_done = 0, code = MPI_SUCCESS;
  while (!is_done && code == MPI_SUCCESS) code = MPI_Test(request, &is_done, MPI_STATUS_IGNORE);
  CHECK(is_done, "an error of a request that is not complete");
  return class_of(code);
}

static int by_status_and_wait(MPI_Request* request) {
  int is_done = 0, code = MPI_SUCCESS;
  while (!is_done && code == MPI_SUCCESS)
    code = MPI_Request_get_status(*request, &is_done, MPI_STATUS_IGNORE);
  CHECK(code == MPI_SUCCESS && g_handled == 0, "MPI_Request_get_status completes nothing");
  return by_wait(request);
}

static int by_waitany(MPI_Request* request) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, *request};
  int index = 0;
  const int code = MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
  CHECK(index == 1, "index %d", index);
  *request = requests[1];
  return class_of(code);
}

static int by_testany(MPI_Request* request) {
  int is_done = 0, index = 0, code = MPI_SUCCESS;
  while (!is_done && code == MPI_SUCCESS) code = MPI_Testany(1, request, &index, &is_done, MPI_STATUS_IGNORE);
  return class_of(code);
}

static int by_waitall(MPI_Request* request) {
  int mine = 7, theirs = 0;
  MPI_Request requests[3] = {MPI_REQUEST_NULL, *request, MPI_REQUEST_NULL};
  MPI_Status statuses[3];
  MPI_Irecv(&theirs, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
  MPI_Isend(&mine, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[2]);
  const int code = MPI_Waitall(3, requests, statuses);
  if (code != MPI_SUCCESS) CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS, "error %d", statuses[0].MPI_ERROR);
  CHECK(theirs == 7, "the other message");
  *request = requests[1];
  return class_in(code, &statuses[1]);
}

static int by_testall(MPI_Request* request) {
  int are_done = 0, code = MPI_SUCCESS;
  MPI_Status status;
  while (!are_done && code == MPI_SUCCESS) code = MPI_Testall(1, request, &are_done, &status);
  return class_in(code, &status);
}

static int by_waitsome(MPI_Request* request) {
  int count = 0, index = 0;
  MPI_Status status;
  const int code = MPI_Waitsome(1, request, &count, &index, &status);
  CHECK(count == 1 && index == 0, "count %d, index %d", count, index);
  return class_in(code, &status);
}

static int by_testsome(MPI_Request* request) {
  int count = 0, index = 0, code = MPI_SUCCESS;
  MPI_Status status;
  while (count == 0 && code == MPI_SUCCESS) code = MPI_Testsome(1, request, &count, &index, &status);
  return class_in(code, &status);
}

static int g_data[k_most];

static void expect(const char* what, int class, MPI_Comm comm, int is_wrong) {
  CHECK(class == (is_wrong ? MPI_ERR_TRUNCATE : MPI_SUCCESS), "%s: class %d", what, class);
  CHECK(g_handled == is_wrong, "%s: the error handler was called %d times", what, g_handled);
  if (is_wrong) CHECK(g_handled_on == comm && g_handled_here, "%s: somewhere else", what);
  g_handled = 0;
}

// The root sends k_count numbers; the others expect `count`.
static void check_with(MPI_Comm comm, int count) {
  static const struct {
    const char* name;
    Complete* complete;
  } ways[] = {{"Wait", by_wait},       {"Test", by_test},         {"get_status", by_status_and_wait},
              {"Waitany", by_waitany}, {"Testany", by_testany},   {"Waitall", by_waitall},
              {"Testall", by_testall}, {"Waitsome", by_waitsome}, {"Testsome", by_testsome}};
  const int is_root = g_rank == 0;
  const int mine = is_root ? k_count : count, is_wrong = !is_root && count != k_count;
  MPI_Request request, again;
  expect("MPI_Bcast", class_of(MPI_Bcast(g_data, mine, MPI_INT, 0, comm)), comm, is_wrong);
  MPI_Bcast_init(g_data, mine, MPI_INT, 0, comm, MPI_INFO_NULL, &again);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
    MPI_Ibcast(g_data, mine, MPI_INT, 0, comm, &request);
    expect(ways[i].name, ways[i].complete(&request), comm, is_wrong);
    CHECK(request == MPI_REQUEST_NULL, "%s leaves a request", ways[i].name);
    MPI_Start(&again);
    expect(ways[i].name, ways[i].complete(&again), comm, is_wrong);
    CHECK(again != MPI_REQUEST_NULL, "%s takes a persistent request", ways[i].name);
  }
  // If the end is not observed, no call reports the error.
  MPI_Start(&again);
  MPI_Request_free(&again);
  MPI_Barrier(comm);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  g_me = pthread_self();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD,
                          MPI_ERRORS_RETURN);  // MPICH calls that one first, whatever the request
  MPI_Comm comm;
  MPI_Errhandler handler;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(note, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  check_with(comm, k_count / 4);
  check_with(comm, k_count);
  check_with(comm, k_most);
  check_with(comm, k_count);
  // A communicator that is gone before the error comes: MPI_COMM_SELF stands in for it.
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Request request;
  MPI_Ibcast(g_data, g_rank == 0 ? k_count : k_most, MPI_INT, 0, comm, &request);
  MPI_Comm gone = comm;
  MPI_Comm_free(&gone);
  expect("a freed communicator", by_wait(&request), MPI_COMM_SELF, g_rank != 0);
  MPI_Errhandler_free(&handler);
  return check_finish("lengths");
}
