// Requests of persistent collectives in every call that takes a request: active and inactive, alone and mixed
// with point-to-point, nonblocking and null requests; started in another order on every rank.
#include "persistent.h"

#include "check.h"

#include <stdlib.h>

enum { k_count = 5000, k_requests = 9, k_active = 7, k_ways = 6 };

typedef struct {
  MPI_Request request;
  int* mine;
  int* sum;
} Sum;

static Sum make_sum(MPI_Comm comm) {
  Sum made = {MPI_REQUEST_NULL, allocate_ints(k_count, 0), allocate_ints(k_count, -1)};
  MPI_Allreduce_init(made.mine, made.sum, k_count, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &made.request);
  return made;
}

static void set(Sum* sum, int value) {
  for (int i = 0; i < k_count; ++i) sum->mine[i] = value + i;
}

static void check_sum(const Sum* sum, int size, int value, const char* what) {
  int wrong = 0;
  for (int i = 0; i < k_count; ++i) wrong += sum->sum[i] != size * (value + i);
  CHECK(wrong == 0, "%s: %d of %d sums are wrong", what, wrong, k_count);
}

static void free_sum(Sum* sum) {
  MPI_Request_free(&sum->request);
  free(sum->mine);
  free(sum->sum);
}

static void while_inactive(MPI_Comm comm) {
  Sum sum = make_sum(comm);
  MPI_Request requests[2] = {sum.request, MPI_REQUEST_NULL};
  MPI_Status status;
  int index = 0, flag = 0, count = 0;
  int indices[2];
  MPI_Wait(&requests[0], &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG && count == 0,
        "an empty status");
  MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  CHECK(flag, "Test of an inactive request");
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  flag = 0;
  MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
  CHECK(flag, "Testall of inactive requests");
  MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
  CHECK(index == MPI_UNDEFINED, "Waitany of inactive requests: %d", index);
  flag = index = 0;
  MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
  CHECK(flag && index == MPI_UNDEFINED, "Testany of inactive requests: %d", index);
  MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
  CHECK(count == MPI_UNDEFINED, "Waitsome of inactive requests: %d", count);
  count = 0;
  MPI_Testsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
  CHECK(count == MPI_UNDEFINED, "Testsome of inactive requests: %d", count);
  flag = 0;
  MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
  CHECK(flag && requests[0] == sum.request, "an inactive request is left as it is");
  free_sum(&sum);
}

static void alone(MPI_Comm comm, int rank, int size) {
  (void)rank;
  Sum sum = make_sum(comm);
  for (int round = 0; round < 12; ++round) {
    int flag = 0, index = -1, count = 0;
    set(&sum, round);
    MPI_Start(&sum.request);
    switch (round % 4) {
      case 0:
        MPI_Wait(&sum.request, MPI_STATUS_IGNORE);
        break;
      case 1:
        while (!flag) MPI_Test(&sum.request, &flag, MPI_STATUS_IGNORE);
        break;
      case 2:
        while (!flag) MPI_Request_get_status(sum.request, &flag, MPI_STATUS_IGNORE);
        MPI_Waitany(1, &sum.request, &index, MPI_STATUS_IGNORE);
        CHECK(index == 0, "get_status leaves the completion to Waitany: %d", index);
        break;
      default:
        MPI_Waitsome(1, &sum.request, &count, &index, MPI_STATUSES_IGNORE);
        CHECK(count == 1 && index == 0, "Waitsome of one: %d", count);
    }
    check_sum(&sum, size, round, "alone");
  }
  // Through Fortran's handle and back.
  MPI_Request same = MPI_Request_f2c(MPI_Request_c2f(sum.request));
  set(&sum, 70);
  MPI_Start(&same);
  MPI_Wait(&same, MPI_STATUS_IGNORE);
  check_sum(&sum, size, 70, "another name of the handle");
  free_sum(&sum);
}

// Completes all that is active in `requests`, in one of several ways.
static void complete(int way, MPI_Request* requests) {
  int indices[k_requests];
  int index = 0, flag = 0, count = 0;
  bool seen[k_requests] = {false}, is_sound = true;
  for (int left = k_active; left > 0;) {
    switch (way) {
      case 0:
        MPI_Waitall(k_requests, requests, MPI_STATUSES_IGNORE);
        left = 0;
        continue;
      case 1:
        while (!flag) MPI_Testall(k_requests, requests, &flag, MPI_STATUSES_IGNORE);
        left = 0;
        continue;
      case 2:
        MPI_Waitany(k_requests, requests, &indices[0], MPI_STATUS_IGNORE);
        count = 1;
        break;
      case 3:
        MPI_Testany(k_requests, requests, &indices[0], &flag, MPI_STATUS_IGNORE);
        count = flag ? 1 : 0;
        break;
      case 4:
        MPI_Waitsome(k_requests, requests, &count, indices, MPI_STATUSES_IGNORE);
        break;
      default:
        MPI_Testsome(k_requests, requests, &count, indices, MPI_STATUSES_IGNORE);
    }
    is_sound = is_sound && count != MPI_UNDEFINED && count <= left;
    for (int i = 0; is_sound && i < count; ++i) {
      index = indices[i];
      is_sound = index >= 0 && index < k_requests && !seen[index];
      if (is_sound) seen[index] = true;
    }
    if (!is_sound) break;
    left -= count;
  }
  CHECK(is_sound, "way %d: %d completed, the last one is %d", way, count, index);
  if (way >= 2) CHECK(!seen[3] && !seen[8], "a null or inactive request was completed");
  MPI_Testany(k_requests, requests, &index, &flag, MPI_STATUS_IGNORE);
  CHECK(flag && index == MPI_UNDEFINED, "way %d: something is left: %d", way, index);
}

