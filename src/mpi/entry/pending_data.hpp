#pragma once
// Functions by which entry points wait for data of collectives that have returned early.

#include <mpi.h>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <type_traits>

#include "base/short_way.hpp"
#include "mpi/runtime/runtime.hpp"
#include "overlap/guard/closed_ranges.hpp"

namespace tutti::mpi {

void settle_what_is_early(std::span<const void* const> data);

/// Waits for the early calls that must end before a call that gets data at these addresses, and calls error handlers
/// for those that failed. One load if none is pending.
[[gnu::always_inline]] inline void settle_early_calls(std::initializer_list<const void*> data = {}) {
  if (!base::ShortWay::is_open()) [[unlikely]]
    settle_what_is_early(data);
}

void await_early_calls_for_arguments(Runtime& runtime, std::span<const void* const> arguments);

/// The same for a call that reads arrays or strings, or runs functions of the program, and sends no data: a thread that
/// makes only such calls does not count as one that gives data to the MPI.
inline void settle_for_arguments(std::initializer_list<const void*> arguments = {}) {
  Runtime* const runtime = Runtime::get();
  if (runtime != nullptr && !runtime->early_calls().is_empty())
    await_early_calls_for_arguments(*runtime, arguments);
}

/// Waits until the data of this memory has arrived: otherwise the MPI would wait for it while it holds its lock. One
/// load if all data has arrived.
inline void await_memory(const void* memory, size_t bytes) {
  if (!overlap::guard::is_everything_open()) static_cast<void>(overlap::guard::await_open(memory, bytes));
}
template <class Element>
void await_array(const Element* elements, int count) {
  if (count > 0) await_memory(elements, static_cast<size_t>(count) * sizeof *elements);
}

/// The same for the objects that the pointers point to.
template <class... Object>
void await_objects(const Object*... objects) {
  if (overlap::guard::is_everything_open()) return;
  const auto await = []<class One>(const One* object) {
    if constexpr (std::is_void_v<One>)
      await_memory(object, sizeof(void*));
    else
      await_memory(object, sizeof *object);
  };
  (await(objects), ...);
}

/// The same for a Fortran call's arguments: none is longer than a status.
inline void await_words(std::initializer_list<const void*> words) {
  if (overlap::guard::is_everything_open()) return;
  for (const void* const word : words) await_memory(word, sizeof(MPI_Status));
}

/// The program creates generalized requests or error handlers: from now on a wait for a request, or its test, may run a
/// function of the program.
void expect_functions_in_waits();
/// Called before such a wait or test: waits for the early calls if it may run a function of the program.
void settle_for_functions_in_waits();

/// Waits for the early calls of all threads: the memory that the call accesses is unknown, or it is the last call.
void settle_all_early_calls();

}  // namespace tutti::mpi
