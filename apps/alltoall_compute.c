/* The micro-benchmark of paper 002, Fig. 6: a collective, then computation that does not need its data, then
   computation that needs the data, piece by piece. It does not use Tutti.

     mpirun -n 2 alltoall_compute --bytes 4194304 --unrelated-ms 40 --related-ms 0

   Prints a line for every pair of --unrelated-ms and --related-ms, which may be lists: call_s (median time in the
   collective), cpu_s (median CPU time of the process's threads meanwhile), total_s (sum over the iterations), each of
   the rank with the maximum, and checksum, the same for the same options whatever algorithm moved the data. Exit
   status 1: a byte was wrong. */

#include <getopt.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PIECE = 65536, STRIDE = 512, MOST_TIMES = 16 };

typedef struct {
  double s[MOST_TIMES];
  int count;
} Times;

typedef struct {
  size_t bytes;    /* sent from one rank to another; of a broadcast: all */
  Times unrelated; /* computation that does not need the collective's data (T_CURC) */
  Times related;   /* computation that needs it, over all pieces (T_CRC) */
  int iterations, warm_up, is_bcast, sleeps, is_backward, stride, offset;
} Options;

static double loops_per_s;

static void usage(FILE* out) {
  fputs(
      "usage: alltoall_compute [options]\n"
      "  --bytes N           from one rank to another, or of a broadcast; a multiple of 512 (4194304)\n"
      "  --unrelated-ms T,…  computation that needs no data of the collective (default 40)\n"
      "  --related-ms T,…    computation on the data, spread over all of it (default 0)\n"
      "  --iterations N      that count (default 5)\n"
      "  --warm-up N         before them (default 1)\n"
      "  --bcast             MPI_Bcast from rank 0 instead of MPI_Alltoall\n"
      "  --sleep             computation only takes time, no processor\n"
      "  --backward          the data is used from its end\n"
      "  --stride N          pieces of 64 KiB from one use to the next (default 1)\n"
      "  --offset N          the buffers begin N bytes after the beginning of a page (default 16)\n",
      out);
}

/* Parses a list of milliseconds. The last value of the shorter of two lists is repeated. */
static Times times_of(const char* text) {
  Times times = {.count = 0};
  for (char* rest = (char*)text; times.count < MOST_TIMES; ++rest) {
    times.s[times.count++] = strtod(rest, &rest) / 1e3;
    if (*rest != ',') break;
  }
  return times;
}

static double time_of(const Times* times, int series) {
  return times->s[series < times->count ? series : times->count - 1];
}

static int parse(int argc, char** argv, Options* options) {
  static const struct option known[] = {{"bytes", 1, 0, 'b'},
                                        {"unrelated-ms", 1, 0, 'u'},
                                        {"related-ms", 1, 0, 'r'},
                                        {"iterations", 1, 0, 'i'},
                                        {"warm-up", 1, 0, 'W'},
                                        {"stride", 1, 0, 'S'},
                                        {"bcast", 0, 0, 'B'},
                                        {"sleep", 0, 0, 's'},
                                        {"backward", 0, 0, 'w'},
                                        {"offset", 1, 0, 'o'},
                                        {"help", 0, 0, 'h'},
                                        {"no-verify", 0, 0, 'n'},
                                        {0, 0, 0, 0}};
  *options = (Options){.bytes = 4 << 20, .iterations = 5, .warm_up = 1, .stride = 1, .offset = 16};
  options->unrelated = times_of("40");
  options->related = times_of("0");
  for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
    switch (c) {
      case 'b':
        options->bytes = strtoull(optarg, NULL, 10);
        break;
      case 'u':
        options->unrelated = times_of(optarg);
        break;
      case 'r':
        options->related = times_of(optarg);
        break;
      case 'i':
        options->iterations = atoi(optarg);
        break;
      case 'W':
        options->warm_up = atoi(optarg);
        break;
      case 'S':
        options->stride = atoi(optarg);
        break;
      case 'o':
        options->offset = atoi(optarg);
        break;
      case 'B':
        options->is_bcast = 1;
        break;
      case 's':
        options->sleeps = 1;
        break;
      case 'w':
        options->is_backward = 1;
        break;
      case 'n':
        break; /* accepted for drivers of several programs: checking is part of the work here */
      default:
        return c;
    }
  }
  return options->iterations > 0 && options->bytes > 0 && options->bytes % STRIDE == 0 &&
                 options->offset >= 0 && options->warm_up >= 0 && options->stride > 0 && optind == argc
             ? 0
             : '?';
}

static void spin(double loops) {
  volatile double sink;
  double x = 1;
  for (uint64_t i = 0; i < (uint64_t)loops; ++i) x = x * 1.0000001 + 1e-9;
  sink = x;
  (void)sink;
}

