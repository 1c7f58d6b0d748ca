#pragma once
// A program as a thread of this process (DESIGN §6c; paper 000 §3: the processes of a node as threads of a
// container).

#include <pthread.h>
#include <signal.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "actors/loader/program_copy.hpp"
#include "actors/loader/rank_threads.hpp"
#include "base/status.hpp"

namespace tutti::actors {

struct ActorOptions {
  std::vector<std::string> arguments;    // argv; the first is the program's name
  std::vector<std::string> environment;  // NAME=VALUE
  /// Passed to the guest: see GuestHost.
  const void* calls = nullptr;
  void* rank = nullptr;
  const void** caller = nullptr;
  /// Called on its first thread: `prepare` before anything else, `loaded` when the program is loaded or
  /// cannot be, `ended` when it has ended. If a constructor ends the program, `ended` is called instead of
  /// `loaded`: the thread then keeps the loader's lock forever, and no other program can be loaded.
  /// `actions`: the rank's signal actions for k_crash_signals, updated by the rank later.
  std::function<void(const struct sigaction* actions)> prepare = {};
  std::function<void()> loaded = {};
  std::function<void(int status)> ended = {};
  /// Called on its other threads at their start and end. `is_ending`: not 0 once the rank's exit() has begun.
  std::function<void(const struct sigaction* actions, const volatile sig_atomic_t* is_ending)> thread_begins =
      {};
  std::function<void()> thread_ends = {};
  /// True if the program no longer uses MPI, so that another program may replace it (exec).
  std::function<bool()> is_done_with_mpi = {};
};

/// One rank. It has its own global variables, C library and standard streams; it shares the process's files,
/// signals, working directory and process id.
class Actor {
 public:
  /// Creates the thread, which loads the program and waits for begin().
  Actor(const ProgramCopy& program, ActorOptions options);
  Actor(const Actor&) = delete;
  Actor& operator=(const Actor&) = delete;
  /// For an actor that has not begun, or has ended.
  ~Actor();

  /// Waits until the program is loaded, or cannot be. Errors from the loader: not_supported, system.
  base::Status loaded();
  /// Starts the program; call once, after all programs are loaded.
  void begin();
  pthread_t thread() const { return thread_; }
  /// Address at which the program is loaded; valid after loading.
  uint64_t address() const { return address_; }
  /// Waits for its end. Returns the status that the program passed to exit(), or returned from main().
  int wait();
  /// Only its first thread may call exit(). Otherwise the process ends with this status, because a thread
  /// cannot be removed from another thread's code.
  static constexpr int k_foreign_exit_status = 70;

 private:
  void run();
  base::Status load();
  void call_program();
  void leave(int status);

  const ProgramCopy& program_;
  const ActorOptions options_;
  /// Data that the program refers to as long as its namespace exists: forever, once it is loaded.
  struct Resources;
  std::unique_ptr<Resources> resources_;
  uint64_t address_ = 0;  // load address of the program

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<base::Status> loaded_;
  bool may_begin_ = false, is_cancelled_ = false;
  int status_ = 0;
  void* way_back_ = nullptr;  // a jmp_buf of the thread; nullptr: it is in a constructor
  pthread_t thread_{};
  std::atomic<pid_t> number_{0};  // kernel thread id
  RankThreads threads_;
};

}  // namespace tutti::actors
