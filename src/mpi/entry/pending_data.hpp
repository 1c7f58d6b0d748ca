#pragma once
// Where calls of the program meet the data of collectives that have returned early.

#include <mpi.h>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <type_traits>

#include "base/short_way.hpp"
#include "mpi/lifecycle/runtime.hpp"
#include "overlap/guard/closed_ranges.hpp"

namespace tutti::mpi {

void settle_what_is_early(std::span<const void* const> data);

/// Waits for all that a call has to wait for which is given data at these addresses, and tells error handlers of those
/// that have failed. One load where nothing is pending.
[[gnu::always_inline]] inline void settle_early_calls(std::initializer_list<const void*> data = {}) {
  if (!base::ShortWay::is_open()) [[unlikely]]
    settle_what_is_early(data);
}

void await_early_calls_for_arguments(Runtime& runtime, std::span<const void* const> arguments);

/// The same for a call that reads arrays or texts, or runs functions of the program's, and sends nothing on: threads
/// that make such calls alone do not count as those that give data to the MPI.
inline void settle_for_arguments(std::initializer_list<const void*> arguments = {}) {
  Runtime* const runtime = Runtime::get();
  if (runtime != nullptr && runtime->has_early_calls()) await_early_calls_for_arguments(*runtime, arguments);
}

/// Waits until this memory has its data: the MPI would wait for it with its lock in hand. A load where all is there.
inline void await_memory(const void* memory, size_t bytes) {
  if (!overlap::guard::is_everything_open()) static_cast<void>(overlap::guard::await_open(memory, bytes));
}
template <class Element>
void await_array(const Element* elements, int count) {
  if (count > 0) await_memory(elements, static_cast<size_t>(count) * sizeof *elements);
}

/// The same for what single pointers lead to.
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

/// The program makes generalized requests or error handlers: waiting for a request or testing it may run a function of
/// the program's.
void expect_functions_in_waits();
/// Before such a call: all early calls end where that may happen.
void settle_for_functions_in_waits();

/// The same for all, whoever has called them: nobody knows what data is meant, or there will be no more.
void settle_all_early_calls();

}  // namespace tutti::mpi
