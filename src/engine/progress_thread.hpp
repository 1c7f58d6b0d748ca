#pragma once
// The progress thread: it carries out jobs that other threads hand over (paper 001, section 3.2; DESIGN §6).

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
  /// How it waits while jobs are under way and nothing moves. `automatic` yields on cores of its own and sleeps on
  /// shared ones.
  WaitPolicy wait = WaitPolicy::automatic;
  /// The thread's own processing units. Empty: it shares those of the thread that starts it.
  std::vector<unsigned> cores;
  /// `sleep`: naps grow from 20 µs up to this as long as nothing moves. submit() ends a nap.
  uint64_t longest_nap_ns = 100'000;
  /// How it waits while another thread sleeps until a job ends and leaves its core to this one (Hurry): as that
  /// thread would.
  WaitPolicy hurried_wait = WaitPolicy::automatic;
  base::CpuShare hurried_share = base::CpuShare::own;  // for `automatic` then
  /// Called in every round then, on this thread: the progress that the sleeping thread would make besides. May be
  /// empty.
  std::function<void()> while_hurried;
  /// Called every millisecond or so while there are jobs, on this thread: for callers that are gone and may need it.
  /// May be empty.
  std::function<void()> beside_jobs;
  /// Called once, on the thread, before anything else. May be empty.
  std::function<void()> at_start;
};

/// Statistics.
struct ProgressCounts {
  uint64_t jobs = 0;   // taken from the queue
  uint64_t polls = 0;  // rounds over all engines
  uint64_t naps = 0;   // sleeps that end by themselves: with jobs under way, or a network to look after
  uint64_t parks = 0;  // sleeps without any work
};

/// A thread without work sleeps until it gets a job and costs nothing. With a network to look after, it wakes up at
/// the network's events, and now and then. It takes no signals but those that it causes itself.
class ProgressThread final : public Driver {
  class Loop;

 public:
  static constexpr uint64_t k_forever_ns = uint64_t{1} << 60;  // 36 years

  /// Errors: system, when there can be no further thread or it may not run on those cores; out_of_memory.
  static base::Result<std::unique_ptr<ProgressThread>> start(const ProgressOptions& options);
  /// stop(), unless that or abandon() has been called.
  ~ProgressThread() override;
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

  /// Hands a job over. Any thread, this one included (from Job::ended()). Takes no lock and makes no system call
  /// while the thread is awake; never allocates. Not after stop() and abandon().
  void submit(Job* job) override;
  /// A driver that moves the same thread to the shared cores. The last job decides: one that is submitted here moves
  /// the thread there, one that is submitted by submit() moves it back to its own cores.
  Driver& on_shared_cores() { return on_shared_cores_; }

  /// From now on the thread calls the network's make_progress() without jobs, too: at the network's events, or
  /// else soon after the last job and then more and more rarely, at least every 100 ms. With jobs that all wait for an
  /// event, and a wait policy of `sleep`, it sleeps until the event. The network outlives the thread and is the only
  /// one whose endpoints have events. Any thread.
  void look_after(transport::Network& network);

  /// Ends the thread once all jobs that were handed over have ended. Not from the thread itself.
  ///
  /// `within_ns` is for a process that is about to end: when it takes longer, the result is false, ended() of
  /// the jobs that are left is never called, and their transfers stay in flight. What those use (engine,
  /// endpoints, plan, buffers) must then stay as it is until the process ends.
  bool stop(uint64_t within_ns = k_forever_ns);

  /// Ends the thread, whatever is under way: from then on its jobs, and those that are submitted later, are moved on by
  /// progress(). False: it has not ended within that time, because it does not return from a call; then progress()
  /// begins when it has. Not from the thread itself.
  bool hand_over(uint64_t within_ns);
  /// After hand_over(), any thread: advances all jobs once, unless another one does. May call Job::ended(). True when
  /// something moved.
  bool progress();
  /// Of the thread that drives after hand_over(): jobs are under way.
  bool has_jobs() const;

  /// Until stop(), hand_over() or abandon().
  bool is_running() const { return has_thread_.load(std::memory_order_relaxed); }

  /// For a child process after fork(), where the thread does not exist. Its memory stays behind.
  void abandon();

  /// While this object exists, its owner sleeps until a job ends. The progress thread then polls as often as the
  /// owner would (hurried_wait). Any thread, any number at a time.
  class Hurry {
   public:
    explicit Hurry(ProgressThread& thread);
    ~Hurry();
    Hurry(const Hurry&) = delete;
    Hurry& operator=(const Hurry&) = delete;

   private:
    Loop& loop_;
  };

  /// Of a thread that tests again and again for what this one does. Where the program has made that a real-time thread,
  /// this one becomes one, too, of the next higher priority where it may: or it would never run. Now and then two
  /// system calls.
  void keep_up() {
    constexpr uint32_t k_every = 1024;
    const uint32_t number = asked_.load(std::memory_order_relaxed) + 1;
    asked_.store(number, std::memory_order_relaxed);
    if (number % k_every == 0) follow_policy();
  }

  /// True on the progress thread itself.
  bool is_me() const;

  ProgressCounts counts() const;
  /// CPU time of the thread; 0 when it has been stopped.
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

  std::unique_ptr<Loop> loop_;  // null once it has been left behind with its thread
  OnSharedCores on_shared_cores_{*this};
  pthread_t thread_{};
  std::atomic<bool> has_thread_{false};
  std::atomic<uint32_t> asked_{0};                      // some may be lost
  std::atomic<int> policy_{SCHED_OTHER}, priority_{0};  // of the thread that is followed
  bool is_left_behind_ = false;                         // hand_over() has failed
};

}  // namespace tutti::engine
