#pragma once
// The progress thread: executes jobs that other threads submit (paper 001, section 3.2; DESIGN §6).

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/status.hpp"
#include "engine/driver.hpp"
#include "engine/wait_policy.hpp"
#include "transport/network.hpp"

namespace tutti::engine {

struct ProgressOptions {
  /// How the thread waits while jobs are pending and nothing moves. `automatic` spins, then yields on its own
  /// cores, and sleeps on shared ones.
  WaitPolicy wait = WaitPolicy::automatic;
  /// The thread's own processing units. Empty: it shares those of the thread that starts it.
  std::vector<unsigned> cores;
  /// `sleep`: naps grow from 20 µs to this limit as long as nothing moves. submit() ends a nap.
  uint64_t longest_nap_ns = 100'000;
  /// How the thread waits while another thread sleeps until a job ends and leaves its core to this one
  /// (LatencyBoost): as that thread would wait.
  WaitPolicy boosted_wait = WaitPolicy::automatic;
  base::CpuShare boosted_share = base::CpuShare::own;  // for `automatic` in boosted_wait
  /// Called in every round during a LatencyBoost, on this thread: the other progress that the sleeping thread would
  /// make. May be empty.
  std::function<void()> while_boosted;
  /// Called about every millisecond while there are jobs, on this thread: progress that peers may need
  /// although the calling thread has left MPI. May be empty.
  std::function<void()> beside_jobs;
  /// Called once, on the thread, before everything else. May be empty.
  std::function<void()> at_start;
};

/// Statistics.
struct ProgressCounts {
  uint64_t jobs = 0;   // taken from the queue
  uint64_t polls = 0;  // rounds over all engines
  uint64_t naps = 0;   // timed sleeps: with pending jobs, or with a network to poll
  uint64_t parks = 0;  // sleeps without any work
};

/// Without work the thread sleeps until it gets a job and uses no CPU time. With a network to look after, it
/// wakes at the network's events, and periodically. It blocks all signals except those that it raises itself.
class ProgressThread final : public Driver {
  class Loop;

 public:
  static constexpr uint64_t k_forever_ns = uint64_t{1} << 60;  // 36 years

  /// Errors: system, if no thread can be created or it may not run on those cores; out_of_memory.
  static base::Result<std::unique_ptr<ProgressThread>> start(const ProgressOptions& options);
  /// Calls stop(), unless that or abandon() has been called.
  ~ProgressThread() override;
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

  /// Hands a job over. Any thread, this one included (from Job::ended()). Takes no lock and makes no system
  /// call while the thread is awake; never allocates. Not after stop() or abandon().
  void submit(Job* job) override;
  /// A driver that moves the same thread to the shared cores. The last job decides: submitting to this driver
  /// moves the thread there, submit() of the ProgressThread moves it back to its own cores.
  Driver& on_shared_cores() { return on_shared_cores_; }

  /// From now on the thread also calls the network's make_progress() without jobs: at the network's events,
  /// or else soon after the last job and then less and less often, at least every 100 ms. If all jobs wait
  /// for an event and the wait policy is `sleep`, it sleeps until the event. The network must outlive the
  /// thread and is the only one whose endpoints have events. Any thread.
  void look_after(transport::Network& network);

  /// Ends the thread once all submitted jobs have ended. Not from the thread itself.
  ///
  /// `within_ns` is for a process that is about to end: if it takes longer, the result is false, ended() of
  /// the remaining jobs is never called, and their transfers stay in flight. The objects that they use
  /// (engine, endpoints, plan, buffers) must then stay unchanged until the process ends.
  bool stop(uint64_t within_ns = k_forever_ns);

  /// Ends the thread, with jobs pending or not: from then on progress() advances its jobs and those submitted
  /// later. False: it has not ended within that time, because it does not return from a call; progress() then
  /// works once it has. Not from the thread itself.
  bool hand_over(uint64_t within_ns);
  /// After hand_over(), any thread: advances all jobs once, unless another thread does. May call
  /// Job::ended(). True if something moved.
  bool progress();
  /// Jobs are pending. For the thread that drives after hand_over().
  bool has_jobs() const;

  /// True until stop(), hand_over() or abandon().
  bool is_running() const { return has_thread_.load(std::memory_order_relaxed); }

  /// For a child process after fork(), where the thread does not exist. Its memory is not freed.
  void abandon();

  /// While this object exists, its owner sleeps until a job ends. The progress thread then polls as often as
  /// the owner would (boosted_wait). Any thread, any number at the same time.
  class LatencyBoost {
   public:
    explicit LatencyBoost(ProgressThread& thread);
    ~LatencyBoost();
    LatencyBoost(const LatencyBoost&) = delete;
    LatencyBoost& operator=(const LatencyBoost&) = delete;

   private:
    Loop& loop_;
  };

  /// Called by a thread that polls repeatedly for results of the progress thread. If the program has made the
  /// caller a real-time thread, the progress thread becomes one too, with the next higher priority if
  /// permitted: otherwise it would never run. Two system calls every 1024 calls.
  void keep_up() {
    constexpr uint32_t k_every = 1024;
    const uint32_t number = asked_.load(std::memory_order_relaxed) + 1;
    asked_.store(number, std::memory_order_relaxed);
    if (number % k_every == 0) follow_policy();
  }

  /// True on the progress thread itself.
  bool is_me() const;

  ProgressCounts counts() const;
  /// CPU time of the thread; 0 after it was stopped.
  uint64_t cpu_ns() const;

 private:
  class OnSharedCores final : public Driver {
   public:
    explicit OnSharedCores(ProgressThread& thread) : thread_(thread) {}
    void submit(Job* job) override;

   private:
    ProgressThread& thread_;
  };

  explicit ProgressThread(std::unique_ptr<Loop> loop);
  void follow_policy();

  std::unique_ptr<Loop> loop_;  // null once it was left behind with its thread
  OnSharedCores on_shared_cores_{*this};
  pthread_t thread_{};
  std::atomic<bool> has_thread_{false};
  std::atomic<uint32_t> asked_{0};                      // calls of keep_up(); some may be lost
  std::atomic<int> policy_{SCHED_OTHER}, priority_{0};  // of the thread whose policy is adopted
  bool is_left_behind_ = false;                         // hand_over() failed
};

}  // namespace tutti::engine
