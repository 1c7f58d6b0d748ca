// Small messages between two ranks of one node, at a thread level, with or without collectives that are under
// way meanwhile.
//
//   tutti-thread-level-<mpi> single|multiple [pending]
//
// Prints "LATENCY RATE CPU": half a round trip of 8 bytes in µs, messages per second in one direction, and CPU time
// of rank 0 per wall time. `pending`: each rank has started a barrier that its peer enters only afterwards, so that
// the thread that executes it polls for messages all the time.

#include <mpi.h>
#include <time.h>

#include <array>
#include <cstdio>
#include <string_view>

namespace {

constexpr int k_warm_up = 2'000;
constexpr int k_round_trips = 200'000;
constexpr int k_windows = 10'000;
constexpr int k_window = 64;  // messages under way at the same time
constexpr int k_tag = 1;

struct Pair {
  int rank, peer;
};

double value = 1;

double process_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

void bounce(Pair pair, int times) {
  const auto send = [&] { MPI_Send(&value, 1, MPI_DOUBLE, pair.peer, k_tag, MPI_COMM_WORLD); };
  const auto receive = [&] {
    MPI_Recv(&value, 1, MPI_DOUBLE, pair.peer, k_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  };
  for (int i = 0; i < times; ++i) {
    if (pair.rank == 0) {
      send();
      receive();
    } else {
      receive();
      send();
    }
  }
}

/// Windows of messages from rank 0 to rank 1, each answered by one message.
void stream(Pair pair, int windows) {
  std::array<MPI_Request, k_window> requests;
  std::array<double, k_window> values{};
  for (int i = 0; i < windows; ++i) {
    for (size_t k = 0; k < requests.size(); ++k)
      if (pair.rank == 0)
        MPI_Isend(&values[k], 1, MPI_DOUBLE, pair.peer, k_tag, MPI_COMM_WORLD, &requests[k]);
      else
        MPI_Irecv(&values[k], 1, MPI_DOUBLE, pair.peer, k_tag, MPI_COMM_WORLD, &requests[k]);
    MPI_Waitall(k_window, requests.data(), MPI_STATUSES_IGNORE);
    if (pair.rank == 0)
      MPI_Recv(&value, 1, MPI_DOUBLE, pair.peer, k_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
      MPI_Send(&value, 1, MPI_DOUBLE, pair.peer, k_tag, MPI_COMM_WORLD);
  }
}

void measure(Pair pair) {
  bounce(pair, k_warm_up);
  stream(pair, k_windows / 100);
  MPI_Barrier(MPI_COMM_WORLD);
  const double cpu = process_cpu_seconds();
  const double start = MPI_Wtime();
  bounce(pair, k_round_trips);
  const double middle = MPI_Wtime();
  stream(pair, k_windows);
  const double end = MPI_Wtime();
  const double cpu_share = (process_cpu_seconds() - cpu) / (end - start);
  if (pair.rank == 0)
    std::printf("%.4f %.0f %.3f\n", (middle - start) * 1e6 / k_round_trips / 2,
                k_windows * k_window / (end - middle), cpu_share);
}

}  // namespace

int main(int argc, char** argv) {
  const auto asks = [&](std::string_view word) {
    for (int i = 1; i < argc; ++i)
      if (argv[i] == word) return true;
    return false;
  };
  const int wanted = asks("multiple") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  int level = 0, size = 0;
  Pair pair{};
  MPI_Init_thread(&argc, &argv, wanted, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &pair.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2 || level < wanted) {
    if (pair.rank == 0)
      std::fprintf(stderr, "tutti-thread-level: needs two ranks and the thread level it asks for\n");
    MPI_Finalize();
    return 1;
  }
  pair.peer = 1 - pair.rank;
  // One communicator each, so that neither rank's barrier is answered by the other's.
  MPI_Comm own[2];
  for (MPI_Comm& comm : own) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Request barriers[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  if (asks("pending")) MPI_Ibarrier(own[pair.rank], &barriers[0]);
  measure(pair);
  if (asks("pending")) MPI_Ibarrier(own[pair.peer], &barriers[1]);
  MPI_Waitall(2, barriers, MPI_STATUSES_IGNORE);
  for (MPI_Comm& comm : own) MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
