#include "mpi/recorded_calls/tests_in_loops.hpp"

#include "mpi/runtime/runtime.hpp"

namespace tutti::mpi {

namespace {

/// Longest time between two tests of a loop; a longer time counts as work. Allows for short sleeps, which take longer
/// than requested.
constexpr uint64_t k_most_between_ns = 2'000'000;

}  // namespace

void begin_test(Runtime& runtime, uint64_t now_ns) {
  if (tests_in_loop.first_ns != 0 && now_ns - tests_in_loop.last_ns > k_most_between_ns)
    end_tests_in_loops(runtime);
}

void end_tests(Runtime& runtime, uint64_t at_ns) {
  TestsInLoop& tests = tests_in_loop;
  if (tests.first_ns == 0) return;
  for (size_t i = 0; i < tests.count; ++i)
    runtime.record().message(record::MessageCall::poll, tests.awaited[i].counter, tests.awaited[i].peer,
                             tests.first_ns, at_ns - tests.first_ns, tests.name);
  tests.first_ns = 0;
}

void end_tests_in_loops(Runtime& runtime) {
  end_tests(runtime, tests_in_loop.last_ns);
}

}  // namespace tutti::mpi