/* Takes the fastest of several loops, the same on all ranks. */
static void calibrate(void) {
  double best = 0;
  for (int i = 0; i < 5; ++i) {
    const double start = MPI_Wtime();
    spin(1e6);
    const double rate = 1e6 / (MPI_Wtime() - start);
    if (rate > best) best = rate;
  }
  MPI_Allreduce(&best, &loops_per_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

/* Short sleeps overshoot: they are added up until they are long enough. */
static void compute(const Options* options, double seconds) {
  static double owed = 0;
  if (!options->sleeps) {
    spin(seconds * loops_per_s);
    return;
  }
  owed += seconds;
  if (owed < 2e-4) return;
  const struct timespec time = {(time_t)owed, (long)((owed - (double)(time_t)owed) * 1e9)};
  const double start = MPI_Wtime();
  nanosleep(&time, NULL);
  owed -= MPI_Wtime() - start;
}

static unsigned char value(int from, int to, int iteration, size_t place) {
  return (unsigned char)(from * 37 + to * 101 + iteration * 11 + (int)(place / STRIDE) * 3 + 1);
}

static unsigned char* buffer(size_t bytes, int offset) {
  unsigned char* memory = NULL;
  if (posix_memalign((void**)&memory, 4096, bytes + (size_t)offset) != 0) exit(1);
  memset(memory, 0, bytes + (size_t)offset);
  return memory + offset;
}

/* CPU time of all threads of this process. */
static double cpu_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Index of the piece that is used as number `order`. */
static size_t piece_number(const Options* options, size_t order, size_t pieces) {
  const size_t stride = (size_t)options->stride;
  size_t first = 0; /* first piece of a round first, first + stride, … */
  while (first < stride && order >= (pieces - first + stride - 1) / stride)
    order -= (pieces - first++ + stride - 1) / stride;
  const size_t piece = first + order * stride;
  return options->is_backward ? pieces - 1 - piece : piece;
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, by_value);
  return values[count / 2];
}

/* Returns the number of wrong bytes on all ranks. */
static long measure(Options options, int series, unsigned char* sent, unsigned char* received) {
  const double unrelated_s = time_of(&options.unrelated, series),
               related_s = time_of(&options.related, series);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const size_t all = options.is_bcast ? options.bytes : options.bytes * (size_t)size;
  double* call_s = calloc((size_t)options.iterations, sizeof *call_s);
  double* cpu_s = calloc((size_t)options.iterations, sizeof *cpu_s);
  uint64_t checksum = 0;
  double total_s = 0;
  long wrong = 0;
  for (int i = -options.warm_up; i < options.iterations; ++i) {
    unsigned char* const data = options.is_bcast && rank == 0 ? sent : received;
    for (size_t k = 0; k < all; k += STRIDE) {
      const int to = options.is_bcast ? 0 : (int)(k / options.bytes);
      sent[k] = value(rank, to, i, options.is_bcast ? k : k % options.bytes);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double cpu_before = cpu_time(), start = MPI_Wtime();
    if (options.is_bcast)
      MPI_Bcast(data, (int)options.bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    else
      MPI_Alltoall(sent, (int)options.bytes, MPI_BYTE, received, (int)options.bytes, MPI_BYTE,
                   MPI_COMM_WORLD);
    const double returned = MPI_Wtime(), cpu = cpu_time() - cpu_before;
    if (!options.is_bcast)
      memset(sent, 0xEE, all < PIECE ? all : PIECE); /* a program may do this after the call */
    compute(&options, unrelated_s);
    const size_t pieces = (all + PIECE - 1) / PIECE;
    for (size_t j = 0; j < pieces; ++j) {
      const size_t piece = piece_number(&options, j, pieces);
      const size_t end = (piece + 1) * PIECE < all ? (piece + 1) * PIECE : all;
      for (size_t k = piece * PIECE; k < end; k += STRIDE) {
        const int from = options.is_bcast ? 0 : (int)(k / options.bytes);
        const size_t place = options.is_bcast ? k : k % options.bytes;
        if (!options.is_bcast && (k % options.bytes) % STRIDE != 0) continue;
        if (data[k] != value(from, options.is_bcast ? 0 : rank, i, place)) ++wrong;
        if (i >= 0) checksum = checksum * 1099511628211u + data[k];
      }
      compute(&options, related_s / (double)pieces);
    }
    const double ended = MPI_Wtime();
    if (i < 0) continue;
    call_s[i] = returned - start;
    cpu_s[i] = cpu;
    total_s += ended - start;
  }
  const double mine[3] = {median(call_s, options.iterations), median(cpu_s, options.iterations), total_s};
  double most[3];
  uint64_t sum = 0;
  long all_wrong = 0;
  MPI_Reduce(mine, most, 3, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&checksum, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("call_s=%.6f cpu_s=%.6f total_s=%.6f checksum=%016llx wrong=%ld\n", most[0], most[1], most[2],
           (unsigned long long)sum, all_wrong);
  free(call_s);
  free(cpu_s);
  return all_wrong;
}

int main(int argc, char** argv) {
  Options options;
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int refused = parse(argc, argv, &options);
  if (refused != 0) {
    if (rank == 0) usage(refused == 'h' ? stdout : stderr);
    MPI_Finalize();
    return refused == 'h' ? 0 : 2;
  }
  const size_t all = options.is_bcast ? options.bytes : options.bytes * (size_t)size;
  unsigned char *sent = buffer(all, options.offset), *received = buffer(all, options.offset);
  calibrate();
  long wrong = 0;
  for (int series = 0; series < options.unrelated.count || series < options.related.count; ++series)
    wrong += measure(options, series, sent, received);
  MPI_Finalize();
  return wrong != 0;
}
