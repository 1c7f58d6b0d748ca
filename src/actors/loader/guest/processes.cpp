// Processes that a rank creates and waits for, and exec().

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "actors/loader/guest/next.hpp"
#include "actors/loader/guest/own_host.hpp"

namespace tutti::actors {

namespace {

constexpr int k_signal_base = 128;

/// A rank's thread cannot execute another program, because that would replace the process with all its ranks.
/// After MPI has ended, a child process runs the program instead. Returns only if exec() would return.
int replace(const char* file, char* const arguments[], char* const environment[], bool is_sought) {
  const GuestHost& host = own_host();
  if (!host.is_done_with_mpi(host.actor)) {
    fprintf(
        stderr,
        "tutti: a rank replaces itself by %s (exec) and has not called MPI_Finalize, which ranks as threads "
        "cannot do (run the program without --actors)\n",
        file);
    host.leave(host.actor, EXIT_FAILURE);
  }
  pid_t child = 0;
  errno = (is_sought ? posix_spawnp : posix_spawn)(&child, file, nullptr, nullptr, arguments, environment);
  if (errno != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  host.leave(host.actor, WIFEXITED(status) ? WEXITSTATUS(status) : k_signal_base + WTERMSIG(status));
  return -1;
}

/// Excludes children of other ranks.
int own_children(int options) {
  return is_child() ? options : options | __WNOTHREAD;
}

constexpr size_t k_most_words = 4096;

/// The arguments of execl() and similar functions, terminated by a null pointer. False: too many.
bool take_words(const char* first, va_list* rest, char** words) {
  size_t count = 0;
  for (const char* word = first; word != nullptr; word = va_arg(*rest, const char*)) {
    if (count + 1 == k_most_words) return false;
    words[count++] = const_cast<char*>(word);
  }
  words[count] = nullptr;
  return true;
}

}  // namespace

}  // namespace tutti::actors

#define EXPORTED __attribute__((visibility("default")))

using tutti::actors::is_child;
using tutti::actors::next;

extern "C" {

EXPORTED int execve(const char* path, char* const arguments[], char* const environment[]) noexcept {
  if (is_child()) return next(&execve, "execve")(path, arguments, environment);
  return tutti::actors::replace(path, arguments, environment, false);
}

EXPORTED int execv(const char* path, char* const arguments[]) noexcept {
  return execve(path, arguments, environ);
}

EXPORTED int execvpe(const char* file, char* const arguments[], char* const environment[]) noexcept {
  if (is_child()) return next(&execvpe, "execvpe")(file, arguments, environment);
  return tutti::actors::replace(file, arguments, environment, true);
}

EXPORTED int execvp(const char* file, char* const arguments[]) noexcept {
  return execvpe(file, arguments, environ);
}

EXPORTED int execl(const char* path, const char* argument, ...) noexcept {
  char* words[tutti::actors::k_most_words];
  va_list rest;
  va_start(rest, argument);
  const bool is_good = tutti::actors::take_words(argument, &rest, words);
  va_end(rest);
  if (is_good) return execve(path, words, environ);
  errno = E2BIG;
  return -1;
}

EXPORTED int execlp(const char* file, const char* argument, ...) noexcept {
  char* words[tutti::actors::k_most_words];
  va_list rest;
  va_start(rest, argument);
  const bool is_good = tutti::actors::take_words(argument, &rest, words);
  va_end(rest);
  if (is_good) return execvpe(file, words, environ);
  errno = E2BIG;
  return -1;
}

EXPORTED int execle(const char* path, const char* argument, ...) noexcept {
  char* words[tutti::actors::k_most_words];
  va_list rest;
  va_start(rest, argument);
  const bool is_good = tutti::actors::take_words(argument, &rest, words);
  char* const* const environment = is_good ? va_arg(rest, char* const*) : nullptr;
  va_end(rest);
  if (is_good) return execve(path, words, environment);
  errno = E2BIG;
  return -1;
}

EXPORTED int fexecve(int file, char* const arguments[], char* const environment[]) noexcept {
  if (is_child()) return next(&fexecve, "fexecve")(file, arguments, environment);
  char path[64];
  snprintf(path, sizeof path, "/proc/thread-self/fd/%d", file);
  return tutti::actors::replace(path, arguments, environment, false);
}

EXPORTED pid_t waitpid(pid_t process, int* status, int options) {
  return next(&waitpid, "waitpid")(process, status,
                                   process <= 0 ? tutti::actors::own_children(options) : options);
}

EXPORTED pid_t wait(int* status) {
  return waitpid(-1, status, 0);
}

EXPORTED pid_t wait4(pid_t process, int* status, int options, struct rusage* usage) noexcept {
  return next(&wait4, "wait4")(process, status, process <= 0 ? tutti::actors::own_children(options) : options,
                               usage);
}

EXPORTED pid_t wait3(int* status, int options, struct rusage* usage) noexcept {
  return wait4(-1, status, options, usage);
}

EXPORTED int waitid(idtype_t type, id_t id, siginfo_t* info, int options) {
  return next(&waitid, "waitid")(type, id, info,
                                 type == P_PID ? options : tutti::actors::own_children(options));
}

/// That of the C library changes the actions of SIGINT and SIGQUIT, which all ranks share, and several calls at once
/// would not restore them.
EXPORTED int system(const char* line) {
  if (is_child()) return next(&system, "system")(line);
  const char* const words[] = {"sh", "-c", line == nullptr ? "exit 0" : line, nullptr};
  sigset_t child_ended, before;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &child_ended, &before);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &before);
  pid_t child = 0;
  int status = -1;
  const int error =
      posix_spawn(&child, "/bin/sh", nullptr, &attributes, const_cast<char* const*>(words), environ);
  posix_spawnattr_destroy(&attributes);
  if (error == 0)
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (line == nullptr) return error == 0 && status == 0 ? 1 : 0;
  if (error != 0) errno = error;
  return error == 0 ? status : -1;
}

}  // extern "C"