static void mixed(MPI_Comm comm, int rank, int size) {
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  Sum first = make_sum(comm), second = make_sum(comm), idle = make_sum(comm);
  int from_left[2] = {-1, -1}, sent[2] = {rank, rank * 2}, data = -1;
  MPI_Request requests[k_requests];
  requests[0] = first.request;
  MPI_Recv_init(&from_left[0], 1, MPI_INT, left, 6, comm, &requests[1]);
  MPI_Send_init(&sent[0], 1, MPI_INT, right, 6, comm, &requests[2]);
  requests[3] = MPI_REQUEST_NULL;
  requests[4] = second.request;
  requests[8] = idle.request;
  for (int way = 0; way < k_ways; ++way) {
    from_left[0] = from_left[1] = -1;
    set(&first, way);
    set(&second, way + 100);
    data = rank == 0 ? way : -1;
    MPI_Ibcast(&data, 1, MPI_INT, 0, comm, &requests[5]);
    MPI_Irecv(&from_left[1], 1, MPI_INT, left, 7, comm, &requests[6]);
    MPI_Isend(&sent[1], 1, MPI_INT, right, 7, comm, &requests[7]);
    MPI_Startall(3, requests);
    MPI_Start(&requests[4]);
    complete(way, requests);
    check_sum(&first, size, way, "mixed, first");
    check_sum(&second, size, way + 100, "mixed, second");
    CHECK(from_left[0] == left && from_left[1] == left * 2 && data == way, "the others of way %d", way);
    CHECK(requests[0] == first.request && requests[4] == second.request, "persistent requests stay");
    CHECK(requests[5] == MPI_REQUEST_NULL && requests[6] == MPI_REQUEST_NULL, "the others go");
  }
  MPI_Request_free(&requests[1]);
  MPI_Request_free(&requests[2]);
  free_sum(&first);
  free_sum(&second);
  free_sum(&idle);
}

enum { k_many = 150 };

// MPI 4.0, section 6.13: started in any order, which can differ among the processes. More of them than an
// implementation may want to have under way at once.
static void in_any_order(MPI_Comm comm, int rank, int size) {
  MPI_Request requests[k_many], in_order[k_many];
  int sums[k_many], mine[k_many];
  for (int i = 0; i < k_many; ++i)
    MPI_Allreduce_init(&mine[i], &sums[i], 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &requests[i]);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < k_many; ++i) {
      mine[i] = i * (round + 1);
      in_order[i] = requests[rank % 2 == 0 ? i : k_many - 1 - i];
    }
    if (round == 2) {
      MPI_Startall(k_many, in_order);
    } else {
      for (int i = 0; i < k_many; ++i) MPI_Start(&in_order[i]);
    }
    MPI_Waitall(k_many, in_order, MPI_STATUSES_IGNORE);
    int wrong = 0;
    for (int i = 0; i < k_many; ++i) wrong += sums[i] != size * i * (round + 1);
    CHECK(wrong == 0, "%d of %d sums started in any order are wrong", wrong, k_many);
  }
  for (int i = 0; i < k_many; ++i) MPI_Request_free(&requests[i]);
}

// A blocking and a nonblocking collective stand before the start on some ranks, behind it on others.
static void beside_others(MPI_Comm comm, int rank, int size) {
  Sum sum = make_sum(comm);
  for (int round = 0; round < 10; ++round) {
    int data = rank == 0 ? round : -1, total = 0;
    MPI_Request other;
    set(&sum, round);
    if (rank % 2 == 0) MPI_Start(&sum.request);
    MPI_Iallreduce(&round, &total, 1, MPI_INT, MPI_SUM, comm, &other);
    MPI_Bcast(&data, 1, MPI_INT, 0, comm);
    if (rank % 2 != 0) MPI_Start(&sum.request);
    MPI_Wait(&sum.request, MPI_STATUS_IGNORE);
    MPI_Wait(&other, MPI_STATUS_IGNORE);
    check_sum(&sum, size, round, "beside others");
    CHECK(data == round && total == size * round, "others beside it");
  }
  free_sum(&sum);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  if (argc > 1) {  // "inactive"
    while_inactive(MPI_COMM_WORLD);
  } else {
    for_each_communicator(alone);
    for_each_communicator(mixed);
    for_each_communicator(beside_others);
    for_each_communicator(in_any_order);
  }
  return check_finish("persistent_requests");
}
