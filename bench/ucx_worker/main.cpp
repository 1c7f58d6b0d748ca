// What the progress thread could gain from a UCX worker of its own, which shares no lock with the program's
// MPI.
//
//   tutti-ucx-worker-<mpi> mpi|ucx asleep|bouncing BYTES EXCHANGES
//
// Two ranks. A thread of each exchanges messages of BYTES with its peer, over the MPI or over a worker of its
// own, and naps between polls as Tutti's thread does; meanwhile the main thread sleeps, or bounces messages
// of 8 bytes. Prints "EXCHANGE BOUNCE CPU": µs of an exchange (median), half a round trip of the main threads
// in µs (0: asleep), and CPU µs of rank 0 for each exchange.

#include <mpi.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "bench/ucx_worker/exchange.hpp"

namespace {

using tutti::bench::Exchange;
using tutti::bench::Messages;

constexpr int k_bounce_tag = 2;
constexpr int k_polls_before_nap = 4;
constexpr long k_nap_ns = 20'000;

class MpiExchange final : public Exchange {
 public:
  MpiExchange(Messages& messages, int peer, MPI_Comm comm) : messages_(messages), peer_(peer), comm_(comm) {}
  void start() override {
    const int bytes = static_cast<int>(messages_.in.size());
    MPI_Irecv(messages_.in.data(), bytes, MPI_BYTE, peer_, 0, comm_, &requests_[0]);
    MPI_Isend(messages_.out.data(), bytes, MPI_BYTE, peer_, 0, comm_, &requests_[1]);
  }
  bool is_done() override {
    int done = 0;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
    return done != 0;
  }

 private:
  Messages& messages_;
  const int peer_;
  const MPI_Comm comm_;
  std::array<MPI_Request, 2> requests_{};
};

double process_cpu_us() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

/// µs of each.
std::vector<double> times_of(Exchange& exchange, int count) {
  const timespec nap{.tv_sec = 0, .tv_nsec = k_nap_ns};
  std::vector<double> times;
  for (int i = 0; i < count; ++i) {
    const double start = MPI_Wtime();
    exchange.start();
    for (int polls = 0; !exchange.is_done(); ++polls)
      if (polls >= k_polls_before_nap) nanosleep(&nap, nullptr);
    times.push_back((MPI_Wtime() - start) * 1e6);
  }
  return times;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Half a round trip in µs, for as long as `is_over` is not set on both ranks.
double bounce_us(int rank, int peer, const std::atomic<bool>& is_over) {
  int trips = 0, mine = 0, theirs = 0;
  const double start = MPI_Wtime();
  while (mine == 0 || theirs == 0) {
    mine = is_over ? 1 : 0;
    if (rank == 0) MPI_Send(&mine, 1, MPI_INT, peer, k_bounce_tag, MPI_COMM_WORLD);
    MPI_Recv(&theirs, 1, MPI_INT, peer, k_bounce_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 0) MPI_Send(&mine, 1, MPI_INT, peer, k_bounce_tag, MPI_COMM_WORLD);
    ++trips;
  }
  return (MPI_Wtime() - start) * 1e6 / trips / 2;
}

}  // namespace

int main(int argc, char** argv) {
  int level = 0, rank = 0, size = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 5 || size != 2 || level != MPI_THREAD_MULTIPLE) {
    if (rank == 0)
      std::fputs("tutti-ucx-worker: mpi|ucx asleep|bouncing BYTES EXCHANGES, on two ranks\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int peer = 1 - rank;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  Messages messages(std::strtoull(argv[3], nullptr, 10));
  const int count = std::max(1, std::atoi(argv[4]));
  std::unique_ptr<Exchange> exchange;
  if (std::string_view(argv[1]) == "ucx")
    exchange = tutti::bench::make_ucx_exchange(messages, peer, comm);
  else
    exchange = std::make_unique<MpiExchange>(messages, peer, comm);
  if (exchange == nullptr) {
    std::fputs("tutti-ucx-worker: UCX has no worker for this rank\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  times_of(*exchange, 3);
  MPI_Barrier(MPI_COMM_WORLD);
  const double cpu = process_cpu_us();
  std::atomic<bool> is_over{false};
  std::vector<double> times;
  std::thread thread([&] {
    times = times_of(*exchange, count);
    is_over = true;
  });
  const double bounce = std::string_view(argv[2]) == "bouncing" ? bounce_us(rank, peer, is_over) : 0;
  thread.join();
  if (rank == 0) std::printf("%.1f %.1f %.1f\n", median(times), bounce, (process_cpu_us() - cpu) / count);
  MPI_Barrier(MPI_COMM_WORLD);
  exchange.reset();
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
