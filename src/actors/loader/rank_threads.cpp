#include "actors/loader/rank_threads.hpp"

#include <link.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace tutti::actors {

/// Exists until the thread ends.
struct RankThreads::Thread {
  const pid_t number = gettid();
  std::atomic<bool> is_stopped{false};
};

namespace {

/// The C library does not let programs block it, and uses it itself only when a process changes its user.
constexpr int k_stop_signal = 33;

struct CodeRange {
  uintptr_t begin, end;
};

/// The code that ranks share: the process's own. Written only by stop(), while no thread has been signalled.
std::mutex g_stopping;
std::vector<CodeRange> g_common;

thread_local std::atomic<bool>* g_is_stopped = nullptr;

bool is_common(uintptr_t place) {
  return std::ranges::any_of(g_common,
                             [&](const CodeRange& one) { return place >= one.begin && place < one.end; });
}

void stop_here(int, siginfo_t*, void* context) {
  const auto place =
      static_cast<uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  if (g_is_stopped != nullptr && !is_common(place)) RankThreads::stop_this();
}

[[noreturn]] __attribute__((naked)) void return_from_handler() {
  __asm__ volatile(
      "mov $15, %eax\n"  // rt_sigreturn
      "syscall\n");
}

/// Uses the system call, because sigaction() refuses this signal.
void install_handler() {
  struct KernelAction {
    void (*handler)(int, siginfo_t*, void*);
    unsigned long flags;
    void (*restorer)();
    uint64_t mask;
  };
  constexpr unsigned long k_has_restorer = 0x0400'0000;
  const KernelAction action{stop_here, SA_SIGINFO | SA_RESTART | k_has_restorer, return_from_handler, 0};
  syscall(SYS_rt_sigaction, k_stop_signal, &action, nullptr, sizeof action.mask);
}

int add_code(dl_phdr_info* object, size_t, void*) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    g_common.push_back({begin, begin + segment.p_memsz});
  }
  return 0;
}

void signal_thread(pid_t number) {
  syscall(SYS_tgkill, getpid(), number, k_stop_signal);
}

}  // namespace

uint64_t cpu_ns_of(pid_t thread) {
  // The kernel's clock id (CLOCK_THREAD_CPUTIME_ID of another thread).
  const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3) | 6);
  constexpr uint64_t k_ns = 1'000'000'000;
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return 0;
  return static_cast<uint64_t>(time.tv_sec) * k_ns + static_cast<uint64_t>(time.tv_nsec);
}

RankThreads::RankThreads() = default;
RankThreads::~RankThreads() = default;

void RankThreads::stop_this() {
  if (g_is_stopped != nullptr) g_is_stopped->store(true);
  sigset_t all;
  std::memset(&all, 0xff, sizeof all);
  constexpr size_t k_kernel_set_bytes = 8;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, nullptr, k_kernel_set_bytes);
  for (;;) pause();
}

void RankThreads::expect() {
  const std::lock_guard lock(mutex_);
  ++expected_;
}

void RankThreads::give_up() {
  const std::lock_guard lock(mutex_);
  --expected_;
  changed_.notify_all();
}

void* RankThreads::begin(bool is_expected) {
  std::unique_lock lock(mutex_);
  if (is_expected) --expected_;
  if (is_over_) {
    lock.unlock();
    for (;;) pause();
  }
  Thread& thread = threads_.emplace_back();
  g_is_stopped = &thread.is_stopped;
  return &thread;
}

void RankThreads::end(void* thread) {
  const std::lock_guard lock(mutex_);
  g_is_stopped = nullptr;
  ended_cpu_ns_ += cpu_ns_of(gettid());
  std::erase_if(threads_, [thread](const Thread& one) { return &one == thread; });
  changed_.notify_all();  // locked: a waiting thread may destroy this object
}

void RankThreads::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return threads_.empty() && expected_ == 0; });
}

void RankThreads::stop() {
  const std::lock_guard one_at_a_time(g_stopping);
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    if (threads_.empty()) return;
  }
  if (g_common.empty()) install_handler();
  g_common.clear();
  dl_iterate_phdr(add_code, nullptr);
  constexpr int k_most_tries = 1000;
  constexpr timespec k_between{.tv_sec = 0, .tv_nsec = 1'000'000};
  for (int n = 0; n < k_most_tries; ++n) {
    {
      // New threads wait for the lock meanwhile, in the shared code.
      const std::lock_guard lock(mutex_);
      bool all_are_stopped = true;
      for (const Thread& one : threads_) {
        if (one.is_stopped) continue;
        signal_thread(one.number);
        all_are_stopped = false;
      }
      if (all_are_stopped) return;
    }
    nanosleep(&k_between, nullptr);
  }
}

uint64_t RankThreads::cpu_ns() {
  const std::lock_guard lock(mutex_);
  uint64_t ns = ended_cpu_ns_;
  for (const Thread& one : threads_) ns += cpu_ns_of(one.number);
  return ns;
}

}  // namespace tutti::actors
