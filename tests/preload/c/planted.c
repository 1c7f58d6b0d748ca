// Ranks that are late in a way that is known, for record.py.
//
//   planted KIND [ITERATIONS]

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 100 };

static int rank, ranks, iterations;
static double sent[COUNT], received[2][COUNT], sum[COUNT];

static void work(double ms) {
  const struct timespec length = {.tv_sec = (time_t)(ms / 1e3), .tv_nsec = (long)(ms * 1e6) % 1000000000};
  nanosleep(&length, NULL);
}

static void meet(void) {
  MPI_Allreduce(sent, sum, 10, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void start_halo(MPI_Request requests[4]) {
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  MPI_Irecv(received[0], COUNT, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(received[1], COUNT, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(sent, COUNT, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(sent, COUNT, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[3]);
}

static void halo(int i) {
  MPI_Request requests[4];
  work(rank == 3 ? 12 : 2);
  start_halo(requests);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  work(rank == 4 ? 1.2 : 1);
  if (i % 4 == 3) meet();
}

static void exchange(int i) {
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  (void)i;
  work(rank == 1 ? 12 : 2);
  MPI_Sendrecv(sent, COUNT, MPI_DOUBLE, right, 0, received[0], COUNT, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  meet();
}

static void persistent(int i) {
  MPI_Request requests[2];
  (void)i;
  MPI_Recv_init(received[0], COUNT, MPI_DOUBLE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(sent, COUNT, MPI_DOUBLE, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &requests[1]);
  for (int again = 0; again < 2; ++again) {
    work(rank == 3 ? 6 : 1);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  for (int one = 0; one < 2; ++one) MPI_Request_free(&requests[one]);
  meet();
}

/// The first is slow, and the others wait for each other's messages.
static void chain(int i) {
  (void)i;
  work(rank == 0 ? 12 : 1);
  if (rank > 0)
    MPI_Recv(received[0], COUNT, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank < ranks - 1) MPI_Send(sent, COUNT, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
  meet();
}

/// Equal work, one rank after the other.
static void turns(int i) {
  (void)i;
  if (rank > 0) {
    MPI_Status status;
    MPI_Probe(rank - 1, 0, MPI_COMM_WORLD, &status);
    MPI_Recv(received[0], COUNT, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  work(3);
  if (rank < ranks - 1) MPI_Send(sent, COUNT, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
  meet();
}

/// Late between start and wait.
static void nonblocking(int i) {
  MPI_Request request;
  (void)i;
  MPI_Iallreduce(sent, sum, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  work(rank == 2 ? 14 : 2);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  work(1);
  meet();
}

static void slow(int i) {
  (void)i;
  work(rank == 2 ? 12 : 2);
  MPI_Reduce(sent, sum, COUNT, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Bcast(sum, COUNT, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void two(int i) {
  (void)i;
  work(rank == 1 || rank == 4 ? 12 : 2);
  meet();
}

static void grows(int i) {
  work(rank == 1 ? 2 + i * 0.2 : 2);
  meet();
}

static void moving(int i) {
  work(i * 7 % ranks == rank ? 12 : 2);
  meet();
}

static void equal(int i) {
  (void)i;
  work(20);
  MPI_Reduce(sent, sum, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Bcast(sum, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

/// Late where ranks meet in calls that are no collectives and no messages.
static void fence(int i) {
  static MPI_Win window = MPI_WIN_NULL;
  static double* memory;
  if (window == MPI_WIN_NULL) {
    MPI_Win_allocate(sizeof sent, sizeof *sent, MPI_INFO_NULL, MPI_COMM_WORLD, (void*)&memory, &window);
    MPI_Win_fence(0, window);
  }
  work(rank == 2 ? 12 : 2);
  MPI_Put(sent, 1, MPI_DOUBLE, (rank + 1) % ranks, 0, 1, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  if (i % 4 == 3) meet();
  if (i == iterations - 1) MPI_Win_free(&window);
}

static void duplicates(int i) {
  MPI_Comm made;
  work(rank == 3 ? 12 : 2);
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  if (i % 4 == 3) meet();
  MPI_Comm_free(&made);
}

static void splits(int i) {
  MPI_Comm made;
  (void)i;
  work(rank == 1 ? 12 : 2);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &made);
  MPI_Allreduce(sent, sum, 10, MPI_DOUBLE, MPI_SUM, made);
  MPI_Comm_free(&made);
}

static void neighbours(int i) {
  static MPI_Comm ring = MPI_COMM_NULL;
  const int periodic = 1;
  if (ring == MPI_COMM_NULL) MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
  work(rank == 2 ? 12 : 2);
  if (i % 2 == 0) {
    MPI_Neighbor_alltoall(sent, 1, MPI_DOUBLE, received[0], 1, MPI_DOUBLE, ring);
  } else {
    MPI_Request request;
    MPI_Ineighbor_alltoall(sent, 1, MPI_DOUBLE, received[0], 1, MPI_DOUBLE, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (i % 5 == 4) meet();
  if (i == iterations - 1) MPI_Comm_free(&ring);
}

static void file(int i) {
  static MPI_File to = MPI_FILE_NULL;
  static char name[] = "/tmp/tutti-planted-XXXXXX";
  if (to == MPI_FILE_NULL) {
    if (rank == 0) close(mkstemp(name));
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &to);
  }
  work(rank == 1 ? 12 : 2);
  MPI_File_write_at_all(to, (MPI_Offset)rank * (MPI_Offset)sizeof sent, sent, COUNT, MPI_DOUBLE,
                        MPI_STATUS_IGNORE);
  MPI_File_set_size(to, (i + 1) * 1000);
  if (i == iterations - 1) MPI_File_close(&to);
}

static void matched(int i) {
  MPI_Message message;
  MPI_Request request;
  work(rank == 2 ? 12 : 2);
  MPI_Isend(sent, COUNT, MPI_DOUBLE, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &request);
  MPI_Mprobe((rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(received[0], COUNT, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (i % 4 == 3) meet();
}

static void tests(int i) {
  MPI_Request requests[4];
  work(rank == 3 ? 12 : 2);
  start_halo(requests);
  for (int are_done = 0; !are_done;) {
    MPI_Testall(4, requests, &are_done, MPI_STATUSES_IGNORE);
    if (!are_done) work(0.1);
  }
  if (i % 8 == 7) meet();
}

static const struct {
  const char* name;
  void (*iterate)(int);
} kinds[] = {{"halo", halo},
             {"exchange", exchange},
             {"persistent", persistent},
             {"chain", chain},
             {"turns", turns},
             {"nonblocking", nonblocking},
             {"slow", slow},
             {"two", two},
             {"grows", grows},
             {"moving", moving},
             {"equal", equal},
             {"fence", fence},
             {"duplicates", duplicates},
             {"splits", splits},
             {"neighbours", neighbours},
             {"file", file},
             {"matched", matched},
             {"tests", tests}};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  iterations = argc > 2 ? atoi(argv[2]) : 60;
  int is_known = 0;
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; ++kind)
    if (argc > 1 && strcmp(argv[1], kinds[kind].name) == 0) {
      is_known = 1;
      for (int i = 0; i < iterations; ++i) kinds[kind].iterate(i);
    }
  if (!is_known) fprintf(stderr, "planted: there is no such kind\n");
  MPI_Finalize();
  return !is_known;
}
