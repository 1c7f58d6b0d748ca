/* Measures the cost of a message between two ranks, and of idle ranks. An ordinary MPI program, for runs with ranks
 * as processes and as threads.
 *
 *   tutti-messages-<mpi> [SIZE ...]      one line for each size: half a round trip between ranks 0 and 1
 *   tutti-messages-<mpi> --idle SECONDS  prints "idle" behind a barrier, and sleeps
 *   tutti-messages-<mpi> --start         begins and ends
 *
 * Times are medians of batches. A batch lasts 10 ms or one round trip, a size 0.3 s or three batches. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { k_tag_message, k_tag_next_size, k_tag_end };
enum { k_most_batches = 30, k_least_batches = 3, k_warm_up = 3, k_page_bytes = 4096 };

static const double k_batch_s = 0.01;
static const double k_size_s = 0.3;

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return count % 2 != 0 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Seconds of a round trip. */
static double bounce(char* buffer, int bytes, int count) {
  const double begin = MPI_Wtime();
  for (int i = 0; i < count; ++i) {
    MPI_Send(buffer, bytes, MPI_BYTE, 1, k_tag_message, MPI_COMM_WORLD);
    MPI_Recv(buffer, bytes, MPI_BYTE, 1, k_tag_message, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return (MPI_Wtime() - begin) / count;
}

static void measure(char* buffer, int bytes) {
  double batches[k_most_batches];
  int done = 0;
  const double round_trip_s = bounce(buffer, bytes, k_warm_up);
  int count = (int)(k_batch_s / round_trip_s);
  if (count > k_warm_up) count = (int)(k_batch_s / bounce(buffer, bytes, count));
  if (count < 1) count = 1;
  const double begin = MPI_Wtime();
  while (done < k_most_batches && (done < k_least_batches || MPI_Wtime() - begin < k_size_s))
    batches[done++] = bounce(buffer, bytes, count);
  const double latency_us = median(batches, done) / 2 * 1e6;
  printf("bytes=%d latency_us=%.3f bandwidth_mb_s=%.1f\n", bytes, latency_us, bytes / latency_us);
  fflush(stdout);
  MPI_Send(NULL, 0, MPI_BYTE, 1, k_tag_next_size, MPI_COMM_WORLD);
}

/* Rank 1: sends everything back. */
static void answer(char* buffer, int bytes) {
  for (;;) {
    MPI_Status status;
    MPI_Recv(buffer, bytes, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG != k_tag_message) return;
    MPI_Send(buffer, bytes, MPI_BYTE, 0, k_tag_message, MPI_COMM_WORLD);
  }
}

/* All other ranks wait at the end, and do not take part. */
static void measure_all(int rank, int ranks, const int* sizes, int count) {
  int longest = 1;
  for (int i = 0; i < count; ++i)
    if (sizes[i] > longest) longest = sizes[i];
  char* const buffer = aligned_alloc(k_page_bytes, ((size_t)longest / k_page_bytes + 1) * k_page_bytes);
  if (buffer == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(buffer, 1, (size_t)longest);
  for (int i = 0; i < count; ++i) {
    if (rank == 0) measure(buffer, sizes[i]);
    if (rank == 1) answer(buffer, sizes[i]);
  }
  if (rank == 0)
    for (int other = 1; other < ranks; ++other) MPI_Send(NULL, 0, MPI_BYTE, other, k_tag_end, MPI_COMM_WORLD);
  else
    MPI_Recv(NULL, 0, MPI_BYTE, 0, k_tag_end, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  free(buffer);
}

static void idle(int rank, unsigned seconds) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    printf("idle\n");
    fflush(stdout);
  }
  sleep(seconds);
}

int main(int argc, char** argv) {
  static const int k_sizes[] = {8, 512, 4096, 32768, 262144, 1048576, 4194304};
  enum { k_usual = sizeof k_sizes / sizeof *k_sizes, k_most_sizes = 64 };
  int sizes[k_most_sizes];
  int rank, ranks, count = 0, status = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc == 3 && strcmp(argv[1], "--idle") == 0) {
    idle(rank, (unsigned)atoi(argv[2]));
  } else if (argc != 2 || strcmp(argv[1], "--start") != 0) {
    for (int i = 1; i < argc && count < k_most_sizes; ++i) sizes[count++] = atoi(argv[i]);
    for (int i = 0; i < count; ++i)
      if (sizes[i] <= 0) status = 2;
    if (ranks < 2) status = 2;
    if (status != 0 && rank == 0)
      fprintf(stderr, "tutti-messages: two ranks or more, and sizes in bytes, --idle SECONDS or --start\n");
    if (status == 0) measure_all(rank, ranks, count > 0 ? sizes : k_sizes, count > 0 ? count : k_usual);
  }
  MPI_Finalize();
  return status;
}
