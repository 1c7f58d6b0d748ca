#include "command/child.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "command/launch.hpp"

namespace tutti::command {

namespace {

/// Signals to forward: all except those that a fault of this process raises.
sigset_t handed_on() {
  sigset_t set;
  sigfillset(&set);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT})
    sigdelset(&set, signal);
  return set;
}

bool asks_for_end(int signal) {
  return signal == SIGTERM || signal == SIGINT || signal == SIGQUIT || signal == SIGHUP;
}

}  // namespace

Child::Child(const Words& line) {
  // If SIGCHLD is ignored, the kernel reaps children before waitpid().
  const auto before = ::signal(SIGCHLD, SIG_DFL);
  const sigset_t signals = handed_on();
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
  const pid_t self = getpid();
  pid_ = fork();
  if (pid_ > 0) return;
  // SIGKILL cannot be forwarded. If no process could be created, this code runs in the original process.
  if (pid_ == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (pid_ == 0 && getppid() != self) raise(SIGKILL);
  ::signal(SIGCHLD, before);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  std::exit(execute(line));  // NOLINT: one thread
}

void Child::wait() {
  const sigset_t signals = handed_on();
  for (;;) {
    const pid_t changed = waitpid(pid_, &status_, WNOHANG | WUNTRACED);
    if (changed < 0 && errno != EINTR) return;  // no such child
    if (changed == pid_ && !WIFSTOPPED(status_)) return;
    if (changed == pid_) {
      raise(SIGSTOP);  // the parent of this process sees it stopped, like the line itself
      continue;
    }
    siginfo_t info{};
    const int signal = sigwaitinfo(&signals, &info);
    if (signal <= 0 || signal == SIGCHLD) continue;
    if (asks_for_end(signal)) interruption_ = signal;
    // Signals from the terminal reach the child directly.
    if (info.si_code != SI_KERNEL || signal == SIGCONT) kill(pid_, signal);
  }
}

int Child::end() {
  if (WIFEXITED(status_)) return WEXITSTATUS(status_);
  const int signal = WTERMSIG(status_);
  const rlimit no_core{};
  setrlimit(RLIMIT_CORE, &no_core);  // the child has already written a core
  ::signal(signal, SIG_DFL);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  raise(signal);
  return 128 + signal;
}

}  // namespace tutti::command
