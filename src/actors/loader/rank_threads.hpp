#pragma once
// The threads of a rank other than its first one.

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>

namespace tutti::actors {

/// Any thread.
class RankThreads {
 public:
  RankThreads();
  ~RankThreads();
  /// A thread is about to be created; or its creation failed.
  void expect();
  void give_up();
  /// The calling thread is one of them until end(): an expected one, or one that a C library created itself.
  void* begin(bool is_expected);
  void end(void* thread);
  /// Waits until there is none.
  void wait();
  /// Stops these threads forever, and those that start later: the rank has ended, and a native process would
  /// be gone. A thread in code that ranks share, e.g. the loader, is first given some time to leave it.
  void stop();
  /// Stops the calling thread. Async-signal-safe.
  [[noreturn]] static void stop_this();
  /// CPU time of current and ended threads, without the rank's first thread.
  uint64_t cpu_ns();

 private:
  struct Thread;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Thread> threads_;
  size_t expected_ = 0;
  bool is_over_ = false;
  uint64_t ended_cpu_ns_ = 0;
};

/// CPU time of a thread of this process; 0: the thread has ended.
uint64_t cpu_ns_of(pid_t thread);

}  // namespace tutti::actors
