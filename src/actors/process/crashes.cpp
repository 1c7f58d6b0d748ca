#include "actors/process/crashes.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "base/futex.hpp"

namespace tutti::actors {

namespace {

constexpr int k_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr int k_nobody = -1;

thread_local int g_rank = k_nobody;
std::atomic<uint32_t> g_bell{0};
std::atomic<int> g_signal{0}, g_crashed_rank{k_nobody};

/// Nothing here may lock or allocate.
void say(int rank, int signal_number) {
  char line[128];
  const int length =
      rank == k_nobody
          ? std::snprintf(line, sizeof line, "tutti: a thread of a rank was ended by signal %d\n",
                          signal_number)
          : std::snprintf(line, sizeof line, "tutti: rank %d was ended by signal %d\n", rank, signal_number);
  static_cast<void>(!write(STDERR_FILENO, line, static_cast<size_t>(length)));
}

void on_crash(int signal_number) {
  int none = 0;
  const int rank = g_rank;
  if (g_signal.compare_exchange_strong(none, signal_number)) {
    say(rank, signal_number);
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
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK;
  for (const int signal_number : k_signals) sigaction(signal_number, &action, nullptr);
}

void watch_crashes(int rank) {
  g_rank = rank;
  constexpr size_t k_bytes = 64 << 10;
  void* const memory = mmap(nullptr, k_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  const stack_t stack{.ss_sp = memory, .ss_flags = 0, .ss_size = k_bytes};
  sigaltstack(&stack, nullptr);
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
