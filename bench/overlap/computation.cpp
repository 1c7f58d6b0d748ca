#include "bench/overlap/computation.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <cstddef>

#include "bench/collective/samples.hpp"

namespace tutti::bench {

namespace {

/// A computation that leaves the core free: on an accelerator, or on the other cores of the node.
class Asleep final : public Computation {
 public:
  std::string name() const override { return "asleep"; }
  void fit(double microseconds, MPI_Comm) override { ns_ = static_cast<long>(microseconds * 1000); }
  void run(int parts) override {
    // Without this the kernel lets every sleep last up to 50 µs longer.
    prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
    const long ns = ns_ / parts;
    const timespec duration{.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &duration, nullptr);
  }

 private:
  long ns_ = 0;
};

/// Products of two vectors, element by element, into a third; over and over through the same three.
class Busy final : public Computation {
 public:
  Busy(size_t length, uint64_t products, bool has_threads)
      : a_(length, 1.5), b_(length, 0.5), c_(length), fixed_(products * length), has_threads_(has_threads) {}

  std::string name() const override {
    return fmt::format("busy {}{}", c_.size(), has_threads_ ? " openmp" : "");
  }
  void fit(double microseconds, MPI_Comm comm) override;
  void run(int parts) override { compute(elements_ / static_cast<uint64_t>(parts)); }

 private:
  double slowest_rank_us(MPI_Comm comm);
  void compute(uint64_t elements);
  void multiply(size_t first, size_t count);

  std::vector<double> a_, b_, c_;
  const uint64_t fixed_;  // elements, when their number was given
  const bool has_threads_;
  uint64_t elements_ = 0;
  size_t next_ = 0;
};

void Busy::fit(double microseconds, MPI_Comm comm) {
  elements_ = fixed_ > 0 ? fixed_ : 20'000;
  if (fixed_ > 0) return;
  slowest_rank_us(comm);  // touches the vectors, and wakes the threads
  // Towards the goal from below: short work says little about the time of long work.
  for (int i = 0; i < 12; ++i) {
    const double factor = microseconds / std::max(slowest_rank_us(comm), 1.0);
    elements_ =
        std::max<uint64_t>(1, static_cast<uint64_t>(static_cast<double>(elements_) * std::min(factor, 8.0)));
    if (factor > 0.97 && factor < 1.03 && i > 1) break;
  }
}

/// Median of three; the same on all ranks.
double Busy::slowest_rank_us(MPI_Comm comm) {
  Samples samples;
  for (int i = 0; i < 3; ++i) {
    PMPI_Barrier(comm);
    const double start = PMPI_Wtime();
    run(1);
    double us = (PMPI_Wtime() - start) * 1e6;
    PMPI_Allreduce(MPI_IN_PLACE, &us, 1, MPI_DOUBLE, MPI_MAX, comm);
    samples.values.push_back(us);
  }
  return samples.median();
}

void Busy::compute(uint64_t elements) {
  while (elements > 0) {
    const size_t count = std::min<uint64_t>(elements, c_.size() - next_);
    multiply(next_, count);
    next_ = (next_ + count) % c_.size();
    elements -= count;
  }
}

void Busy::multiply(size_t first, size_t count) {
  const double* const a = a_.data() + first;
  const double* const b = b_.data() + first;
  double* const c = c_.data() + first;
#ifdef _OPENMP
  if (has_threads_) {
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < count; ++i) c[i] = a[i] * b[i];
    return;
  }
#endif
  for (size_t i = 0; i < count; ++i) c[i] = a[i] * b[i];
  // Keeps the product alive: the compiler must assume that it is read.
  asm volatile("" : : "r"(c) : "memory");
}

}  // namespace

std::vector<std::unique_ptr<Computation>> make_computations(const ComputationOptions& options) {
  std::vector<std::unique_ptr<Computation>> all;
  if (options.asleep) all.push_back(std::make_unique<Asleep>());
  for (const uint64_t length : options.vector_lengths)
    for (const bool has_threads : {false, true})
      if (options.busy && (options.openmp || !has_threads))
        all.push_back(std::make_unique<Busy>(length, options.products, has_threads));
  return all;
}

}  // namespace tutti::bench
