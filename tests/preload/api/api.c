// The C API: every collective against the blocking one of MPI, hints, and everything that can be wrong with
// an argument. Linked with Tutti; run as it is, and preloaded besides.
#include <tutti/tutti.h>

#include "../c/check.h"

#include <stdlib.h>
#include <string.h>

enum { k_count = 3000, k_starts = 3, k_cases = 17 };

typedef struct {
  MPI_Comm comm;
  int rank, size, root;
  int *sent, *received, *expected;
  int *counts, *places, *byte_places;
  MPI_Datatype* types;
} Case;

static int initialise(int number, const Case* c, tutti_request* request) {
  const MPI_Datatype t = MPI_INT;
  const int n = k_count, root = c->root;
  const MPI_Comm comm = c->comm;
  const int *counts = c->counts, *places = c->places, *bytes = c->byte_places;
  switch (number) {
    case 0:
      return tutti_barrier_init(comm, request);
    case 1:
      return tutti_bcast_init(c->received, n, t, root, comm, request);
    case 2:
      return tutti_reduce_init(c->sent, c->received, n, t, MPI_SUM, root, comm, request);
    case 3:
      return tutti_allreduce_init(c->sent, c->received, n, t, MPI_SUM, comm, request);
    case 4:
      return tutti_reduce_scatter_init(c->sent, c->received, counts, t, MPI_SUM, comm, request);
    case 5:
      return tutti_reduce_scatter_block_init(c->sent, c->received, n, t, MPI_SUM, comm, request);
    case 6:
      return tutti_scan_init(c->sent, c->received, n, t, MPI_SUM, comm, request);
    case 7:
      return tutti_exscan_init(c->sent, c->received, n, t, MPI_SUM, comm, request);
    case 8:
      return tutti_allgather_init(c->sent, n, t, c->received, n, t, comm, request);
    case 9:
      return tutti_allgatherv_init(c->sent, n, t, c->received, counts, places, t, comm, request);
    case 10:
      return tutti_gather_init(c->sent, n, t, c->received, n, t, root, comm, request);
    case 11:
      return tutti_gatherv_init(c->sent, n, t, c->received, counts, places, t, root, comm, request);
    case 12:
      return tutti_scatter_init(c->sent, n, t, c->received, n, t, root, comm, request);
    case 13:
      return tutti_scatterv_init(c->sent, counts, places, t, c->received, n, t, root, comm, request);
    case 14:
      return tutti_alltoall_init(c->sent, n, t, c->received, n, t, comm, request);
    case 15:
      return tutti_alltoallv_init(c->sent, counts, places, t, c->received, counts, places, t, comm, request);
    default:
      return tutti_alltoallw_init(c->sent, counts, bytes, c->types, c->received, counts, bytes, c->types,
                                  comm, request);
  }
}

static void call_native(int number, const Case* c) {
  const MPI_Datatype t = MPI_INT;
  const int n = k_count, root = c->root;
  const MPI_Comm comm = c->comm;
  const int *counts = c->counts, *places = c->places, *bytes = c->byte_places;
  switch (number) {
    case 0:
      PMPI_Barrier(comm);
      break;
    case 1:
      PMPI_Bcast(c->expected, n, t, root, comm);
      break;
    case 2:
      PMPI_Reduce(c->sent, c->expected, n, t, MPI_SUM, root, comm);
      break;
    case 3:
      PMPI_Allreduce(c->sent, c->expected, n, t, MPI_SUM, comm);
      break;
    case 4:
      PMPI_Reduce_scatter(c->sent, c->expected, counts, t, MPI_SUM, comm);
      break;
    case 5:
      PMPI_Reduce_scatter_block(c->sent, c->expected, n, t, MPI_SUM, comm);
      break;
    case 6:
      PMPI_Scan(c->sent, c->expected, n, t, MPI_SUM, comm);
      break;
    case 7:
      PMPI_Exscan(c->sent, c->expected, n, t, MPI_SUM, comm);
      break;
    case 8:
      PMPI_Allgather(c->sent, n, t, c->expected, n, t, comm);
      break;
    case 9:
      PMPI_Allgatherv(c->sent, n, t, c->expected, counts, places, t, comm);
      break;
    case 10:
      PMPI_Gather(c->sent, n, t, c->expected, n, t, root, comm);
      break;
    case 11:
      PMPI_Gatherv(c->sent, n, t, c->expected, counts, places, t, root, comm);
      break;
    case 12:
      PMPI_Scatter(c->sent, n, t, c->expected, n, t, root, comm);
      break;
    case 13:
      PMPI_Scatterv(c->sent, counts, places, t, c->expected, n, t, root, comm);
      break;
    case 14:
      PMPI_Alltoall(c->sent, n, t, c->expected, n, t, comm);
      break;
    case 15:
      PMPI_Alltoallv(c->sent, counts, places, t, c->expected, counts, places, t, comm);
      break;
    default:
      PMPI_Alltoallw(c->sent, counts, bytes, c->types, c->expected, counts, bytes, c->types, comm);
  }
}

