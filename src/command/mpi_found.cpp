#include "command/mpi_found.hpp"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace tutti::command {

namespace {

constexpr unsigned k_patience_s = 10;

/// Runs in a separate process, because a loaded MPI leaves threads and handlers behind.
[[noreturn]] void tell(const std::string& library, int out) {
  alarm(k_patience_s);
  std::string text;
  if (void* const handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
    auto* const describe = reinterpret_cast<const char* (*)()>(dlsym(handle, "tutti_mpi"));
    text = describe == nullptr ? "is not of this Tutti" : describe();
  } else {
    text = std::string("cannot be loaded: ") + dlerror();
  }
  const ssize_t written = write(out, text.data(), text.size());
  _exit(written < 0 ? EXIT_FAILURE : EXIT_SUCCESS);
}

std::string read_all(int in) {
  std::string text;
  char buffer[512];
  for (ssize_t count = 0; (count = read(in, buffer, sizeof buffer)) != 0;) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    text.append(buffer, static_cast<size_t>(count));
  }
  return text;
}

}  // namespace

std::string mpi_found(Mpi mpi) {
  const auto library = preload_library(mpi);
  int ends[2];
  if (!library || pipe(ends) != 0) return {};
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid == 0) tell(library->string(), ends[1]);
  close(ends[1]);
  std::string text = pid > 0 ? read_all(ends[0]) : std::string();
  close(ends[0]);
  while (pid > 0 && waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return text.empty() ? "cannot be asked" : text;
}

}  // namespace tutti::command
