#pragma once
// Tests for requests and messages, again and again until there is one: time in which a program may wait, for the record
// of a run. Whether it computes between two tests nobody can tell; where they come that often it is taken to wait.

#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>

#include "record/track.hpp"

namespace tutti::mpi {

class Runtime;

/// Tests of a thread that have found nothing so far, one soon after the other.
struct TestsInLoop {
  static constexpr size_t k_most = 8;  // peers that are told of
  struct Awaited {
    const record::Track* track;
    int peer;
  };
  uint64_t first_ns = 0, last_ns = 0;  // 0: there are none
  const std::string* name = nullptr;
  std::array<Awaited, k_most> awaited{};
  size_t count = 0;

  void add(const record::Track* track, int peer) {
    if (count < k_most && track != nullptr) awaited[count++] = {track, peer};
  }
};
inline thread_local constinit TestsInLoop tests_in_loop __attribute__((tls_model("initial-exec")));

/// A test begins.
void begin_test(Runtime& runtime, uint64_t now_ns);
/// It has found nothing: whom it is for is asked where it is the first.
template <class Awaited>
void found_nothing(Runtime& runtime, const std::string* name, uint64_t began_ns, uint64_t now_ns,
                   Awaited awaited);
/// What has been recorded of this thread's tests so far goes into the record.
void end_tests_in_loops(Runtime& runtime);
void end_tests(Runtime& runtime, uint64_t at_ns);

template <class Awaited>
void found_nothing(Runtime& runtime, const std::string* name, uint64_t began_ns, uint64_t now_ns,
                   Awaited awaited) {
  // A program that hangs in such a loop leaves a record, too.
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