#define GOOD(call)                                                                 \
  do {                                                                             \
    const int code_ = (call);                                                      \
    CHECK(code_ == TUTTI_SUCCESS, "%s: %d, %s", #call, code_, tutti_last_error()); \
  } while (0)

#define REFUSED(code, call)                                                                    \
  do {                                                                                         \
    const int code_ = (call);                                                                  \
    CHECK(code_ == (code), "%s: %d instead of %d", #call, code_, (code));                      \
    CHECK(tutti_last_error()[0] != '\0' && tutti_error_string(code_)[0] != '\0', "a message"); \
  } while (0)

static void run(int number, const Case* c) {
  const size_t ints = (size_t)k_count * (size_t)c->size;
  tutti_request request = TUTTI_REQUEST_NULL;
  GOOD(initialise(number, c, &request));
  for (unsigned start = 0; start < k_starts; ++start) {
    for (size_t i = 0; i < ints; ++i) {
      c->sent[i] = value_of(c->rank, i, start) % 1000;
      c->received[i] = c->expected[i] = value_of(c->rank, i, 77) % 1000;
    }
    GOOD(tutti_start(&request));
    int is_done = 0;
    int code = TUTTI_SUCCESS;
    while (start % 2 == 1 && !is_done && code == TUTTI_SUCCESS) code = tutti_test(&request, &is_done);
    CHECK(code == TUTTI_SUCCESS, "test: %d, %s", code, tutti_last_error());
    if (!is_done) GOOD(tutti_wait(&request));
    call_native(number, c);
    CHECK(memcmp(c->received, c->expected, ints * sizeof(int)) == 0, "collective %d of %d ranks, start %u",
          number, c->size, start);
  }
  GOOD(tutti_request_free(&request));
  CHECK(request == TUTTI_REQUEST_NULL, "a freed request is null");
}

static Case make_case(MPI_Comm comm, int rank, int size) {
  Case c = {.comm = comm, .rank = rank, .size = size};
  const size_t ints = (size_t)k_count * (size_t)size;
  c.sent = allocate_ints(ints, 0);
  c.received = allocate_ints(ints, 0);
  c.expected = allocate_ints(ints, 0);
  c.counts = allocate_ints((size_t)size, k_count);
  c.places = allocate_ints((size_t)size, 0);
  c.byte_places = allocate_ints((size_t)size, 0);
  c.types = allocate((size_t)size * sizeof *c.types);
  for (int r = 0; r < size; ++r) {
    c.places[r] = (size - 1 - r) * k_count;
    c.byte_places[r] = c.places[r] * (int)sizeof(int);
    c.types[r] = MPI_INT;
  }
  return c;
}

static void free_case(Case* c) {
  int* const arrays[] = {c->sent, c->received, c->expected, c->counts, c->places, c->byte_places};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) free(arrays[i]);
  free(c->types);
}

static void all_collectives(MPI_Comm comm, int rank, int size) {
  Case c = make_case(comm, rank, size);
  for (int number = 0; number < k_cases; ++number) {
    c.root = number % size;
    run(number, &c);
  }
  free_case(&c);
}

static void with_hints(MPI_Comm comm, int rank, int size) {
  static const char* const hints[][2] = {{"algorithm", "ring"},        {"algorithm", "native"},
                                         {"algorithm", "auto"},        {"progress", "off"},
                                         {"progress", "auto"},         {"calls", "1000"},
                                         {"progress", "thread_spare"}, {"progress", "thread_shared"},
                                         {"progress", "inline"},       {"openmp_threads", "may_change"}};
  Case c = make_case(comm, rank, size);
  for (size_t i = 0; i < sizeof hints / sizeof *hints; ++i) {
    GOOD(tutti_hint(hints[i][0], hints[i][1]));
    run(3, &c);
    run(8, &c);
  }
  GOOD(tutti_hint("algorithm", "ring:segment=4K"));
  run(3, &c);
  GOOD(tutti_hint("algorithm", "linear"));
  tutti_request request;
  REFUSED(TUTTI_ERR_HINT, initialise(3, &c, &request));
  GOOD(tutti_hint("algorithm", "auto"));
  GOOD(tutti_hint("progress", "auto"));
  free_case(&c);
}

// Rank 1 joins after it has received the data of rank 0; rank 0 only tests.
static void peers_need_progress(void) {
  enum { k_messages = 4000, k_length = 512 };
  int* const messages = allocate_ints((size_t)k_messages * k_length, g_rank);
  MPI_Request* const sends = allocate(k_messages * sizeof *sends);
  tutti_request request;
  int is_done = 0, sum = 0;
  GOOD(tutti_hint("algorithm", "ring"));
  GOOD(tutti_allreduce_init(&g_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
  GOOD(tutti_hint("algorithm", "auto"));
  for (int i = 0; i < k_messages && g_rank < 2; ++i) {
    int* const message = messages + (size_t)i * k_length;
    if (g_rank == 0)
      MPI_Isend(message, k_length, MPI_INT, 1, 5, MPI_COMM_WORLD, &sends[i]);
    else
      MPI_Recv(message, k_length, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  GOOD(tutti_start(&request));
  int code = TUTTI_SUCCESS;
  while (!is_done && code == TUTTI_SUCCESS) code = tutti_test(&request, &is_done);
  CHECK(code == TUTTI_SUCCESS, "test: %d, %s", code, tutti_last_error());
  if (g_rank == 0) MPI_Waitall(k_messages, sends, MPI_STATUSES_IGNORE);
  CHECK(sum == g_size * (g_size - 1) / 2, "sum %d", sum);
  GOOD(tutti_request_free(&request));
  free(sends);
  free(messages);
}

static void bad_arguments(void) {
  int data[4] = {0}, out[4] = {0};
  const MPI_Comm world = MPI_COMM_WORLD;
  tutti_request request = 5;
  REFUSED(TUTTI_ERR_ARGUMENT, tutti_bcast_init(data, 4, MPI_INT, 0, world, NULL));
  REFUSED(TUTTI_ERR_ARGUMENT, tutti_bcast_init(data, -1, MPI_INT, 0, world, &request));
  CHECK(request == TUTTI_REQUEST_NULL, "no request was made");
  REFUSED(TUTTI_ERR_ARGUMENT, tutti_bcast_init(data, 4, MPI_INT, -1, world, &request));
  REFUSED(TUTTI_ERR_ARGUMENT, tutti_bcast_init(data, 4, MPI_INT, g_size, world, &request));
  REFUSED(TUTTI_ERR_ARGUMENT, tutti_bcast_init(data, 4, MPI_DATATYPE_NULL, 0, world, &request));
  REFUSED(TUTTI_ERR_ARGUMENT, tutti_bcast_init(NULL, 4, MPI_INT, 0, world, &request));
  REFUSED(TUTTI_ERR_COMM, tutti_bcast_init(data, 4, MPI_INT, 0, MPI_COMM_NULL, &request));
  REFUSED(TUTTI_ERR_COMM, tutti_barrier_init(MPI_COMM_NULL, &request));
  REFUSED(TUTTI_ERR_ARGUMENT, tutti_allreduce_init(data, out, 4, MPI_INT, MPI_OP_NULL, world, &request));
  REFUSED(TUTTI_ERR_ARGUMENT, tutti_allreduce_init(data, NULL, 4, MPI_INT, MPI_SUM, world, &request));
  REFUSED(TUTTI_ERR_ARGUMENT, tutti_reduce_scatter_init(data, out, NULL, MPI_INT, MPI_SUM, world, &request));
  REFUSED(TUTTI_ERR_ARGUMENT,
          tutti_alltoallv_init(data, NULL, data, MPI_INT, out, data, data, MPI_INT, world, &request));
  REFUSED(TUTTI_ERR_ARGUMENT,
          tutti_alltoallw_init(data, data, data, NULL, out, data, data, NULL, world, &request));
}

static void bad_requests(void) {
  int data = 0, is_done = 1;
  tutti_request request = TUTTI_REQUEST_NULL;
  REFUSED(TUTTI_ERR_REQUEST, tutti_start(&request));
  REFUSED(TUTTI_ERR_REQUEST, tutti_wait(&request));
  REFUSED(TUTTI_ERR_REQUEST, tutti_test(&request, &is_done));
  CHECK(is_done == 0, "nothing has ended");
  REFUSED(TUTTI_ERR_REQUEST, tutti_request_free(&request));
  request = 123456789;
  REFUSED(TUTTI_ERR_REQUEST, tutti_start(&request));
  request = -1;
  REFUSED(TUTTI_ERR_REQUEST, tutti_start(&request));
  REFUSED(TUTTI_ERR_ARGUMENT, tutti_start(NULL));
  REFUSED(TUTTI_ERR_ARGUMENT, tutti_wait(NULL));
  REFUSED(TUTTI_ERR_ARGUMENT, tutti_test(NULL, &is_done));
  REFUSED(TUTTI_ERR_ARGUMENT, tutti_test(&request, NULL));
  REFUSED(TUTTI_ERR_ARGUMENT, tutti_request_free(NULL));

  GOOD(tutti_bcast_init(&data, 1, MPI_INT, 0, MPI_COMM_WORLD, &request));
  tutti_request copy = request;
  REFUSED(TUTTI_ERR_INACTIVE, tutti_wait(&request));
  REFUSED(TUTTI_ERR_INACTIVE, tutti_test(&request, &is_done));
  GOOD(tutti_start(&request));
  REFUSED(TUTTI_ERR_ACTIVE, tutti_start(&request));
  REFUSED(TUTTI_ERR_ACTIVE, tutti_request_free(&request));
  REFUSED(TUTTI_ERR_ACTIVE, tutti_finalize());
  GOOD(tutti_wait(&copy));
  REFUSED(TUTTI_ERR_INACTIVE, tutti_wait(&request));
  GOOD(tutti_request_free(&request));
  REFUSED(TUTTI_ERR_REQUEST, tutti_start(&copy));
  REFUSED(TUTTI_ERR_REQUEST, tutti_request_free(&copy));
}

static void bad_hints(void) {
  REFUSED(TUTTI_ERR_ARGUMENT, tutti_hint(NULL, "1"));
  REFUSED(TUTTI_ERR_ARGUMENT, tutti_hint("calls", NULL));
  REFUSED(TUTTI_ERR_HINT, tutti_hint("colour", "blue"));
  REFUSED(TUTTI_ERR_HINT, tutti_hint("calls", "0"));
  REFUSED(TUTTI_ERR_HINT, tutti_hint("calls", "many"));
  REFUSED(TUTTI_ERR_HINT, tutti_hint("calls", "99999999999999999999999"));
  REFUSED(TUTTI_ERR_HINT, tutti_hint("algorithm", "rinq"));
  REFUSED(TUTTI_ERR_HINT, tutti_hint("algorithm", "ring:colour=blue"));
  REFUSED(TUTTI_ERR_HINT, tutti_hint("progress", "fast"));
  REFUSED(TUTTI_ERR_HINT, tutti_hint("openmp_threads", ""));
}

static void outside(void) {
  int data = 0;
  tutti_request request = TUTTI_REQUEST_NULL;
  REFUSED(TUTTI_ERR_NOT_INITIALIZED, tutti_bcast_init(&data, 1, MPI_INT, 0, MPI_COMM_WORLD, &request));
  REFUSED(TUTTI_ERR_NOT_INITIALIZED, tutti_start(&request));
  REFUSED(TUTTI_ERR_NOT_INITIALIZED, tutti_hint("calls", "1"));
  REFUSED(TUTTI_ERR_NOT_INITIALIZED, tutti_finalize());
}

/* Only where one is kept, and with what has served the last call. */
static void report(void) {
  const char* kept = getenv("TUTTI_REPORT");
  const char* forced = getenv("TUTTI_BCAST");
  int data = 0;
  MPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_WORLD);
  char* kept_text = tutti_report();
  const char* text = kept_text == NULL ? "" : kept_text;
  const bool is_kept = kept != NULL && strcmp(kept, "none") != 0;
  CHECK((kept_text != NULL) == is_kept, "TUTTI_REPORT=%s, and the report is: %s", is_kept ? kept : "none",
        text);
  if (is_kept && g_size > 1) {
    CHECK(strstr(text, "\"collective\": \"bcast\"") != NULL, "no line of bcast in %s", text);
    CHECK(forced == NULL || strstr(text, forced) != NULL, "not what TUTTI_BCAST says is in %s", text);
  }
  free(kept_text);
}

int main(int argc, char** argv) {
  REFUSED(TUTTI_ERR_NOT_INITIALIZED, tutti_init());
  check_init(&argc, &argv);
  outside();
  GOOD(tutti_init());
  GOOD(tutti_init());
  GOOD(tutti_finalize());
  report();
  bad_arguments();
  bad_requests();
  bad_hints();
  for_each_communicator(all_collectives);
  for_each_communicator(with_hints);
  if (g_size > 1) peers_need_progress();
  tutti_request left_over;
  GOOD(tutti_barrier_init(MPI_COMM_WORLD, &left_over));
  GOOD(tutti_finalize());
  outside();
  REFUSED(TUTTI_ERR_NOT_INITIALIZED, tutti_start(&left_over));
  CHECK(tutti_error_string(-1) != NULL && tutti_error_string(1000) != NULL, "every code has a text");
  return check_finish("api");
}
