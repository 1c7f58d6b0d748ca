#include "command/script_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "command/child.hpp"
#include "command/command.hpp"
#include "command/launch.hpp"
#include "command/output.hpp"

namespace tutti::command {

namespace {

// Variable with the path of a memfd that has one byte per job. The kernel frees it however the script ends. The name
// does not begin with TUTTI_, because it is no setting of the ranks.
constexpr const char* k_variable = "_TUTTI_JOBS";
constexpr std::string_view k_known_place = "/proc/";

uint64_t size_of(int fd) {
  struct stat about {};
  return fstat(fd, &about) == 0 ? static_cast<uint64_t>(about.st_size) : 0;
}

void log_jobs(uint64_t jobs, const std::string& report) {
  if (jobs == 0 && report != "none")
    fmt::print(stderr,
               "tutti: no MPI job of this command ran under Tutti: launchers are recognised by their names "
               "(mpirun, mpiexec, srun, …); one that is called by its full path runs natively, and so does a "
               "program that is not linked with MPICH or Open MPI\n");
  if (jobs > 1 && is_report_file(report))
    fmt::print(stderr, "tutti: {} MPI jobs of this command; their reports: {}, {}{}\n", jobs, report,
               numbered_report(report, 2), jobs > 2 ? ", …" : "");
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
  Child child(line);
  child.wait();
  if (jobs >= 0) log_jobs(size_of(jobs), report);
  return child.end();
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
