// A send and a receive in one call, blocking and not, with types that have gaps and at the ends of a line; and the
// empty status of what is no request.
#include "check.h"

#include <stdio.h>

enum { k_count = 20000, k_tag = 7 };  // beyond what is sent eagerly

static int g_sent[k_count], g_received[2 * k_count];

static int number_of(int rank, int i) {
  return 100 * rank + i % 100;
}

static void fill(void) {
  for (int i = 0; i < k_count; ++i) g_sent[i] = number_of(g_rank, i);
  for (int i = 0; i < 2 * k_count; ++i) g_received[i] = i % 2 == 0 ? number_of(g_rank, i / 2) : -1;
}

static void check_received(const char* what, int from, MPI_Status* status) {
  int count = -1, wrong = 0;
  for (int i = 0; i < k_count; ++i) {
    wrong += g_received[2 * i] != number_of(from == MPI_PROC_NULL ? g_rank : from, i);
    wrong += g_received[2 * i + 1] != -1;
  }
  MPI_Get_count(status, MPI_INT, &count);
  CHECK(wrong == 0, "%s: %d wrong elements", what, wrong);
  CHECK(status->MPI_SOURCE == from, "%s: from %d, not %d", what, status->MPI_SOURCE, from);
  CHECK(count == (from == MPI_PROC_NULL ? 0 : k_count), "%s: %d elements", what, count);
}

static void exchange(int to, int from, MPI_Datatype every_second) {
  MPI_Status status;
  fill();
  MPI_Sendrecv(g_sent, k_count, MPI_INT, to, k_tag, g_received, 1, every_second, from, k_tag, MPI_COMM_WORLD,
               &status);
  check_received("sendrecv", from, &status);
  fill();
  MPI_Sendrecv_replace(g_received, 1, every_second, to, k_tag, from, k_tag, MPI_COMM_WORLD, &status);
  check_received("sendrecv_replace", from, &status);
#if MPI_VERSION >= 4
  // MPICH 4.0.2 natively crashes where the type of a replaced buffer has gaps, and waits for ever for long messages of
  // a rank to itself.
  MPI_Request request;
  int replaced = g_rank, received = g_rank;
  MPI_Isendrecv(&g_rank, 1, MPI_INT, to, k_tag, &received, 1, MPI_INT, from, k_tag, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  CHECK(status.MPI_SOURCE == from, "isendrecv: from %d, not %d", status.MPI_SOURCE, from);
  MPI_Isendrecv_replace(&replaced, 1, MPI_INT, to, k_tag, from, k_tag, MPI_COMM_WORLD, &request);
  for (int is_over = 0; !is_over;) MPI_Test(&request, &is_over, &status);
  const int expected = from == MPI_PROC_NULL ? g_rank : from;
  CHECK(received == expected && replaced == expected, "isendrecv: %d and %d", received, replaced);
#endif
}

static void check_no_request(void) {
  MPI_Status status = {.MPI_SOURCE = 77, .MPI_TAG = 77};
  MPI_Request none = MPI_REQUEST_NULL;
  int flag = 0;
  MPI_Request_get_status(none, &flag, &status);
  CHECK(flag && status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG,
        "the status of no request: %d, source %d, tag %d", flag, status.MPI_SOURCE, status.MPI_TAG);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  MPI_Datatype every_second;
  MPI_Type_vector(k_count, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  exchange((g_rank + 1) % g_size, (g_rank + g_size - 1) % g_size, every_second);
  exchange(g_rank + 1 < g_size ? g_rank + 1 : MPI_PROC_NULL, g_rank > 0 ? g_rank - 1 : MPI_PROC_NULL,
           every_second);
  exchange(g_rank, g_rank, every_second);
  MPI_Type_free(&every_second);
  check_no_request();
  return check_finish("exchanges");
}
