#pragma once
// What only one rank knows (a layout, an alias, a want of memory) is dealt with on that rank and never
// changes who serves a call (docs/mpi-semantics.md, "Two laws"). Tests hold every such check to that: in the
// library that is built for them, TUTTI_TEST_REFUSE=SEED:PERMILLE makes it say no now and then, on one rank
// and not on the others.

namespace tutti::mpi {

#ifdef TUTTI_TEST_HOOKS
bool is_refused_by_test();
/// Tutti has started: a refusal before would only have left everything to the MPI.
void begin_refusals();
#else
inline void begin_refusals() {}
constexpr bool is_refused_by_test() {
  return false;
}
#endif

/// The answer of a check, unless a test wants another one.
inline bool local_check(bool holds) {
  return holds && !is_refused_by_test();
}

}  // namespace tutti::mpi
