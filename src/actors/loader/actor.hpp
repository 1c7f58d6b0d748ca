#pragma once
// A program as a thread of this process (DESIGN §6c; paper 000 §3: the processes of a node as threads of a container).

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
  /// For the guests: as in GuestHost.
  const void* calls = nullptr;
  void* rank = nullptr;
  /// On its first thread: before anything else; when the program is loaded, or cannot be; when it has ended. A
  /// constructor can end it instead of the second: the thread then keeps the loader's lock for ever, and no other
  /// program can be loaded. `actions`: what the rank does on each of k_crash_signals, now and later.
  std::function<void(const struct sigaction* actions)> prepare = {};
  std::function<void()> loaded = {};
  std::function<void(int status)> ended = {};
  /// On its other threads: at their beginnings and ends.
  /// `is_ending`: not 0 from the time when the rank's exit() begins.
  std::function<void(const struct sigaction* actions, const volatile sig_atomic_t* is_ending)> thread_begins =
      {};
  std::function<void()> thread_ends = {};
  /// Whether it is done with MPI, so that another program may take its place.
  std::function<bool()> is_done_with_mpi = {};
};

/// One rank. It has its own global variables, C library and standard streams; it shares the process's files, signals,
/// working directory and number.
class Actor {
 public:
  /// Begins the thread, which loads the program and waits.
  Actor(const ProgramCopy& program, ActorOptions options);
  Actor(const Actor&) = delete;
  Actor& operator=(const Actor&) = delete;
  /// Of one that has not begun, or has ended.
  ~Actor();

  /// Waits until the program is loaded, or cannot be. Error: not_supported, system, of the loader.
  base::Status loaded();
  /// After all are loaded: lets the program begin, once.
  void begin();
  pthread_t thread() const { return thread_; }
  /// Once it is loaded: where the program is.
  uint64_t address() const { return address_; }
  /// Waits for its end. The status that the program gave to exit(), or returned from main().
  int wait();
  /// Only its first thread may end it. Otherwise the process ends: no thread can be taken from another's code.
  static constexpr int k_foreign_exit_status = 70;

 private:
  void run();
  base::Status load();
  void call_program();
  void leave(int status);

  const ProgramCopy& program_;
  const ActorOptions options_;
  /// What the program refers to, as long as its namespace is there: for ever, once it is loaded.
  struct Belongings;
  std::unique_ptr<Belongings> belongings_;
  uint64_t address_ = 0;  // where the program is

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<base::Status> loaded_;
  bool may_begin_ = false, is_cancelled_ = false;
  int status_ = 0;
  void* way_back_ = nullptr;  // a jmp_buf of the thread; nullptr: it is in a constructor
  pthread_t thread_{};
  std::atomic<pid_t> number_{0};  // of the thread
  RankThreads threads_;
};

}  // namespace tutti::actors
