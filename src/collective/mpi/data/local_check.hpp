#pragma once
// Checks of local data (a layout, an alias, lack of memory). Such data is handled on its rank and never affects the
// choice between Tutti and the native MPI (docs/mpi-semantics.md, "Two laws"). A library that a test preloads
// (tests/preload/tools/refusals.c) defines two functions that make these checks fail at random, independently on every
// rank; without it they are not there.

extern "C" {
[[gnu::weak, gnu::visibility("default")]] bool tutti_test_refuses();
/// Called when Tutti has started: an earlier refusal would only leave all calls to the native MPI.
[[gnu::weak, gnu::visibility("default")]] void tutti_test_begin_refusals();
}

namespace tutti::mpi {

inline void begin_refusals() {
  if (tutti_test_begin_refusals != nullptr) tutti_test_begin_refusals();
}

/// The result of a check, unless a test makes it fail.
inline bool local_check(bool holds) {
  return holds && (tutti_test_refuses == nullptr || !tutti_test_refuses());
}

}  // namespace tutti::mpi
