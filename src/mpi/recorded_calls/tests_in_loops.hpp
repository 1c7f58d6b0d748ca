#pragma once
// Records loops of tests for requests and messages as waiting time. It is unknown whether the program computes between
// two tests; if they follow each other closely, it is assumed to wait.

#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>

#include "record/operation_counter.hpp"

namespace tutti::mpi {

class Runtime;

/// A thread's closely spaced tests that have failed so far.
struct TestsInLoop {
  static constexpr size_t k_most = 8;  // peers that are recorded
  struct AwaitedRank {
    const record::OperationCounter* counter;
    int peer;
  };
  uint64_t first_ns = 0, last_ns = 0;  // first_ns == 0: there are none
  const std::string* name = nullptr;
  std::array<AwaitedRank, k_most> awaited{};
  size_t count = 0;

  void add(const record::OperationCounter* counter, int peer) {
    if (count < k_most && counter != nullptr) awaited[count++] = {counter, peer};
  }
};
inline thread_local constinit TestsInLoop tests_in_loop __attribute__((tls_model("initial-exec")));

/// Called when a test begins.
void begin_test(Runtime& runtime, uint64_t now_ns);
/// Called when the test has failed. `awaited` adds the awaited ranks; it is called for the first test of a loop only.
template <class AddAwaited>
void found_nothing(Runtime& runtime, const std::string* name, uint64_t began_ns, uint64_t now_ns,
                   AddAwaited awaited);
/// Writes this thread's loop of tests into the record: until its last test, or until `at_ns`.
void end_tests_in_loops(Runtime& runtime);
void end_tests(Runtime& runtime, uint64_t at_ns);

template <class AddAwaited>
void found_nothing(Runtime& runtime, const std::string* name, uint64_t began_ns, uint64_t now_ns,
                   AddAwaited awaited) {
  // A long loop is recorded in parts, so that a program that hangs in it leaves a record, too.
  constexpr uint64_t k_most_ns = 100'000'000;
  TestsInLoop& tests = tests_in_loop;
  if (tests.first_ns == 0) {
    tests.first_ns = began_ns;
    tests.name = name;
    tests.count = 0;
    awaited(tests);
  }
  tests.last_ns = now_ns;
  if (now_ns - tests.first_ns > k_most_ns) end_tests(runtime, now_ns);
}

}  // namespace tutti::mpi
