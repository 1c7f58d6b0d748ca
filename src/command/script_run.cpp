#include "command/script_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "command/command.hpp"
#include "command/launch.hpp"
#include "command/output.hpp"

namespace tutti::command {

namespace {

// Names a file in memory that has a byte for each job. The kernel removes it, however the script ends. The
// name does not begin with TUTTI_, because it is no setting of the ranks.
constexpr const char* k_variable = "_TUTTI_JOBS";
constexpr std::string_view k_known_place = "/proc/";

uint64_t size_of(int fd) {
  struct stat about {};
  return fstat(fd, &about) == 0 ? static_cast<uint64_t>(about.st_size) : 0;
}

sigset_t handed_on() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD})
    sigaddset(&set, signal);
  return set;
}

/// The status of waitpid(). The signals are blocked.
int wait_for(pid_t child, const sigset_t& signals) {
  for (;;) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) return status;
    siginfo_t info{};
    const int signal = sigwaitinfo(&signals, &info);
    // What the terminal sends reaches the child by itself.
    if (signal > 0 && signal != SIGCHLD && info.si_code != SI_KERNEL) kill(child, signal);
  }
}

void say_about(uint64_t jobs, const std::string& report) {
  if (jobs == 0 && report != "none")
    fmt::print(
        stderr,
        "tutti: no MPI job of this script ran under Tutti: launchers are recognised by their names (mpirun, "
        "mpiexec, srun, …); one that is called by its full path runs natively\n");
  if (jobs > 1 && is_report_file(report))
    fmt::print(stderr, "tutti: {} MPI jobs of this script; their reports: {}, {}{}\n", jobs, report,
               numbered_report(report, 2), jobs > 2 ? ", …" : "");
}

/// The exit status, or the same end as the child had.
int end_as(int status, const sigset_t& mask) {
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  const int signal = WTERMSIG(status);
  const rlimit no_core{};
  setrlimit(RLIMIT_CORE, &no_core);  // the child has left one
  ::signal(signal, SIG_DFL);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  raise(signal);
  return 128 + signal;
}

}  // namespace

std::string numbered_report(const std::string& report, uint64_t number) {
  if (number < 2) return report;
  std::filesystem::path path = report;
  const std::string extension = path.extension();
  return path.replace_extension(fmt::format(".{}{}", number, extension));
}

int run_script(const Words& line, const std::string& report) {
  const int jobs = memfd_create("tutti-jobs", MFD_CLOEXEC);
  if (jobs >= 0)
    setenv(k_variable, fmt::format("/proc/{}/fd/{}", getpid(), jobs).c_str(), 1);  // NOLINT: one thread
  const sigset_t signals = handed_on();
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  const pid_t child = fork();
  if (child <= 0) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return execute(line);  // where no process can be made, in this one
  }
  const int status = wait_for(child, signals);
  if (jobs >= 0) say_about(size_of(jobs), report);
  return end_as(status, before);
}

uint64_t count_job_of_script() {
  const char* value = std::getenv(k_variable);
  if (value == nullptr || !std::string_view(value).starts_with(k_known_place)) return 0;
  const int fd = open(value, O_RDWR | O_CLOEXEC);
  uint64_t number = 0;
  if (fd >= 0 && flock(fd, LOCK_EX) == 0) {
    number = size_of(fd) + 1;
    if (pwrite(fd, "", 1, static_cast<off_t>(number - 1)) != 1) number = 0;
  }
  if (fd >= 0) close(fd);
  unsetenv(k_variable);  // NOLINT: one thread. The ranks need not know
  return number;
}

}  // namespace tutti::command
