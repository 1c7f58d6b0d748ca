// Measures the cost of handing a job to the progress thread, and of learning of its end. No MPI: the engine has
// nothing to do.
//
//   tutti-hand-over     medians, 10th and 90th percentiles; needs two quiet cores
//
// The caller runs on the first processing unit of the affinity mask, the thread on the last.

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "engine/job.hpp"
#include "engine/plan.hpp"
#include "engine/progress_thread.hpp"
#include "engine/signal.hpp"

namespace {

using namespace tutti;  // NOLINT: a program of its own
using engine::ProgressThread;
using engine::WaitPolicy;

constexpr int k_rounds = 50'000;
constexpr int k_rounds_parked = 2'000;

/// Its operations end at once; it notes when they start.
class NothingToDo final : public engine::Engine {
 public:
  base::Result<engine::Operation*> start(const engine::Plan&, const engine::Bindings&) override {
    started_ns = base::monotonic_ns();
    return &done_;
  }
  bool progress() override { return false; }
  void release(engine::Operation*) override {}
  base::Status wait(engine::Operation*) override { return {}; }

  uint64_t started_ns = 0;  // read after the job's signal

 private:
  class Done final : public engine::Operation {
   public:
    bool is_done() const override { return true; }
    const base::Status& status() const override { return status_; }

   private:
    base::Status status_;
  };
  Done done_;
};

class SignalledJob final : public engine::Job {
 public:
  void ended(const base::Status&) override { signal.set(); }
  engine::Signal signal;
};

struct Samples {
  std::vector<uint64_t> submit, start, round_trip;
};

void print(std::string_view what, std::vector<uint64_t> ns) {
  std::ranges::sort(ns);
  const auto at = [&](size_t percent) { return ns[(ns.size() - 1) * percent / 100]; };
  fmt::print("  {:<34} {:>7} ns   ({} .. {})\n", what, at(50), at(10), at(90));
}

/// Time between two looks at the clock: part of every number below.
uint64_t clock_ns() {
  std::vector<uint64_t> ns(10'001);
  for (uint64_t& sample : ns) {
    const uint64_t before = base::monotonic_ns();
    sample = base::monotonic_ns() - before;
  }
  std::ranges::nth_element(ns, ns.begin() + 5'000);
  return ns[5'000];
}

/// Hands one job over `rounds` times; where `parks`, each time to a thread that sleeps.
Samples measure(ProgressThread& thread, int rounds, bool parks, WaitPolicy policy) {
  NothingToDo engine;
  const auto plan = *engine::Plan::make(*schedule::ScheduleBuilder().finish(), {});
  SignalledJob job;
  job.engine = &engine;
  job.plan = plan.get();
  Samples samples;
  for (int i = 0; i < rounds; ++i) {
    const uint64_t parks_before = thread.counts().parks;
    job.signal.reset();
    const uint64_t before = base::monotonic_ns();
    thread.submit(&job);
    const uint64_t submitted = base::monotonic_ns();
    job.signal.wait(policy);
    const uint64_t after = base::monotonic_ns();
    samples.submit.push_back(submitted - before);
    samples.start.push_back(engine.started_ns - before);
    samples.round_trip.push_back(after - before);
    while (parks && thread.counts().parks == parks_before) sched_yield();
    for (const uint64_t until = base::monotonic_ns() + 20'000; parks && base::monotonic_ns() < until;) {
    }
  }
  return samples;
}

void report(std::string_view title, unsigned core, WaitPolicy thread_policy, WaitPolicy caller_policy,
            bool parks) {
  auto thread = ProgressThread::start({.wait = thread_policy, .cores = {core}});
  if (!thread) {
    fmt::print(stderr, "tutti-hand-over: {}\n", thread.status().message());
    std::exit(1);
  }
  const Samples samples = measure(**thread, parks ? k_rounds_parked : k_rounds, parks, caller_policy);
  fmt::print("{}\n", title);
  print("the call of submit()", samples.submit);
  print("from there to the engine's start", samples.start);
  print("to the caller's knowing the end", samples.round_trip);
}

}  // namespace

int main() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0 || CPU_COUNT(&mask) < 2) {
    fmt::print(stderr, "tutti-hand-over: needs an affinity mask of two processing units\n");
    return 1;
  }
  unsigned first = CPU_SETSIZE, last = 0;
  for (unsigned unit = 0; unit < CPU_SETSIZE; ++unit) {
    if (!CPU_ISSET(unit, &mask)) continue;
    first = std::min(first, unit);
    last = unit;
  }
  cpu_set_t own;
  CPU_ZERO(&own);
  CPU_SET(first, &own);
  sched_setaffinity(0, sizeof own, &own);

  fmt::print("median (10th .. 90th percentile); the clock alone takes {} ns\n", clock_ns());
  report("thread awake, caller spins", last, WaitPolicy::spin, WaitPolicy::spin, false);
  report("thread parked, caller sleeps", last, WaitPolicy::sleep, WaitPolicy::sleep, true);
  return 0;
}
