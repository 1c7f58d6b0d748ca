#pragma once
// Test hook for checks of local data (a layout, an alias, lack of memory). Such data is handled on its rank and never
// affects the choice between Tutti and the native MPI (docs/mpi-semantics.md, "Two laws"). In the library that is built
// for tests, TUTTI_TEST_REFUSE=SEED:PERMILLE makes each check fail at random, independently on every rank.

namespace tutti::mpi {

#ifdef TUTTI_TEST_HOOKS
bool is_refused_by_test();
/// Called when Tutti has started: an earlier refusal would only leave all calls to the native MPI.
void begin_refusals();
#else
inline void begin_refusals() {}
constexpr bool is_refused_by_test() {
  return false;
}
#endif

/// The result of a check, unless a test makes it fail.
inline bool local_check(bool holds) {
  return holds && !is_refused_by_test();
}

}  // namespace tutti::mpi
