// Requests of nonblocking collectives in every completion call, alone and mixed with point-to-point and
// persistent requests; many in flight.
#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { k_count = 20000, k_kinds = 6, k_many = 300 };

typedef struct {
  MPI_Request request;
  int* input;
  int* output;
} Operation;

// One of several collectives on fresh buffers.
static Operation start(int kind, MPI_Comm comm, unsigned salt) {
  int rank;
  int size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  Operation made = {MPI_REQUEST_NULL, allocate_ints((size_t)k_count * (size_t)size, 0),
                    allocate_ints((size_t)k_count * (size_t)size, -1)};
  for (size_t i = 0; i < (size_t)k_count * (size_t)size; ++i) made.input[i] = value_of(rank, i, salt) % 1000;
  switch (kind) {
    case 0:
      if (rank == size - 1) memcpy(made.output, made.input, k_count * sizeof(int));
      MPI_Ibcast(made.output, k_count, MPI_INT, size - 1, comm, &made.request);
      break;
    case 1:
      MPI_Iallreduce(made.input, made.output, k_count, MPI_INT, MPI_SUM, comm, &made.request);
      break;
    case 2:
      MPI_Ialltoall(made.input, k_count, MPI_INT, made.output, k_count, MPI_INT, comm, &made.request);
      break;
    case 3:
      MPI_Iallgather(made.input, k_count, MPI_INT, made.output, k_count, MPI_INT, comm, &made.request);
      break;
    case 4:
      MPI_Ireduce(made.input, made.output, k_count, MPI_INT, MPI_MAX, 0, comm, &made.request);
      break;
    default:
      MPI_Igather(made.input, k_count, MPI_INT, made.output, k_count, MPI_INT, 0, comm, &made.request);
  }
  return made;
}

static int expected(int kind, size_t i, int rank, int size, unsigned salt) {
  int sum = 0;
  int most = 0;
  switch (kind) {
    case 0:
      return value_of(size - 1, i, salt) % 1000;
    case 2:
      return value_of((int)(i / k_count), (size_t)rank * k_count + i % k_count, salt) % 1000;
    case 1:
    case 4:
      for (int r = 0; r < size; ++r) {
        const int value = value_of(r, i, salt) % 1000;
        sum += value;
        most = value > most ? value : most;
      }
      return kind == 1 ? sum : most;
    default:
      return value_of((int)(i / k_count), i % k_count, salt) % 1000;
  }
}

static void finish(int kind, MPI_Comm comm, unsigned salt, Operation* operation) {
  int rank;
  int size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const bool has_result = (kind != 4 && kind != 5) || rank == 0;
  const size_t count = (kind == 2 || kind == 3 || kind == 5) ? (size_t)k_count * (size_t)size : k_count;
  size_t wrong = 0;
  for (size_t i = 0; has_result && i < count; ++i)
    wrong += operation->output[i] != expected(kind, i, rank, size, salt);
  CHECK(wrong == 0, "collective %d of %d ranks", kind, size);
  CHECK(operation->request == MPI_REQUEST_NULL, "request of collective %d is left over", kind);
  free(operation->input);
  free(operation->output);
}

static void in_every_completion_call(MPI_Comm comm, int rank, int size) {
  (void)rank;
  (void)size;
  for (int kind = 0; kind < k_kinds; ++kind) {
    const unsigned salt = 7u * (unsigned)kind;
    Operation one = start(kind, comm, salt);
    MPI_Wait(&one.request, MPI_STATUS_IGNORE);
    finish(kind, comm, salt, &one);

    one = start(kind, comm, salt + 1);
    int done = 0;
    MPI_Status status;
    while (!done) MPI_Test(&one.request, &done, &status);
    int cancelled = 1;
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(!cancelled, "a collective cannot be cancelled");
    finish(kind, comm, salt + 1, &one);

    one = start(kind, comm, salt + 2);
    done = 0;
    while (!done) MPI_Request_get_status(one.request, &done, MPI_STATUS_IGNORE);
    CHECK(one.request != MPI_REQUEST_NULL, "get_status keeps the request");
    MPI_Wait(&one.request, &status);
    finish(kind, comm, salt + 2, &one);
  }
}

