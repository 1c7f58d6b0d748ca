// Measurements and output of the sample programs: one line per run.
#pragma once

#include <mpi.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>

namespace apps {

// Adds up the wall-clock time of this rank in collective calls, or in computation.
class CollectiveClock {
 public:
  template <class Call>
  void time(Call&& call) {
    const double begin = MPI_Wtime();
    call();
    total_s_ += MPI_Wtime() - begin;
  }
  double total_s() const { return total_s_; }

 private:
  double total_s_ = 0;
};

struct Outcome {
  double total_s;          // of this rank
  double collective_s;     // of this rank
  double bcast_s;          // of this rank, a part of collective_s
  std::uint64_t checksum;  // this rank's share; shares are added modulo 2^64
  bool verification_wanted;
  bool verified;       // this rank's result; meaningless unless wanted
  double using_s = 0;  // of this rank, in computation that reads data from the collectives
  double after_s = 0;  // of this rank, in all computation after them
};

// Collective over MPI_COMM_WORLD. Rank 0 prints `<program> <parameters> ranks=… total_s=…
// collective_s=… using_s=… after_s=… bcast_s=… bcast_mean_s=… checksum=… verified=…` with the slowest rank's
// times, and the mean over ranks of the time in broadcasts. Returns the exit status of the program, the same on
// every rank: 0, or 1 when any rank found a wrong answer.
inline int report(const char* program, const std::string& parameters, const Outcome& mine) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  const double my_times[5] = {mine.total_s, mine.collective_s, mine.using_s, mine.after_s, mine.bcast_s};
  double times[5] = {};
  MPI_Reduce(my_times, times, 5, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  double bcasts_s = 0;
  MPI_Reduce(&mine.bcast_s, &bcasts_s, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  std::uint64_t checksum = 0;
  MPI_Reduce(&mine.checksum, &checksum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  const int my_verdict = !mine.verification_wanted || mine.verified ? 1 : 0;
  int verdict = 0;
  MPI_Allreduce(&my_verdict, &verdict, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);

  if (rank == 0) {
    const char* verified = !mine.verification_wanted ? "skipped" : verdict ? "yes" : "no";
    std::printf(
        "%s %s ranks=%d total_s=%.6f collective_s=%.6f using_s=%.6f after_s=%.6f bcast_s=%.6f "
        "bcast_mean_s=%.6f checksum=%016" PRIx64 " verified=%s\n",
        program, parameters.c_str(), ranks, times[0], times[1], times[2], times[3], times[4],
        bcasts_s / ranks, checksum, verified);
    std::fflush(stdout);
  }
  return verdict ? 0 : 1;
}

}  // namespace apps
