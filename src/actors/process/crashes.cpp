#include "actors/process/crashes.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "actors/loader/guest_host.hpp"
#include "actors/loader/rank_threads.hpp"
#include "base/futex.hpp"

namespace tutti::actors {

namespace {

constexpr int k_nobody = -1;

constexpr size_t k_stack_bytes = 256 << 10;  // programs print stack traces there

/// The data of a thread of a rank.
struct CrashContext {
  int rank = k_nobody;
  const struct sigaction* actions = nullptr;
  const volatile sig_atomic_t* is_ending = nullptr;
  void* stack = nullptr;
};
thread_local CrashContext g_crash_context;
pid_t g_process = 0;
std::atomic<uint32_t> g_bell{0};
std::atomic<int> g_signal{0}, g_crashed_rank{k_nobody};

/// Async-signal-safe: must not lock or allocate.
void log_crash(int rank, int signal_number) {
  char line[128];
  const int length =
      rank == k_nobody
          ? std::snprintf(line, sizeof line, "tutti: a thread of a rank was ended by signal %d\n",
                          signal_number)
          : std::snprintf(line, sizeof line, "tutti: rank %d was ended by signal %d\n", rank, signal_number);
  static_cast<void>(!write(STDERR_FILENO, line, static_cast<size_t>(length)));
}

/// Runs the rank's own signal action. False: it has none.
bool has_handled(int signal_number, siginfo_t* info, void* context) {
  if (g_crash_context.actions == nullptr) return false;
  const auto* const place = std::ranges::find(k_crash_signals, signal_number);
  const struct sigaction action = g_crash_context.actions[place - std::begin(k_crash_signals)];
  const bool is_sent = info->si_code <= 0;  // by a program, not a fault
  if (action.sa_handler == SIG_IGN && is_sent) return true;
  if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) return false;
  if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0)
    const_cast<struct sigaction*>(g_crash_context.actions)[place - std::begin(k_crash_signals)].sa_handler =
        SIG_DFL;
  if ((action.sa_flags & SA_NODEFER) != 0) {
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, signal_number);
    pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
  }
  if ((action.sa_flags & SA_SIGINFO) != 0)
    action.sa_sigaction(signal_number, info, context);
  else
    action.sa_handler(signal_number);
  return true;
}

void on_crash(int signal_number, siginfo_t* info, void* context) {
  if (getpid() != g_process) {  // a child of a rank
    if (!has_handled(signal_number, info, context)) die_of(signal_number);
    return;
  }
  if (has_handled(signal_number, info, context)) return;
  const bool is_fault = info->si_code > 0;  // a fault of this thread, not sent by a program
  if (is_fault && g_crash_context.is_ending != nullptr && *g_crash_context.is_ending != 0)
    RankThreads::stop_this();
  int none = 0;
  const int rank = g_crash_context.rank;
  if (g_signal.compare_exchange_strong(none, signal_number)) {
    log_crash(rank, signal_number);
    if (rank == k_nobody) die_of(signal_number);
    g_crashed_rank.store(rank);
    g_bell.fetch_add(1);
    base::futex_wake(&g_bell, 1);
  }
  for (;;) pause();  // the job ends
}

}  // namespace

std::atomic<uint32_t>& crash_bell() {
  return g_bell;
}

Crash first_crash() {
  const int rank = g_crashed_rank.load();
  return rank == k_nobody ? Crash{} : Crash{.rank = rank, .signal = g_signal.load()};
}

void install_crash_handlers() {
  g_process = getpid();
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_ONSTACK | SA_SIGINFO;
  for (const int signal_number : k_crash_signals) sigaction(signal_number, &action, nullptr);
}

void watch_crashes(int rank, const struct sigaction* actions, const volatile sig_atomic_t* is_ending) {
  g_crash_context = {.rank = rank, .actions = actions, .is_ending = is_ending};
  void* const memory =
      mmap(nullptr, k_stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  g_crash_context.stack = memory;
  const stack_t stack{.ss_sp = memory, .ss_flags = 0, .ss_size = k_stack_bytes};
  sigaltstack(&stack, nullptr);
}

void unwatch_crashes() {
  const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  sigaltstack(&none, nullptr);
  if (g_crash_context.stack != nullptr) munmap(g_crash_context.stack, k_stack_bytes);
  g_crash_context = {};
}

void die_of(int signal_number) {
  signal(signal_number, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal_number);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  kill(getpid(), signal_number);
  _exit(128 + signal_number);
}

}  // namespace tutti::actors
