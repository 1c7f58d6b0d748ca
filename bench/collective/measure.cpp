#include "bench/collective/measure.hpp"

#include "bench/collective/check.hpp"
#include "bench/collective/choices.hpp"
#include "bench/collective/cpu_time.hpp"

namespace tutti::bench {

namespace {

/// Adds one sample of each kind: the mean of a batch. As in the OSU benchmarks the ranks meet before every
/// call, or a root that need not wait would run ahead.
void time_batch(Case& subject, Side side, int batch, MPI_Comm comm, SideSamples* samples) {
  double us = 0, cpu_us = 0;
  for (int i = 0; i < batch; ++i) {
    PMPI_Barrier(comm);
    const double cpu_start = process_cpu_us();
    const double start = PMPI_Wtime();
    subject.call(side);
    us += (PMPI_Wtime() - start) * 1e6;
    cpu_us += process_cpu_us() - cpu_start;
  }
  us /= batch;
  cpu_us /= batch;
  PMPI_Allreduce(MPI_IN_PLACE, &us, 1, MPI_DOUBLE, MPI_MAX, comm);
  PMPI_Allreduce(MPI_IN_PLACE, &cpu_us, 1, MPI_DOUBLE, MPI_SUM, comm);
  samples->us.values.push_back(us);
  samples->cpu_us.values.push_back(cpu_us);
}

}  // namespace

Measurement measure(Case& subject, const std::string& collective, const Options& options, int batch,
                    MPI_Comm comm) {
  Measurement result;
  result.collective = collective;
  result.bytes = subject.buffers().bytes;
  result.batch = batch;
  // The first call of each side also warms its connections and plans up.
  for (Side side : {Side::native, Side::tutti}) {
    const bool right = call_and_check(subject, side, comm);
    if (options.verify) result.right = result.right && right;
  }
  const ChoiceCounts before = choices_so_far(collective);
  for (int i = 0; i < options.repetitions; ++i) {
    // Alternate the first side, so that neither always follows the other.
    const bool native_first = i % 2 == 0;
    for (int turn = 0; turn < 2; ++turn) {
      const Side side = (turn == 0) == native_first ? Side::native : Side::tutti;
      time_batch(subject, side, batch, comm, side == Side::native ? &result.native : &result.tutti);
    }
  }
  result.served = choices_between(before, choices_so_far(collective));
  result.choice = choice_of(result.served);
  if (options.verify)
    for (Side side : {Side::native, Side::tutti})
      result.right = result.right && call_and_check(subject, side, comm);
  return result;
}

}  // namespace tutti::bench
