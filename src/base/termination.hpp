#pragma once
// Work that is left to be done when this process is told to end (SIGTERM), as at the end of a batch job's
// time.

#include <pthread.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace tutti::base {

/// It is the handler that an OnTermination has installed. Async-signal-safe.
bool is_termination_handler(void (*handler)(int));
/// What is done on the signal where the program leaves it to the default: that handler for SIGTERM while there is an
/// OnTermination, or SIG_DFL. Async-signal-safe.
void (*default_handler(int signal))(int);

/// While one exists, SIGTERM ends the process a little later: first `work` runs, on a thread that exists for
/// nothing else, then the signal has its default effect. The handler itself only wakes that thread and waits for the
/// end, so it may interrupt anything. After half a second the program goes on: `work` may need a lock of the thread
/// that was interrupted. It has `patience_ns` at most: then, or at a second SIGTERM, the process ends at once.
///
/// Nothing of the program's is replaced: where SIGTERM has a handler or is ignored, none is installed, and
/// where the program installs one later, that one alone runs, until the program goes back to the default. A forked
/// child ends by SIGTERM at once.
///
/// One at a time. Created and destroyed by one thread; in a forked child the destructor does nothing.
class OnTermination {
 public:
  /// nullptr where the program deals with SIGTERM itself, or no thread can be had.
  static std::unique_ptr<OnTermination> install(std::function<void()> work,
                                                uint64_t patience_ns = 2'000'000'000);
  /// Takes the handler away. Where the signal has come already, the process ends in here.
  ~OnTermination();
  OnTermination(const OnTermination&) = delete;
  OnTermination& operator=(const OnTermination&) = delete;

 private:
  OnTermination(std::function<void()> work, uint64_t patience_ns)
      : work_(std::move(work)), patience_ns_(patience_ns) {}
  static void* run(void* object);

  std::function<void()> work_;
  uint64_t patience_ns_;
  pthread_t thread_{};
  bool has_thread_ = false;
};

}  // namespace tutti::base
