// A rank blocks in a call that ends only after its peers have finished a nonblocking collective, in which
// they need its part: whatever it blocks in has to carry that on.
#include "check.h"

#include <stdlib.h>

enum { k_count = 20000, k_large = 1 << 18, k_tag = 7 };

static MPI_Comm g_first;   // of the nonblocking collective
static MPI_Comm g_second;  // of everything else

static int* g_data;  // k_large numbers

// An action of rank 0 after the collective, or the call in which the others block meanwhile.
typedef void (*Act)(void);

static void send_to_all(void) {
  for (int peer = 1; peer < g_size; ++peer) MPI_Send(g_data, k_large, MPI_INT, peer, k_tag, g_second);
}

static void receive_from_all(void) {
  for (int peer = 1; peer < g_size; ++peer)
    MPI_Recv(g_data, k_large, MPI_INT, peer, k_tag, g_second, MPI_STATUS_IGNORE);
}

static void exchange_with_all(void) {
  for (int peer = 1; peer < g_size; ++peer) {
    MPI_Request request;
    MPI_Irecv(g_data + k_large / 2, k_large / 2, MPI_INT, peer, k_tag, g_second, &request);
    MPI_Send(g_data, k_large / 2, MPI_INT, peer, k_tag, g_second);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void recv(void) {
  MPI_Status status;
  MPI_Recv(g_data, k_large, MPI_INT, MPI_ANY_SOURCE, k_tag, g_second, &status);
  int count = 0;
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(status.MPI_SOURCE == 0 && status.MPI_TAG == k_tag && count == k_large, "status of a receive");
}

static void probe(void) {
  MPI_Status status;
  MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, g_second, &status);
  CHECK(status.MPI_SOURCE == 0 && status.MPI_TAG == k_tag, "status of a probe");
  MPI_Recv(g_data, k_large, MPI_INT, 0, k_tag, g_second, MPI_STATUS_IGNORE);
}

static void mprobe(void) {
  MPI_Message message;
  MPI_Status status;
  MPI_Mprobe(0, k_tag, g_second, &message, &status);
  MPI_Mrecv(g_data, k_large, MPI_INT, &message, &status);
  CHECK(status.MPI_SOURCE == 0 && message == MPI_MESSAGE_NULL, "a matched receive");
}

static void iprobe(void) {
  int is_there = 0;
  while (!is_there) MPI_Iprobe(0, k_tag, g_second, &is_there, MPI_STATUS_IGNORE);
  MPI_Recv(g_data, k_large, MPI_INT, 0, k_tag, g_second, MPI_STATUS_IGNORE);
}

static void improbe(void) {
  int is_there = 0;
  MPI_Message message;
  while (!is_there) MPI_Improbe(0, k_tag, g_second, &is_there, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(g_data, k_large, MPI_INT, &message, MPI_STATUS_IGNORE);
}

static void wait(void) {
  MPI_Request request;
  MPI_Irecv(g_data, k_large, MPI_INT, 0, k_tag, g_second, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void waitall(void) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[2];
  MPI_Irecv(g_data, k_large, MPI_INT, 0, k_tag, g_second, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  CHECK(statuses[1].MPI_SOURCE == 0, "status of the second request");
}

static void waitany(void) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int index = -1;
  MPI_Irecv(g_data, k_large, MPI_INT, 0, k_tag, g_second, &requests[1]);
  MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
  CHECK(index == 1, "index %d", index);
}

static void waitsome(void) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int count = 0;
  int indices[2];
  MPI_Irecv(g_data, k_large, MPI_INT, 0, k_tag, g_second, &requests[1]);
  MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
  CHECK(count == 1 && indices[0] == 1, "%d requests, index %d", count, indices[0]);
}

static void test(void) {
  MPI_Request request;
  int is_done = 0;
  MPI_Irecv(g_data, k_large, MPI_INT, 0, k_tag, g_second, &request);
  while (!is_done) MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
}

static void get_status(void) {
  MPI_Request request;
  int is_done = 0;
  MPI_Irecv(g_data, k_large, MPI_INT, 0, k_tag, g_second, &request);
  while (!is_done) MPI_Request_get_status(request, &is_done, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void send_large(void) {
  MPI_Send(g_data, k_large, MPI_INT, 0, k_tag, g_second);
}

static void ssend(void) {
  MPI_Ssend(g_data, 1, MPI_INT, 0, k_tag, g_second);
}

static void sendrecv(void) {
  MPI_Status status;
  MPI_Sendrecv(g_data, k_large / 2, MPI_INT, 0, k_tag, g_data + k_large / 2, k_large / 2, MPI_INT, 0, k_tag,
               g_second, &status);
  CHECK(status.MPI_SOURCE == 0, "status of MPI_Sendrecv");
}

static void sendrecv_replace(void) {
  MPI_Status status;
  MPI_Sendrecv_replace(g_data, k_large / 2, MPI_INT, 0, k_tag, 0, k_tag, g_second, &status);
  CHECK(status.MPI_SOURCE == 0, "status of MPI_Sendrecv_replace");
}

static void barrier(void) {
  MPI_Barrier(g_second);
}

static void bcast(void) {
  MPI_Bcast(g_data, k_large, MPI_INT, 0, g_second);
}

static void bcast_little(void) {
  MPI_Bcast(g_data, 1, MPI_INT, 0, g_second);
}

static void allreduce(void) {
  int sum = g_rank;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, g_second);
  CHECK(sum == g_size * (g_size - 1) / 2, "sum %d", sum);
}

static void gather(void) {
  int* all = allocate_ints((size_t)g_size, -1);
  MPI_Gather(&g_rank, 1, MPI_INT, all, 1, MPI_INT, g_size - 1, g_second);
  CHECK(g_rank != g_size - 1 || all[0] == 0, "gather");
  free(all);
}

static void create(void) {
  MPI_Comm copy;
  MPI_Comm_dup(g_second, &copy);
  MPI_Barrier(copy);
  MPI_Comm_free(&copy);
}

static void split(void) {
  MPI_Comm part;
  MPI_Comm_split(g_second, 0, -g_rank, &part);
  MPI_Comm_free(&part);
}

typedef struct {
  const char* name;
  Act first;   // rank 0, after the collective
  Act second;  // the others, before it has ended
} Way;

static const Way k_ways[] = {
    {"recv", send_to_all, recv},
    {"probe", send_to_all, probe},
    {"mprobe", send_to_all, mprobe},
    {"iprobe", send_to_all, iprobe},
    {"improbe", send_to_all, improbe},
    {"wait", send_to_all, wait},
    {"waitall", send_to_all, waitall},
    {"waitany", send_to_all, waitany},
    {"waitsome", send_to_all, waitsome},
    {"test", send_to_all, test},
    {"get_status", send_to_all, get_status},
    {"send", receive_from_all, send_large},
    {"ssend", receive_from_all, ssend},
    {"sendrecv", exchange_with_all, sendrecv},
    {"sendrecv_replace", exchange_with_all, sendrecv_replace},
    {"barrier", barrier, barrier},
    {"bcast", bcast, bcast},
    {"bcast_little", bcast_little, bcast_little},
    {"allreduce", allreduce, allreduce},
    {"gather", gather, gather},
    {"create", create, create},
    {"split", split, split},
};

static void go(const Way* way) {
  int* sums = allocate_ints(k_count, g_rank);
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, sums, k_count, MPI_INT, MPI_SUM, g_first, &request);
  if (g_rank == 0) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    way->first();
  } else {
    way->second();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  const int sum = g_size * (g_size - 1) / 2;
  CHECK(sums[0] == sum && sums[k_count - 1] == sum, "%s: sum %d", way->name, sums[0]);
  free(sums);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &g_first);
  MPI_Comm_dup(MPI_COMM_WORLD, &g_second);
  g_data = allocate_ints(k_large, 1);
  for (size_t i = 0; i < sizeof k_ways / sizeof *k_ways; ++i) go(&k_ways[i]);
  free(g_data);
  MPI_Comm_free(&g_first);
  MPI_Comm_free(&g_second);
  return check_finish("needed_by_peers");
}
