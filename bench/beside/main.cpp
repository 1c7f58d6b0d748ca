// Measures how a nonblocking collective and the program's own messages affect each other. An ordinary MPI program,
// for runs with and without Tutti.
//
//   tutti-beside-<mpi> asleep|bouncing BYTES CALLS
//
// Two ranks call MPI_Ialltoall with blocks of BYTES; until it has completed on both, their threads sleep, or
// bounce messages of 8 bytes. Prints "CALL BOUNCE": µs of a call (median of the slower rank), and half a
// round trip in µs (mean; 0: asleep).

#include <mpi.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

constexpr int k_warm_up_calls = 3;
constexpr long k_nap_ns = 100'000;

struct Bounces {
  double us = 0;
  int64_t count = 0;
};

bool is_done(MPI_Request& request) {
  int done = 0;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  return done != 0;
}

/// Exchanges messages as long as `request` is pending on either rank.
void bounce_beside(MPI_Request& request, int rank, Bounces* bounces) {
  const int peer = 1 - rank;
  int64_t mine = 0, theirs = 0;
  const double start = MPI_Wtime();
  while (mine == 0 || theirs == 0) {
    mine = is_done(request) ? 1 : 0;
    if (rank == 0) MPI_Send(&mine, 1, MPI_INT64_T, peer, 0, MPI_COMM_WORLD);
    MPI_Recv(&theirs, 1, MPI_INT64_T, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 0) MPI_Send(&mine, 1, MPI_INT64_T, peer, 0, MPI_COMM_WORLD);
    bounces->count += 2;
  }
  bounces->us += (MPI_Wtime() - start) * 1e6;
}

void sleep_beside(MPI_Request& request) {
  const timespec nap{.tv_sec = 0, .tv_nsec = k_nap_ns};
  while (!is_done(request)) nanosleep(&nap, nullptr);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 4 || size != 2) {
    if (rank == 0) std::fputs("tutti-beside: asleep|bouncing BYTES CALLS, on two ranks\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const bool bounces_messages = std::string_view(argv[1]) == "bouncing";
  const int bytes = std::atoi(argv[2]), calls = std::max(1, std::atoi(argv[3]));
  std::vector<char> out(2 * static_cast<size_t>(bytes), 'a'), in(out.size());
  std::vector<double> times;
  Bounces bounces;
  for (int call = -k_warm_up_calls; call < calls; ++call) {
    if (call == 0) bounces = {};
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ialltoall(out.data(), bytes, MPI_BYTE, in.data(), bytes, MPI_BYTE, MPI_COMM_WORLD, &request);
    if (bounces_messages)
      bounce_beside(request, rank, &bounces);
    else
      sleep_beside(request);
    double us = (MPI_Wtime() - start) * 1e6;
    MPI_Allreduce(MPI_IN_PLACE, &us, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (call >= 0) times.push_back(us);
  }
  if (rank == 0)
    std::printf("%.1f %.1f\n", median(times),
                bounces_messages ? bounces.us / static_cast<double>(bounces.count) : 0.0);
  MPI_Finalize();
  return 0;
}
