// What the sample programs measure and print: one line per run.
#pragma once

#include <mpi.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>

namespace apps {

// Adds up the wall-clock time that this rank spends inside collective calls.
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
  std::uint64_t checksum;  // this rank's share; shares are added modulo 2^64
  bool verification_wanted;
  bool verified;  // this rank's verdict; meaningless unless wanted
};

// Collective over MPI_COMM_WORLD. Rank 0 prints `<program> <parameters> ranks=… total_s=…
// collective_s=… checksum=… verified=…` with the slowest rank's times. Returns the exit status
// of the program, the same on every rank: 0, or 1 when any rank found a wrong answer.
inline int report(const char* program, const std::string& parameters, const Outcome& mine) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  const double my_times[2] = {mine.total_s, mine.collective_s};
  double times[2] = {0, 0};
  MPI_Reduce(my_times, times, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  std::uint64_t checksum = 0;
  MPI_Reduce(&mine.checksum, &checksum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  const int my_verdict = !mine.verification_wanted || mine.verified ? 1 : 0;
  int verdict = 0;
  MPI_Allreduce(&my_verdict, &verdict, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);

  if (rank == 0) {
    const char* verified = !mine.verification_wanted ? "skipped" : verdict ? "yes" : "no";
    std::printf("%s %s ranks=%d total_s=%.6f collective_s=%.6f checksum=%016" PRIx64 " verified=%s\n",
                program, parameters.c_str(), ranks, times[0], times[1], checksum, verified);
    std::fflush(stdout);
  }
  return verdict ? 0 : 1;
}

}  // namespace apps
