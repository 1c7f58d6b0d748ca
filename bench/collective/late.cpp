#include "bench/collective/late.hpp"

#include <algorithm>
#include <vector>

#include "bench/collective/check.hpp"
#include "bench/collective/choices.hpp"
#include "bench/collective/cluster.hpp"
#include "bench/collective/shared_clock.hpp"

namespace tutti::bench {

using arrival::Pattern;
using arrival::Visit;
using base::Result;
using base::Status;

namespace {

constexpr int k_starts_tried = 10;
constexpr double k_us_per_ns = 1e-3;

/// Lets all ranks start at one time, and each come late by its own.
class Arrivals {
 public:
  Arrivals(const Pattern& pattern, const Options& options, MPI_Comm comm)
      : pattern_(pattern), options_(options), comm_(comm), clock_(comm) {
    int rank = 0, size = 1;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    who_ = {static_cast<uint32_t>(rank), static_cast<uint32_t>(size)};
    for (int i = 0; i < k_starts_tried; ++i) margin_us_ = std::max(margin_us_, lateness_of_start(start()));
    margin_us_ = std::clamp(2 * margin_us_, 100.0, 50'000.0);
  }

  /// Call number `call`, from the common start on.
  Visit visit(Case& subject, Side side, int call) {
    const double delay_us =
        arrival::delay_ns(pattern_, options_.seed, who_, static_cast<uint32_t>(call)) * k_us_per_ns;
    const double begin = start();
    clock_.wait_until(begin, false);
    clock_.wait_until(begin + delay_us, options_.delay == "spin");
    Visit visit{clock_.now_us(), 0};
    subject.call(side);
    visit.exit = clock_.now_us();
    return visit;
  }

  uint32_t ranks() const { return who_.ranks; }
  double clock_error_us() const { return clock_.error_us(); }

 private:
  /// A time soon to come, by which all ranks should know it.
  double start() {
    PMPI_Barrier(comm_);
    double start = clock_.now_us() + margin_us_;
    PMPI_Bcast(&start, 1, MPI_DOUBLE, 0, comm_);
    return start;
  }

  /// Returns the time from the announcement of the start until the last rank knows it.
  double lateness_of_start(double start) {
    double late = clock_.now_us() - (start - margin_us_);
    PMPI_Allreduce(MPI_IN_PLACE, &late, 1, MPI_DOUBLE, MPI_MAX, comm_);
    return late;
  }

  const Pattern& pattern_;
  const Options& options_;
  MPI_Comm comm_;
  SharedClock clock_;
  arrival::Who who_;
  double margin_us_ = 0;
};

/// The visits of all ranks, call by call; rank 0's.
std::vector<Visit> gathered(const std::vector<Visit>& own, uint32_t ranks, MPI_Comm comm) {
  const size_t calls = own.size();
  std::vector<Visit> by_rank(calls * ranks), by_call(calls * ranks);
  const int bytes = static_cast<int>(calls * sizeof(Visit));
  PMPI_Gather(own.data(), bytes, MPI_BYTE, by_rank.data(), bytes, MPI_BYTE, 0, comm);
  for (size_t rank = 0; rank < ranks; ++rank)
    for (size_t call = 0; call < calls; ++call) by_call[call * ranks + rank] = by_rank[rank * calls + call];
  return by_call;
}

/// Calls `first` to `first` + `count` - 1 of a side, the same arrivals for both.
void sample(Case& subject, Side side, const std::string& collective, Arrivals& arrivals, int first, int count,
            MPI_Comm comm, LateSamples* samples) {
  std::vector<Visit> own;
  for (int call = first; call < first + count; ++call) own.push_back(arrivals.visit(subject, side, call));
  const auto figures = arrival::figures_of(gathered(own, arrivals.ranks(), comm), arrivals.ranks(),
                                           arrival::waits_of(collective), k_root);
  for (size_t i = 0; i < k_late_figures.size(); ++i)
    (*samples)[i].values.push_back(figures.*k_late_figures[i].figure);
}

}  // namespace

Result<Pattern> arrivals_of_all(const std::string& text, MPI_Comm comm) {
  int rank = 0, size = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  Result<Pattern> found = rank == 0 ? arrival::load_pattern(text) : Result<Pattern>(Pattern{});
  if (found)
    if (Status status = check(*found, static_cast<uint32_t>(size)); !status) found = status;
  if (status_of_rank_0(found ? 0 : 1) != 0)
    return found ? Status::internal("rank 0 says why") : found.status();
  int kind = static_cast<int>(found->kind);
  PMPI_Bcast(&kind, 1, MPI_INT, 0, comm);
  if (static_cast<arrival::Kind>(kind) != arrival::Kind::recorded) return arrival::parse_pattern(text);
  arrival::Recording recording;
  if (rank == 0) recording = *found->recording;
  uint64_t count = recording.lateness_ns.size();
  PMPI_Bcast(&count, 1, MPI_UINT64_T, 0, comm);
  recording.name = text;
  recording.ranks = static_cast<uint32_t>(size);
  recording.lateness_ns.resize(count);
  PMPI_Bcast(recording.lateness_ns.data(), static_cast<int>(count), MPI_UINT64_T, 0, comm);
  Pattern pattern;
  pattern.kind = arrival::Kind::recorded;
  pattern.recording = std::make_shared<const arrival::Recording>(std::move(recording));
  return pattern;
}

LateMeasurement measure_late(Case& subject, const std::string& collective, const Pattern& pattern,
                             const Options& options, MPI_Comm comm) {
  LateMeasurement result;
  result.collective = collective;
  result.bytes = subject.buffers().bytes;
  const auto check_both = [&] {
    for (const Side side : {Side::native, Side::tutti}) {
      const bool right = call_and_check(subject, side, comm);
      if (options.verify) result.right = result.right && right;
    }
  };
  check_both();
  Arrivals arrivals(pattern, options, comm);
  result.clock_error_us = arrivals.clock_error_us();
  for (const Side side : {Side::native, Side::tutti})
    for (int call = 0; call < options.warm_up; ++call) arrivals.visit(subject, side, call);
  const ChoiceCounts before = choices_so_far(collective);
  for (int i = 0; i < options.repetitions; ++i)
    for (int turn = 0; turn < 2; ++turn) {
      const Side side = (turn == 0) == (i % 2 == 0) ? Side::native : Side::tutti;
      sample(subject, side, collective, arrivals, options.warm_up + i * options.calls, options.calls, comm,
             side == Side::native ? &result.native : &result.tutti);
    }
  result.served = choices_between(before, choices_so_far(collective));
  result.choice = choice_of(result.served);
  check_both();
  return result;
}

}  // namespace tutti::bench
