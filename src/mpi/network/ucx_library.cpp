#include "mpi/network/ucx_library.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "base/descriptors.hpp"
#include "transport/tcp_interfaces.hpp"
#include "transport/ucx/plugin.hpp"

namespace tutti::mpi {

using base::Status;

bool has_fast_network() {
  static constexpr std::array k_classes = {"/sys/class/infiniband", "/sys/class/cxi", "/sys/class/hfi1"};
  return std::ranges::any_of(k_classes, [](const char* devices) {
    std::error_code error;
    return !std::filesystem::is_empty(devices, error) && !error;
  });
}

namespace {

/// While it lives, signal actions are preserved and new threads block all signals: UCX's libraries install handlers for
/// crashes and start a thread that waits for connections.
class KeptSignals {
 public:
  KeptSignals() {
    for (size_t i = 0; i < k_signals.size(); ++i) sigaction(k_signals[i], nullptr, &actions_[i]);
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask_);
  }
  ~KeptSignals() {
    for (size_t i = 0; i < k_signals.size(); ++i) sigaction(k_signals[i], &actions_[i], nullptr);
    pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  }
  KeptSignals(const KeptSignals&) = delete;
  KeptSignals& operator=(const KeptSignals&) = delete;

 private:
  static constexpr std::array k_signals = {SIGILL,  SIGABRT, SIGBUS,  SIGFPE,  SIGSEGV,
                                           SIGTRAP, SIGTERM, SIGUSR1, SIGUSR2, SIGHUP};
  std::array<struct sigaction, k_signals.size()> actions_{};
  sigset_t mask_{};
};

/// Sets an environment variable while it lives, unless the user has set it. Used in MPI_Init, where the MPI itself
/// changes the environment.
class Default {
 public:
  Default(const char* name, const char* value) : name_(std::getenv(name) == nullptr ? name : nullptr) {
    if (name_ != nullptr) setenv(name_, value, 0);  // NOLINT(concurrency-mt-unsafe)
  }
  ~Default() {
    if (name_ != nullptr) unsetenv(name_);  // NOLINT(concurrency-mt-unsafe)
  }
  Default(const Default&) = delete;
  Default& operator=(const Default&) = delete;

 private:
  const char* const name_;
};

/// The interfaces that Open MPI is restricted to; they apply to UCX as well, unless UCX has its own setting.
std::string devices() {
  const char* const listed = std::getenv("OMPI_MCA_btl_tcp_if_include");
  if (listed == nullptr || std::getenv("UCX_NET_DEVICES") != nullptr || has_fast_network()) return {};
  return transport::names_of_listed(listed, transport::interfaces_here());
}

/// True with Open MPI 5, for example, which is linked with UCX.
bool is_ucx_loaded() {
  void* const library = dlopen("libucm.so.0", RTLD_LAZY | RTLD_NOLOAD);
  if (library != nullptr) dlclose(library);
  return library != nullptr;
}

/// The library is in the same folder as this one.
std::string library_path() {
  Dl_info mine{};
  if (dladdr(reinterpret_cast<void*>(&open_ucx), &mine) == 0) return transport::k_ucx_library;
  return std::filesystem::path(mine.dli_fname).parent_path() / transport::k_ucx_library;
}

/// All connections are made when the network is opened (NetworkProbe), so the time grows with their number.
constexpr size_t k_most_processes = 256;

/// File descriptors that a worker takes with its connections to all peers: UCX aborts a process that runs out of them.
uint64_t descriptors_of_worker(size_t process_count) {
  // Files that UCX reads, events, memory, and a listening socket on each interface.
  const uint64_t own = 16 + 4 * transport::interfaces_here().size();
  constexpr uint64_t k_sockets_of_peer = 2;  // both sides may connect at the same time
  return own + (has_fast_network() ? 0 : k_sockets_of_peer * (process_count - 1));
}

/// UCX may take at most half of the free descriptors, because the MPI connects to as many peers and the program needs
/// the rest.
bool are_descriptors_left(size_t process_count) {
  return base::has_free_descriptors(2 * descriptors_of_worker(process_count));
}

}  // namespace

/// The library stays loaded, because UCX cannot be unloaded safely.
Status open_ucx(size_t process_count, std::unique_ptr<transport::Network>* network) {
  if (process_count > k_most_processes)
    return Status::not_supported("UCX would connect each rank with all others, which are too many");
  if (!are_descriptors_left(process_count))
    return Status::not_supported("UCX takes more file descriptors than are free (ulimit -n)");
  const KeptSignals kept;
  // UCX reads these variables when it is loaded, and warns of later changes. Its log of errors would go to the
  // program's standard output; return codes report them here. Its crash handlers would give the program's thread a
  // signal stack. Without registered memory, it has no need to intercept mmap() and similar functions. Without posix
  // shared memory, it can allocate and attach memory for more messages even if the program has dropped root privileges
  // or has no file descriptors left. It ends the process if cross-memory attach fails, as it does after a change of
  // privileges, under a filter of system calls, and when the first thread has ended.
  std::optional<Default> no_hooks, no_lines, no_crashes;
  const Default no_files("UCX_TLS", "^posix,cma");
  if (!is_ucx_loaded()) {
    no_lines.emplace("UCX_LOG_LEVEL", "fatal");
    no_crashes.emplace("UCX_HANDLE_ERRORS", "none");
    if (!has_fast_network()) no_hooks.emplace("UCX_MEM_MMAP_HOOK_MODE", "none");
  }
  void* const library = dlopen(library_path().c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) return Status::not_supported(dlerror());
  auto* const open =
      reinterpret_cast<transport::OpenUcxNetwork*>(dlsym(library, transport::k_open_ucx_network));
  if (open == nullptr) return Status::not_supported(dlerror());
  Status status;
  open({.devices = devices().c_str(), .process_count = process_count}, network, &status);
  return status;
}

}  // namespace tutti::mpi
