#include "bench/collective/shared_clock.hpp"

#include <cerrno>
#include <cmath>
#include <ctime>
#include <vector>

namespace tutti::bench {

namespace {

constexpr int k_round_trips = 50;
constexpr int k_clock_tag = 2;
constexpr double k_us_per_s = 1e6, k_ns_per_us = 1e3;

double monotonic_us() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * k_us_per_s + static_cast<double>(time.tv_nsec) / k_ns_per_us;
}

struct Comparison {
  double offset_us = 0, error_us = 0;
};

/// Runs on rank 0. The other rank's clock was read at some time within the round trip: most likely in its middle, if
/// the trip was short.
Comparison compare_with(int other, MPI_Comm comm) {
  Comparison best{0, INFINITY};
  for (int i = 0; i < k_round_trips; ++i) {
    double there = 0;
    const double before = monotonic_us();
    PMPI_Send(nullptr, 0, MPI_BYTE, other, k_clock_tag, comm);
    PMPI_Recv(&there, 1, MPI_DOUBLE, other, k_clock_tag, comm, MPI_STATUS_IGNORE);
    const double half = (monotonic_us() - before) / 2;
    if (half < best.error_us) best = {before + half - there, half};
  }
  return best;
}

void answer(MPI_Comm comm) {
  for (int i = 0; i < k_round_trips; ++i) {
    PMPI_Recv(nullptr, 0, MPI_BYTE, 0, k_clock_tag, comm, MPI_STATUS_IGNORE);
    const double now = monotonic_us();
    PMPI_Send(&now, 1, MPI_DOUBLE, 0, k_clock_tag, comm);
  }
}

void sleep_until(double own_us) {
  timespec until{};
  until.tv_sec = static_cast<time_t>(own_us / k_us_per_s);
  until.tv_nsec = static_cast<long>((own_us - static_cast<double>(until.tv_sec) * k_us_per_s) * k_ns_per_us);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

}  // namespace

SharedClock::SharedClock(MPI_Comm comm) {
  int rank = 0, size = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  MPI_Comm node;
  PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  int leader = rank;
  PMPI_Bcast(&leader, 1, MPI_INT, 0, node);
  std::vector<int> leaders(static_cast<size_t>(size));
  PMPI_Allgather(&leader, 1, MPI_INT, leaders.data(), 1, MPI_INT, comm);
  double found[2] = {0, 0};
  for (int other = 1; other < size; ++other) {
    if (leaders[static_cast<size_t>(other)] != other) continue;
    if (rank == 0) {
      const Comparison comparison = compare_with(other, comm);
      const double message[2] = {comparison.offset_us, comparison.error_us};
      PMPI_Send(message, 2, MPI_DOUBLE, other, k_clock_tag, comm);
    } else if (rank == other) {
      answer(comm);
      PMPI_Recv(found, 2, MPI_DOUBLE, 0, k_clock_tag, comm, MPI_STATUS_IGNORE);
    }
  }
  PMPI_Bcast(found, 2, MPI_DOUBLE, 0, node);
  PMPI_Comm_free(&node);
  offset_us_ = found[0];
  PMPI_Allreduce(&found[1], &error_us_, 1, MPI_DOUBLE, MPI_MAX, comm);
}

double SharedClock::now_us() const {
  return monotonic_us() + offset_us_;
}

void SharedClock::wait_until(double us, bool spins) const {
  const double own = us - offset_us_;
  if (!spins) {
    if (own > monotonic_us()) sleep_until(own);
    return;
  }
  while (monotonic_us() < own) {
  }
}

}  // namespace tutti::bench
