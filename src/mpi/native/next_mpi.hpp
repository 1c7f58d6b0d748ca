#pragma once
// Finds the next definition of an MPI function after Tutti's. It may belong to a tool: a preloaded or linked library
// that also defines MPI functions, such as a profiler. Calls that Tutti passes through reach the tool first, as they
// would without Tutti.

#include <atomic>
#include <string>
#include <vector>

namespace tutti::mpi {

/// The next definition of the function after this library's, if it is a tool's; nullptr: the next one is the MPI's own,
/// or another build of Tutti's. `native`: the MPI's own, by its other name.
void* tools_function(const char* name, const void* native);

/// Installs a function that may wrap all functions that are found from now on: it returns the function to call instead
/// of `next`, or `next` itself.
using Between = void* (*)(const char* name, void* next);
void stand_between(Between between);
/// `next`, or its wrapper.
void* with_what_stands_between(const char* name, void* next);

/// Called when the program calls a function that this version of its MPI lacks: prints a line, and raises an error on
/// MPI_COMM_WORLD.
int refuse_missing_function(const char* name);

/// Files of the tools that come after Tutti, if they define the usual calls.
std::vector<std::string> tools_behind();

/// The definition of an MPI function that the program would call without Tutti. Found at the first call; any thread.
template <class Function>
class NextMpi {
 public:
  /// `native` is nullptr if this version of the MPI lacks the function, or has it by another name, `renamed`.
  constexpr NextMpi(const char* name, Function* native, Function* renamed = nullptr)
      : name_(name), native_(native), renamed_(renamed) {}

  template <class... Arguments>
  [[gnu::always_inline]] int operator()(Arguments... arguments) {
    Function* next = next_.load(std::memory_order_relaxed);
    if (next == nullptr) next = find();
    return next != nullptr ? next(arguments...) : refuse_missing_function(name_);
  }

 private:
  [[gnu::noinline, gnu::cold]] Function* find() {
    Function* const native = native_ != nullptr ? native_ : renamed_;
    void* const tools = tools_function(name_, reinterpret_cast<const void*>(native));
    Function* const next = tools == nullptr ? native : reinterpret_cast<Function*>(tools);
    auto* const found =
        reinterpret_cast<Function*>(with_what_stands_between(name_, reinterpret_cast<void*>(next)));
    next_.store(found, std::memory_order_relaxed);
    return found;
  }

  const char* name_;
  Function* native_;
  Function* renamed_;
  std::atomic<Function*> next_{nullptr};
};

}  // namespace tutti::mpi

/// Declares next_MPI_X for MPI_X.
#define TUTTI_NEXT_MPI(symbol) \
  constinit tutti::mpi::NextMpi<decltype(symbol)> next_##symbol(#symbol, P##symbol)
#define TUTTI_NEXT_MPI_OF_TWO_NAMES(symbol, other) \
  constinit tutti::mpi::NextMpi<decltype(symbol)> next_##symbol(#symbol, P##symbol, P##other)
