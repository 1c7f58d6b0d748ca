#include "mpi/clock/clock_sync.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/clock.hpp"
#include "base/futex.hpp"
#include "base/helper_thread.hpp"
#include "mpi/clock/global_clock.hpp"
#include "mpi/native/agreement.hpp"
#include "record/clock_model.hpp"

namespace tutti::mpi {

using base::Status;
using record::ClockSample;

namespace {

constexpr int k_samples_tag = 4;
constexpr uint64_t k_longest_nap_ns = 1'000'000'000;
// Interval between two checks whether the other machines have begun: the clocks differ by milliseconds at most.
constexpr uint64_t k_first_look_ns = 100'000, k_longest_look_ns = 20'000'000;

bool is_leader(std::span<const int32_t> machine_of_rank, int rank) {
  return std::ranges::find(machine_of_rank, machine_of_rank[static_cast<size_t>(rank)]) ==
         machine_of_rank.begin() + rank;
}

bool may_call_from_threads() {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

/// True if the sample is less accurate than extrapolation from `last`.
bool is_worthless(const ClockSample& sample, const ClockSample& last) {
  const uint64_t wander_ns =
      (sample.at_ns - last.at_ns) / 1'000'000 * record::ClockModel::k_wander_per_million;
  return sample.error_ns > last.error_ns + wander_ns;
}

}  // namespace

Status ClockSync::start(MPI_Comm world, std::span<const int32_t> machine_of_rank, uint64_t every_ns,
                        const ClockSample& first) {
  every_ns_ = every_ns;
  samples_.push_back(first);
  if (std::ranges::count(machine_of_rank, machine_of_rank.front()) ==
      static_cast<ptrdiff_t>(machine_of_rank.size()))
    return {};  // one machine has one clock
  if (!all_agree(world, may_call_from_threads()))
    return Status::not_supported("the MPI may not be called by another thread");
  int rank = 0;
  PMPI_Comm_rank(world, &rank);
  origin_ns_ = static_cast<int64_t>(base::monotonic_ns()) + first.offset_ns;
  PMPI_Bcast(&origin_ns_, 1, MPI_INT64_T, 0, world);
  const bool leads = is_leader(machine_of_rank, rank);
  PMPI_Comm_split(world, leads ? 0 : MPI_UNDEFINED, rank, &leaders_);
  if (leads) PMPI_Comm_set_errhandler(leaders_, MPI_ERRORS_RETURN);
  const Status started =
      leads ? base::start_helper_thread("tutti-clock", nullptr, run, this, &thread_) : Status();
  has_thread_ = leads && started;
  const bool are_all_started = all_agree(world, started.is_ok());
  if (are_all_started) {
    const std::lock_guard lock(mutex_);
    is_held_ = false;
    return {};
  }
  abandon(k_longest_nap_ns);
  return started ? Status::not_supported("another rank has no thread for it") : started;
}

ClockSync::~ClockSync() {
  abandon(k_longest_nap_ns);
  if (leaders_ != MPI_COMM_NULL) PMPI_Comm_free(&leaders_);
}

void ClockSync::stop(MPI_Comm world, std::span<const int32_t> machine_of_rank) {
  if (origin_ns_ == 0) return;
  uint64_t count = hold();
  PMPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_UINT64_T, MPI_MAX, world);
  {
    const std::lock_guard lock(mutex_);
    last_ = count;
  }
  change();
  if (std::exchange(has_thread_, false)) pthread_join(thread_, nullptr);
  share_samples(world, machine_of_rank);
}

/// Prevents that a comparison begins here before last_ is known. Returns the number of those that have begun.
uint64_t ClockSync::hold() {
  const std::lock_guard lock(mutex_);
  is_held_ = true;
  return begun_;
}

void ClockSync::share_samples(MPI_Comm world, std::span<const int32_t> machine_of_rank) {
  int own = 0;
  PMPI_Comm_rank(world, &own);
  const int32_t machine = machine_of_rank[static_cast<size_t>(own)];
  const auto leader = static_cast<int>(std::ranges::find(machine_of_rank, machine) - machine_of_rank.begin());
  int bytes = static_cast<int>(samples_.size() * sizeof(ClockSample));
  if (leader != own) {
    MPI_Status status;
    PMPI_Probe(leader, k_samples_tag, world, &status);
    PMPI_Get_count(&status, MPI_BYTE, &bytes);
    samples_.resize(static_cast<size_t>(bytes) / sizeof(ClockSample));
    PMPI_Recv(samples_.data(), bytes, MPI_BYTE, leader, k_samples_tag, world, MPI_STATUS_IGNORE);
    return;
  }
  for (size_t rank = 0; rank < machine_of_rank.size(); ++rank)
    if (machine_of_rank[rank] == machine && static_cast<int>(rank) != own)
      PMPI_Send(samples_.data(), bytes, MPI_BYTE, static_cast<int>(rank), k_samples_tag, world);
}

void ClockSync::abandon(uint64_t within_ns) {
  if (!std::exchange(has_thread_, false)) return;
  is_abandoned_.store(true, std::memory_order_relaxed);
  change();
  base::join_within(thread_, within_ns);
}

std::vector<ClockSample> ClockSync::samples() const {
  const std::lock_guard lock(mutex_);
  return samples_;
}

void* ClockSync::run(void* self) {
  auto& keeper = *static_cast<ClockSync*>(self);
  for (uint64_t number = 1; keeper.await_next(number); ++number) keeper.compare();
  return nullptr;
}

bool ClockSync::await_next(uint64_t number) {
  while (!is_abandoned_.load(std::memory_order_relaxed)) {
    {
      const std::lock_guard lock(mutex_);
      if (last_) return number <= *last_;
      if (!is_held_ && is_due(number)) {
        begun_ = number;
        return true;
      }
    }
    nap(std::min(every_ns_ / 100, k_longest_nap_ns));
  }
  return false;
}

bool ClockSync::is_due(uint64_t number) const {
  const int64_t common_ns = static_cast<int64_t>(base::monotonic_ns()) + samples_.back().offset_ns;
  return common_ns - origin_ns_ >= static_cast<int64_t>(number * every_ns_);
}

void ClockSync::compare() {
  MPI_Request all_here = MPI_REQUEST_NULL;
  PMPI_Ibarrier(leaders_, &all_here);
  uint64_t look_ns = k_first_look_ns;
  for (int is_done = 0; is_done == 0; look_ns = std::min(look_ns * 2, k_longest_look_ns)) {
    if (PMPI_Test(&all_here, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
    if (is_abandoned_.load(std::memory_order_relaxed)) return;
    if (is_done == 0) nap(look_ns);
  }
  int size = 0;
  PMPI_Comm_size(leaders_, &size);
  std::vector<int32_t> machines(static_cast<size_t>(size));  // each of these ranks is on its own machine
  std::iota(machines.begin(), machines.end(), 0);
  const GlobalClock clock(leaders_, machines);
  const ClockSample sample{.at_ns = clock.compared_ns(),
                           .offset_ns = clock.compared().offset_ns,
                           .error_ns = clock.compared().error_ns};
  const std::lock_guard lock(mutex_);
  if (!is_worthless(sample, samples_.back())) samples_.push_back(sample);
}

void ClockSync::nap(uint64_t most_ns) {
  const uint32_t seen = changes_.load(std::memory_order_acquire);
  base::futex_wait(changes_, seen, most_ns);
}

void ClockSync::change() {
  changes_.fetch_add(1, std::memory_order_release);
  base::futex_wake(&changes_);
}

}  // namespace tutti::mpi
