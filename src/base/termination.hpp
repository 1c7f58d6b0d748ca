#pragma once
// Runs remaining work when this process is told to end (SIGTERM), as at the time limit of a batch job.

#include <pthread.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace tutti::base {

/// Whether `handler` is the one that OnTermination installs. Async-signal-safe.
bool is_termination_handler(void (*handler)(int));
/// Handler for the default action of a signal: that handler for SIGTERM while an OnTermination exists, otherwise
/// SIG_DFL. Async-signal-safe.
void (*default_handler(int signal))(int);

/// While it exists, SIGTERM first runs `work` on a dedicated thread; then the signal has its default effect. The
/// handler only wakes that thread and waits for the end, so it may interrupt any code. After half a second the
/// interrupted thread continues, because `work` may need a lock that it holds. After `patience_ns`, or at a second
/// SIGTERM, the process ends at once.
///
/// Handlers of the program are not replaced: if SIGTERM has a handler or is ignored, none is installed; if the program
/// installs one later, only that one runs until the program restores the default. A forked child ends by SIGTERM at
/// once.
///
/// At most one exists. Created and destroyed by one thread; in a forked child the destructor does nothing.
class OnTermination {
 public:
  /// Returns nullptr if the program handles SIGTERM itself, or if no thread can be created.
  static std::unique_ptr<OnTermination> install(std::function<void()> work,
                                                uint64_t patience_ns = 2'000'000'000);
  /// Removes the handler. If the signal has already arrived, the process ends in here.
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
