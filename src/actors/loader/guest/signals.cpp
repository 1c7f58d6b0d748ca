// A rank's own handlers for the faults of its threads: the process has one handler for all ranks, which calls
// them.

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "actors/loader/guest/next.hpp"
#include "actors/loader/guest/own_host.hpp"

namespace tutti::actors {

namespace {

/// nullptr: the signal belongs to the process.
struct sigaction* own_action(int signal_number) {
  if (is_child()) return nullptr;
  for (size_t i = 0; i < sizeof k_crash_signals / sizeof *k_crash_signals; ++i)
    if (k_crash_signals[i] == signal_number) return &own_host().actions[i];
  return nullptr;
}

using Handler = void (*)(int);

Handler set_handler(int signal_number, Handler handler, int flags) {
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  return sigaction(signal_number, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

}  // namespace

}  // namespace tutti::actors

#define EXPORTED __attribute__((visibility("default")))

using tutti::actors::next;
using tutti::actors::own_action;
using tutti::actors::set_handler;

extern "C" {

EXPORTED int sigaction(int signal_number, const struct sigaction* action, struct sigaction* before) noexcept {
  struct sigaction* const own = own_action(signal_number);
  if (own == nullptr) return next(&sigaction, "sigaction")(signal_number, action, before);
  const struct sigaction old = *own;
  if (action != nullptr) *own = *action;
  if (before != nullptr) *before = old;
  return 0;
}

EXPORTED sighandler_t signal(int signal_number, sighandler_t handler) noexcept {
  if (own_action(signal_number) == nullptr) return next(&signal, "signal")(signal_number, handler);
  return set_handler(signal_number, handler, SA_RESTART);
}

EXPORTED sighandler_t sysv_signal(int signal_number, sighandler_t handler) noexcept {
  if (own_action(signal_number) == nullptr) return next(&sysv_signal, "sysv_signal")(signal_number, handler);
  return set_handler(signal_number, handler, static_cast<int>(SA_RESETHAND | SA_NODEFER));
}

// Names of signal() and of its kin that the headers of the C library declare for some dialects only.
sighandler_t __sysv_signal(int, sighandler_t) noexcept;  // NOLINT: programs that are compiled with -std=c11
sighandler_t bsd_signal(int, sighandler_t) noexcept;
sighandler_t sigset(int, sighandler_t) noexcept;
int siginterrupt(int, int) noexcept;

EXPORTED sighandler_t __sysv_signal(int signal_number, sighandler_t handler) noexcept {  // NOLINT
  return sysv_signal(signal_number, handler);
}

EXPORTED sighandler_t bsd_signal(int signal_number, sighandler_t handler) noexcept {
  return signal(signal_number, handler);
}

EXPORTED sighandler_t ssignal(int signal_number, sighandler_t handler) noexcept {
  return signal(signal_number, handler);
}

EXPORTED sighandler_t sigset(int signal_number, sighandler_t handler) noexcept {
  const auto hold = reinterpret_cast<sighandler_t>(2);  // SIG_HOLD
  if (own_action(signal_number) == nullptr || handler == hold)
    return next<sighandler_t(int, sighandler_t)>(nullptr, "sigset")(signal_number, handler);
  return set_handler(signal_number, handler, 0);
}

EXPORTED int siginterrupt(int signal_number, int interrupts) noexcept {
  struct sigaction* const own = own_action(signal_number);
  if (own == nullptr) return next<int(int, int)>(nullptr, "siginterrupt")(signal_number, interrupts);
  own->sa_flags = interrupts != 0 ? own->sa_flags & ~SA_RESTART : own->sa_flags | SA_RESTART;
  return 0;
}

/// Ends by SIGABRT even if its handler returns: the C library's abort() would then end the process.
[[noreturn]] EXPORTED void abort() noexcept {
  raise(SIGABRT);
  set_handler(SIGABRT, SIG_DFL, 0);
  for (;;) raise(SIGABRT);
}

}  // extern "C"
