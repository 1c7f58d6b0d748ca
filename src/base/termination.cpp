#include "base/termination.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <ctime>
#include <utility>

#include "base/blocked_signals.hpp"
#include "base/clock.hpp"
#include "base/futex.hpp"

/// Internal name in the C library, which remains usable when sigaction() is interposed
/// (overlap/calls/signal_calls.cpp).
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the C library's
extern "C" int __sigaction(int signal, const struct sigaction* action, struct sigaction* before) noexcept;

namespace tutti::base {

namespace {

/// State used by the handler. It is never destroyed: when the object is, a handler may be running, or the program may
/// have saved it and call it later. Lock-free, as handlers require.
struct Post {
  std::atomic<uint32_t> letters{0};  // wake-ups for the thread
  std::atomic<uint32_t> answer{0};   // never set: the handler waits on it until the process ends
  std::atomic<bool> is_armed{false};
  std::atomic<bool> is_asked{false};  // the signal has arrived
  std::atomic<pid_t> owner{0};
};
Post g_post;
/// Async-signal-safe. No POSIX semaphore: an ISO C program may define functions with these names.
void send_letter() {
  g_post.letters.fetch_add(1);
  futex_wake(&g_post.letters);
}
void await_letter() {
  while (g_post.letters == 0) futex_wait(g_post.letters, 0);
}

static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free);

/// Ends the process with the signal's default action. Async-signal-safe.
void end_by(int signal) {
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  __sigaction(signal, &by_default, nullptr);
  raise(signal);  // inside a handler: takes effect when it returns
}

/// The interrupted thread waits this long, as if it had ended, and then continues in case the work needs one of its
/// locks.
constexpr uint64_t k_pause_ns = 500'000'000;

void handle(int signal) {
  const int error = errno;
  const bool is_ours = g_post.is_armed && g_post.owner == getpid();
  if (!is_ours || g_post.is_asked.exchange(true)) {
    end_by(signal);
  } else {
    send_letter();
    const uint64_t until_ns = monotonic_ns() + k_pause_ns;  // other signals may interrupt the wait
    for (uint64_t now_ns = monotonic_ns(); now_ns < until_ns; now_ns = monotonic_ns())
      futex_wait(g_post.answer, 0, until_ns - now_ns);
  }
  errno = error;
}

/// Sends another SIGTERM to this process after that time.
void remind_after(uint64_t ns) {
  constexpr uint64_t k_second_ns = 1'000'000'000;
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGTERM;
  timer_t timer{};
  const itimerspec once{.it_interval = {},
                        .it_value = {.tv_sec = static_cast<time_t>(ns / k_second_ns),
                                     .tv_nsec = static_cast<long>(ns % k_second_ns)}};
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &once, nullptr) != 0)
    end_by(SIGTERM);  // without a timer the process must end now
}

bool is_left_to_default() {
  struct sigaction present {};
  return __sigaction(SIGTERM, nullptr, &present) == 0 && (present.sa_flags & SA_SIGINFO) == 0 &&
         present.sa_handler == SIG_DFL;
}

}  // namespace

bool is_termination_handler(void (*handler)(int)) {
  return handler == handle;
}

void (*default_handler(int signal))(int) {
  return signal == SIGTERM && g_post.is_armed ? handle : SIG_DFL;
}

/// Main function of the thread. Woken by the handler or the destructor.
void* OnTermination::run(void* object) {
  const auto& self = *static_cast<OnTermination*>(object);
  await_letter();
  if (!g_post.is_asked) return nullptr;
  // Some thread must receive the reminder, and the program's threads may block it.
  sigset_t reminder;
  sigemptyset(&reminder);
  sigaddset(&reminder, SIGTERM);
  pthread_sigmask(SIG_UNBLOCK, &reminder, nullptr);
  remind_after(self.patience_ns_);
  self.work_();
  end_by(SIGTERM);
  return nullptr;
}

std::unique_ptr<OnTermination> OnTermination::install(std::function<void()> work, uint64_t patience_ns) {
  if (!is_left_to_default() || g_post.is_armed) return nullptr;
  std::unique_ptr<OnTermination> made(new OnTermination(std::move(work), patience_ns));
  g_post.letters = 0;
  g_post.owner = getpid();
  g_post.is_asked = false;
  {
    const BlockedSignals signals_are_the_programs;
    made->has_thread_ = pthread_create(&made->thread_, nullptr, run, made.get()) == 0;
  }
  if (!made->has_thread_) return nullptr;
  g_post.is_armed = true;
  struct sigaction ours {};
  ours.sa_handler = handle;
  ours.sa_flags = SA_RESTART;
  __sigaction(SIGTERM, &ours, nullptr);
  return made;
}

OnTermination::~OnTermination() {
  if (!has_thread_ || g_post.owner != getpid()) return;  // the thread belongs to the parent process
  struct sigaction present {};
  if (__sigaction(SIGTERM, nullptr, &present) == 0 && present.sa_handler == handle) {
    present = {};
    present.sa_handler = SIG_DFL;
    __sigaction(SIGTERM, &present, nullptr);
  }
  g_post.is_armed = false;
  send_letter();
  pthread_join(thread_, nullptr);
}

}  // namespace tutti::base
