#include "mpi/clock/run_clock.hpp"

#include "mpi/clock/global_clock.hpp"

namespace tutti::mpi {

void RunClock::compare(MPI_Comm comm, std::span<const int32_t> machine_of_rank) {
  const GlobalClock clock(comm, machine_of_rank);
  samples_.push_back({.at_ns = clock.compared_ns(),
                      .offset_ns = clock.compared().offset_ns,
                      .error_ns = clock.compared().error_ns});
}

base::Status RunClock::keep(const base::Settings& settings, MPI_Comm comm,
                            std::span<const int32_t> machine_of_rank) {
  constexpr uint64_t k_second_ns = 1'000'000'000;
  const uint64_t every_ns = settings.number("TUTTI_RECORD_CLOCK_SYNC_INTERVAL") * k_second_ns;
  return every_ns == 0 ? base::Status() : sync_.start(comm, machine_of_rank, every_ns, samples_.front());
}

std::vector<record::ClockSample> RunClock::samples() const {
  std::vector<record::ClockSample> all = samples_;
  const std::vector<record::ClockSample> kept = sync_.samples();
  if (kept.size() > 1) all.insert(all.begin() + 1, kept.begin() + 1, kept.end());
  return all;
}

}  // namespace tutti::mpi
