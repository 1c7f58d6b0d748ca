#pragma once
// The threads that a rank has begun besides its first one.

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
  /// One more is about to begin, and does not.
  void expect();
  void give_up();
  /// The calling thread is one of them, until end(): an expected one, or one that a C library has begun by itself.
  void* begin(bool is_expected);
  void end(void* thread);
  /// Waits until there is none.
  void wait();
  /// They do nothing any more, for ever, nor do those that begin later: the rank is over, and natively the process
  /// would be. A thread inside a library
  /// that ranks have in common, the loader for example, is let out of it first, for a while.
  void stop();
  /// The calling thread does nothing any more. Calls nothing that a handler of signals may not.
  [[noreturn]] static void stop_this();
  /// Processor time of those that there are and that there were, without the rank's first thread.
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

/// Processor time of a thread of this process; 0: it has none any more.
uint64_t cpu_ns_of(pid_t thread);

}  // namespace tutti::actors
