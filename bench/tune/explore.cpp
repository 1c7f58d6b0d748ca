#include "bench/tune/explore.hpp"

#include <algorithm>
#include <functional>

#include "bench/collective/samples.hpp"
#include "bench/tune/stop.hpp"

namespace tutti::bench {

using select::CallInterface;

namespace {

constexpr double k_batch_seconds = 0.05;  // between two looks at the clock

double blocking_native_us(const TunedCalls& calls, TunedData& data, MPI_Comm control) {
  Samples samples;
  for (int i = 0; i < 4; ++i) {
    PMPI_Barrier(control);
    const double start = PMPI_Wtime();
    calls.native(data);
    double us = (PMPI_Wtime() - start) * 1e6;
    PMPI_Allreduce(MPI_IN_PLACE, &us, 1, MPI_DOUBLE, MPI_MAX, control);
    if (i > 0) samples.values.push_back(us);  // the first sets connections up
  }
  return samples.median();
}

/// Calls until rank 0 says that it is enough. Returns how many there were.
int repeat(const std::function<void()>& call, const TuneOptions& options, MPI_Comm control) {
  int rank = 0;
  PMPI_Comm_rank(control, &rank);
  const double start = PMPI_Wtime();
  int made = 0;
  for (int batch = std::min(2, options.calls); batch > 0;) {
    for (int i = 0; i < batch; ++i) {
      // As in the benchmarks the ranks synchronise before every call; otherwise a root that need not wait would run
      // ahead.
      PMPI_Barrier(control);
      call();
    }
    made += batch;
    const double elapsed = PMPI_Wtime() - start;
    const double fitting = k_batch_seconds / std::max(elapsed / made, 1e-9);
    batch = elapsed >= options.seconds || is_stop_asked()
                ? 0
                : static_cast<int>(std::clamp(fitting, 1.0, 1000.0));
    batch = std::min(batch, options.calls - made);
    PMPI_Bcast(&batch, 1, MPI_INT, 0, control);
  }
  return made;
}

}  // namespace

void explore(TunedSite* site, TunedData& data, const TuneOptions& options, Computation* computation,
             MPI_Comm control) {
  const TunedCalls& calls = *site->calls;
  const double start = PMPI_Wtime();
  if (site->kind == CallInterface::blocking) {
    site->calls_made = repeat([&] { calls.blocking(data); }, options, control);
  } else {
    if (computation != nullptr) {
      const double given_us = options.computation.microseconds;
      computation->fit(given_us > 0 ? given_us : blocking_native_us(calls, data, control), control);
    }
    const bool is_persistent = site->kind == CallInterface::persistent;
    MPI_Request request = MPI_REQUEST_NULL;
    if (is_persistent) calls.make_persistent(data, &request);
    const auto call = [&] {
      if (is_persistent)
        MPI_Start(&request);
      else
        calls.start(data, &request);
      if (computation != nullptr) computation->run(1);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    };
    site->calls_made = repeat(call, options, control);
    if (is_persistent) MPI_Request_free(&request);
  }
  site->seconds = PMPI_Wtime() - start;
}

}  // namespace tutti::bench
