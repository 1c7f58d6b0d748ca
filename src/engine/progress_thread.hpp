#pragma once
// A thread that carries out what others hand over (paper 001, section 3.2; DESIGN §6).

#include <pthread.h>

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
  /// While jobs are under way and nothing moves. `automatic` yields on cores of its own and sleeps on shared
  /// ones.
  WaitPolicy wait = WaitPolicy::automatic;
  /// The thread's own processing units; empty: it has none, and shares those of the thread that starts it.
  std::vector<unsigned> cores;
  /// `sleep`: naps grow from 20 µs up to this as long as nothing moves. A job that is handed over ends a nap.
  uint64_t longest_nap_ns = 100'000;
  /// While somebody waits for a job and lends the thread his core (Hurry): how he would wait himself.
  WaitPolicy hurried_wait = WaitPolicy::automatic;
  uint32_t ranks_on_node = 1;  // for `automatic` then
  /// Called in every round then, on the thread: what he would move on besides. May be empty.
  std::function<void()> while_hurried;
};

/// What the thread has done so far.
struct ProgressCounts {
  uint64_t jobs = 0;   // taken from the queue
  uint64_t polls = 0;  // rounds over all engines
  uint64_t naps = 0;   // sleeps that end by themselves: jobs are under way, or a network is looked after
  uint64_t parks = 0;  // sleeps because there was nothing to do
};

/// Where it has nothing to do, it sleeps until it gets a job, and costs nothing; where it looks after a
/// network, it wakes up when something comes, and now and then. It takes no signals but those that it causes
/// itself.
///
/// An engine is driven only by this thread from the time a job of it is handed over until that job ends.
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

  /// Hands a job over. Any thread, this one included (from Job::ended()). While the thread is awake this
  /// takes no lock and makes no system call; it never allocates. Not after stop() and abandon().
  void submit(Job* job) override;
  /// The same thread, which leaves its own cores for the jobs that are submitted here, and goes back for
  /// those submitted above: it is where the last one wants it.
  Driver& on_shared_cores() { return on_shared_cores_; }

  /// From now on the thread makes progress of the network when it has no job, too: at its events, or else
  /// soon after the last job, then more and more rarely, up to every 100 ms. Where `wait` is to sleep, and
  /// all that its jobs wait for is an event, it sleeps until that comes. The network, the only one whose
  /// endpoints have events, outlives the thread. Any thread.
  void look_after(transport::Network& network);

  /// Ends the thread once all jobs that were handed over have ended. Not from the thread itself.
  ///
  /// `within_ns` is for a process that is about to end: when it takes longer, the result is false, ended() of
  /// the jobs that are left is never called, and their transfers stay in flight. What those use (engine,
  /// endpoints, plan, buffers) must then stay as it is until the process ends.
  bool stop(uint64_t within_ns = k_forever_ns);

  /// Until stop() or abandon().
  bool is_running() const { return has_thread_; }

  /// In a child process after fork(), where the thread does not exist: forgets it. Its memory stays behind.
  void abandon();

  /// While this lives, its maker sleeps until jobs end: the thread waits for messages in his place, as
  /// attentively as he would. Any thread, any number at a time.
  class Hurry {
   public:
    explicit Hurry(ProgressThread& thread);
    ~Hurry();
    Hurry(const Hurry&) = delete;
    Hurry& operator=(const Hurry&) = delete;

   private:
    Loop& loop_;
  };

  /// The calling thread is this one.
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

  std::unique_ptr<Loop> loop_;  // null once it has been left behind
  OnSharedCores on_shared_cores_{*this};
  pthread_t thread_{};
  bool has_thread_ = false;
};

}  // namespace tutti::engine
