// The program keeps control of SIGSEGV; only faults in closed memory are hidden from it (guard/faults.hpp). Tutti's
// handler for SIGTERM is hidden too, because the program would call it as the previous handler. It is installed as the
// default action, also when the program restores SIG_DFL.

#include <pthread.h>
#include <signal.h>

#include "base/next_function.hpp"
#include "base/termination.hpp"
#include "overlap/calls/waiting.hpp"
#include "overlap/guard/faults.hpp"

extern "C" {
sighandler_t bsd_signal(int signal, sighandler_t handler) noexcept;
}

namespace {

using tutti::overlap::guard::exchange_fault_action;

TUTTI_NEXT(sigaction);
TUTTI_NEXT(signal);
TUTTI_NEXT(bsd_signal);
TUTTI_NEXT(__sysv_signal);
TUTTI_NEXT(sigprocmask);
TUTTI_NEXT(pthread_sigmask);

/// signal() for SIGSEGV. Returns false if the kernel must be called.
bool set_handler(int signal, sighandler_t handler, int flags, sighandler_t* before) {
  struct sigaction action {
  }, old{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  if (signal != SIGSEGV || handler == SIG_ERR || !exchange_fault_action(&action, &old)) return false;
  *before = old.sa_handler;
  return true;
}

/// The handler to install for the one that the program requests.
sighandler_t as_with_tutti(int signal, sighandler_t handler) {
  return handler == SIG_DFL ? tutti::base::default_handler(signal) : handler;
}

/// The previous handler as the program should see it.
sighandler_t as_without_tutti(sighandler_t before) {
  return before != SIG_ERR && tutti::base::is_termination_handler(before) ? SIG_DFL : before;
}

/// A fault in closed memory would kill a thread that blocks SIGSEGV.
const sigset_t* without_faults(int how, const sigset_t* set, sigset_t* copy) {
  if (set == nullptr || how == SIG_UNBLOCK || sigismember(set, SIGSEGV) != 1 ||
      !tutti::overlap::guard::are_faults_caught())
    return set;
  *copy = *set;
  sigdelset(copy, SIGSEGV);
  return copy;
}

void await_sets(const sigset_t* set, const sigset_t* before) {
  if (tutti::overlap::guard::is_everything_open()) return;
  for (const sigset_t* const one : {set, before})
    tutti::overlap::calls::await_bytes(reinterpret_cast<tutti::overlap::calls::Word>(one), sizeof *one);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int sigaction(int signal, const struct sigaction* action, struct sigaction* before) noexcept {
  if (signal == SIGSEGV && exchange_fault_action(action, before)) return 0;
  struct sigaction with_tutti {};
  if (action != nullptr && (action->sa_flags & SA_SIGINFO) == 0 && action->sa_handler == SIG_DFL &&
      tutti::base::default_handler(signal) != SIG_DFL) {
    with_tutti.sa_handler = tutti::base::default_handler(signal);
    with_tutti.sa_flags = SA_RESTART;
    action = &with_tutti;
  }
  const int result = next_sigaction(signal, action, before);
  if (result == 0 && before != nullptr && (before->sa_flags & SA_SIGINFO) == 0 &&
      tutti::base::is_termination_handler(before->sa_handler))
    *before = {};
  return result;
}

sighandler_t signal(int number, sighandler_t handler) noexcept {
  sighandler_t before = SIG_DFL;
  return set_handler(number, handler, SA_RESTART, &before)
             ? before
             : as_without_tutti(next_signal(number, as_with_tutti(number, handler)));
}

sighandler_t bsd_signal(int number, sighandler_t handler) noexcept {
  sighandler_t before = SIG_DFL;
  return set_handler(number, handler, SA_RESTART, &before)
             ? before
             : as_without_tutti(next_bsd_signal(number, as_with_tutti(number, handler)));
}

sighandler_t __sysv_signal(int number, sighandler_t handler) noexcept {
  sighandler_t before = SIG_DFL;
  return set_handler(number, handler, SA_RESETHAND | SA_NODEFER, &before)
             ? before
             : as_without_tutti(next___sysv_signal(number, as_with_tutti(number, handler)));
}

int sigprocmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  await_sets(set, before);
  sigset_t copy;
  return next_sigprocmask(how, without_faults(how, set, &copy), before);
}

int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  await_sets(set, before);
  sigset_t copy;
  return next_pthread_sigmask(how, without_faults(how, set, &copy), before);
}

}  // extern "C"
#pragma GCC visibility pop
