#include "command/child.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "command/launch.hpp"

namespace tutti::command {

namespace {

sigset_t handed_on() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD})
    sigaddset(&set, signal);
  return set;
}

bool asks_for_end(int signal) {
  return signal == SIGTERM || signal == SIGINT || signal == SIGQUIT || signal == SIGHUP;
}

}  // namespace

Child::Child(const Words& line) {
  const sigset_t signals = handed_on();
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
  pid_ = fork();
  if (pid_ > 0) return;
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  std::exit(execute(line));  // NOLINT: one thread
}

void Child::wait() {
  const sigset_t signals = handed_on();
  while (waitpid(pid_, &status_, WNOHANG) != pid_) {
    siginfo_t info{};
    const int signal = sigwaitinfo(&signals, &info);
    if (signal <= 0 || signal == SIGCHLD) continue;
    if (asks_for_end(signal)) interruption_ = signal;
    if (info.si_code != SI_KERNEL) kill(pid_, signal);  // what the terminal sends reaches the child by itself
  }
}

int Child::end() {
  if (WIFEXITED(status_)) return WEXITSTATUS(status_);
  const int signal = WTERMSIG(status_);
  const rlimit no_core{};
  setrlimit(RLIMIT_CORE, &no_core);  // the child has left one
  ::signal(signal, SIG_DFL);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  raise(signal);
  return 128 + signal;
}

}  // namespace tutti::command
