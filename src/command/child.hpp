#pragma once
// Runs a command line as a child process and waits for it, instead of exec().

#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "command/launcher.hpp"

namespace tutti::command {

/// Runs a line as a child process. Signals are forwarded to it, it is stopped and continued together with this process,
/// its exit status is taken over, and it is killed if SIGKILL ends this process. The child stays in the process group,
/// and therefore in the foreground of a terminal, whose signals reach both. For processes with one thread and no other
/// children.
class Child {
 public:
  /// If no process can be created, the line replaces this process.
  explicit Child(const Words& line);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Returns when the line has ended.
  void wait();
  /// The last signal that requested the end, from a terminal or another process; 0: none.
  int interruption() const { return interruption_; }
  /// After wait(): exit status and signal of the line; at least one of them is 0.
  int exit_status() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : 0; }
  int ending_signal() const { return WIFSIGNALED(status_) ? WTERMSIG(status_) : 0; }
  /// Returns the exit status of the line; if a signal ended it, this process ends by the same signal.
  int end();

 private:
  pid_t pid_ = -1;
  sigset_t before_{};
  int status_ = 0;  // of waitpid()
  int interruption_ = 0;
};

}  // namespace tutti::command
