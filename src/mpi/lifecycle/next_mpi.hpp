#pragma once
// Tools that stand behind Tutti: preloaded or linked libraries that define MPI functions, too, such as profilers. What
// Tutti leaves to the native MPI goes to them first, as it would without Tutti.

#include <atomic>
#include <string>
#include <vector>

namespace tutti::mpi {

/// The next definition of the function after ours, if it is a tool's; nullptr: the MPI's own comes next, or Tutti's.
/// `native`: the MPI's own, by its other name.
void* tools_function(const char* name, const void* native);

/// Stands between Tutti and what comes next, for all functions that are found from now on: gives what is to be called
/// in place of `next`, or `next` itself.
using Between = void* (*)(const char* name, void* next);
void stand_between(Between between);
/// `next`, or what stands in front of it.
void* with_what_stands_between(const char* name, void* next);

/// The program has called a function that this version of its MPI does not have. Says so, and raises an error on
/// MPI_COMM_WORLD.
int refuse_missing_function(const char* name);

/// Files of the tools that stand behind Tutti, as far as they define the usual calls.
std::vector<std::string> tools_behind();

/// A function of the MPI as the program would reach it without Tutti. Found at the first call; any thread.
template <class Function>
class NextMpi {
 public:
  /// `native` is nullptr where this version of the MPI lacks the function, or has it by another name, `renamed`.
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
