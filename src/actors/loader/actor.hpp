#pragma once
// A program as a thread of this process (DESIGN §6c; paper 000 §3: the processes of a node as threads of a container).

#include <pthread.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "actors/loader/program_image.hpp"
#include "base/status.hpp"

namespace tutti::actors {

struct ActorOptions {
  std::vector<std::string> guests;       // its first libraries
  std::vector<std::string> arguments;    // argv; the first is the program's name
  std::vector<std::string> environment;  // NAME=VALUE
  /// Name of a library -> file that is loaded in its place.
  std::map<std::string, std::string> libraries = {};
  /// For the guests: as in GuestHost.
  const void* calls = nullptr;
  void* rank = nullptr;
  /// On its thread: before anything else, and when the program has ended.
  std::function<void()> prepare = {};
  std::function<void(int status)> ended = {};
};

/// One rank. It has its own global variables, C library and standard streams; it shares the process's files, signals,
/// working directory and number.
class Actor {
 public:
  /// Begins the thread, which loads the program and waits.
  Actor(const ProgramImage& image, ActorOptions options);
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

  const ProgramImage& image_;
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
  void* way_back_ = nullptr;  // a jmp_buf of the thread
  pthread_t thread_{};
};

}  // namespace tutti::actors