// Collectives, point-to-point, an active and an inactive persistent request, and a null request in one array.
static void mixed(MPI_Comm comm, int rank, int size) {
  const int left = (rank + size - 1) % size;
  const int right = (rank + 1) % size;
  for (int way = 0; way < 6; ++way) {
    Operation first = start(way % k_kinds, comm, 50);
    Operation second = start((way + 1) % k_kinds, comm, 51);
    int from_left = -1;
    int sent = rank;
    int persistent_in = -1;
    int persistent_out = rank * 2;
    MPI_Request requests[8];
    MPI_Irecv(&from_left, 1, MPI_INT, left, 5, comm, &requests[0]);
    requests[1] = first.request;
    MPI_Isend(&sent, 1, MPI_INT, right, 5, comm, &requests[2]);
    requests[3] = MPI_REQUEST_NULL;
    MPI_Recv_init(&persistent_in, 1, MPI_INT, left, 6, comm, &requests[4]);
    MPI_Send_init(&persistent_out, 1, MPI_INT, right, 6, comm, &requests[5]);
    requests[6] = second.request;
    MPI_Send_init(&persistent_out, 1, MPI_INT, right, 7, comm, &requests[7]);  // stays inactive
    MPI_Startall(2, &requests[4]);
    MPI_Status statuses[8];
    int indices[8];
    int index = 0;
    int flag = 0;
    int left_over = 6;
    switch (way) {
      case 0:
        MPI_Waitall(8, requests, statuses);
        CHECK(statuses[0].MPI_SOURCE == left && statuses[0].MPI_TAG == 5, "status of the receive");
        break;
      case 1:
        MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
        break;
      case 2:
        for (int i = 0; i < 6; ++i) {
          MPI_Waitany(8, requests, &index, &statuses[0]);
          CHECK(index != 3 && index != 7 && index != MPI_UNDEFINED, "index %d of Waitany", index);
        }
        MPI_Waitany(8, requests, &index, MPI_STATUS_IGNORE);
        CHECK(index == MPI_UNDEFINED, "nothing is left for Waitany");
        break;
      case 3:
        while (left_over > 0) {
          int count = 0;
          MPI_Waitsome(8, requests, &count, indices, statuses);
          left_over -= count;
        }
        break;
      case 4:
        while (!flag) MPI_Testall(8, requests, &flag, statuses);
        break;
      default:
        while (left_over > 0) {
          int count = 0;
          MPI_Testsome(8, requests, &count, indices, statuses);
          left_over -= count;
          MPI_Testany(8, requests, &index, &flag, &statuses[0]);
          if (flag && index != MPI_UNDEFINED) --left_over;
        }
    }
    CHECK(from_left == left && persistent_in == left * 2, "messages beside collectives");
    first.request = requests[1];
    second.request = requests[6];
    finish(way % k_kinds, comm, 50, &first);
    finish((way + 1) % k_kinds, comm, 51, &second);
    for (int i = 4; i < 8; ++i)
      if (i != 6) MPI_Request_free(&requests[i]);
  }
}

static void many_in_flight(MPI_Comm comm, int rank, int size) {
  (void)rank;
  int* values = allocate_ints(k_many, 0);
  int* sums = allocate_ints(k_many, -1);
  MPI_Request* requests = allocate(2 * k_many * sizeof *requests);
  for (int i = 0; i < k_many; ++i) {
    values[i] = i;
    MPI_Iallreduce(&values[i], &sums[i], 1, MPI_INT, MPI_SUM, comm, &requests[2 * i]);
    MPI_Ibarrier(comm, &requests[2 * i + 1]);
  }
  // Completes the requests in a different order.
  for (int i = 0; i < 2 * k_many; ++i) MPI_Wait(&requests[(i * 7 + 3) % (2 * k_many)], MPI_STATUS_IGNORE);
  int wrong = 0;
  for (int i = 0; i < k_many; ++i) wrong += sums[i] != i * size;
  CHECK(wrong == 0, "%d of %d sums are wrong", wrong, k_many);
  free(values);
  free(sums);
  free(requests);
}

// Blocking collectives between the start and the end of others, also on other communicators.
static void beside_blocking(MPI_Comm comm, int rank, int size) {
  (void)size;
  Operation one = start(2, comm, 60);
  int* data = allocate_ints(k_count, rank == 0 ? 17 : 0);
  MPI_Bcast(data, k_count, MPI_INT, 0, comm);
  CHECK(data[k_count - 1] == 17, "a blocking broadcast beside a nonblocking collective");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Wait(&one.request, MPI_STATUS_IGNORE);
  finish(2, comm, 60, &one);
  free(data);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  for_each_communicator(in_every_completion_call);
  for_each_communicator(mixed);
  for_each_communicator(many_in_flight);
  for_each_communicator(beside_blocking);
  return check_finish("nonblocking_requests");
}
