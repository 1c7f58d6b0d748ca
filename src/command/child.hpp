#pragma once
// A command line that this process waits for, in place of becoming it.

#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "command/launcher.hpp"

namespace tutti::command {

/// Runs a line as its child: hands signals on, stops and goes on with it, ends as it does, and takes it along where
/// SIGKILL ends this process. The child stays in the process group, and so in the foreground of a terminal, whose
/// signals reach both. One thread's business, and the process has no other.
class Child {
 public:
  /// Where no process can be made, the line replaces this one.
  explicit Child(const Words& line);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Returns when the line has ended.
  void wait();
  /// The last signal that asked for the end, from a terminal or from anybody else; 0: none has.
  int interruption() const { return interruption_; }
  /// After wait(): how the line ended, one of them 0.
  int exit_status() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : 0; }
  int ending_signal() const { return WIFSIGNALED(status_) ? WTERMSIG(status_) : 0; }
  /// The exit status of the line; where a signal ended it, this process ends by the same.
  int end();

 private:
  pid_t pid_ = -1;
  sigset_t before_{};
  int status_ = 0;  // of waitpid()
  int interruption_ = 0;
};

}  // namespace tutti::command
