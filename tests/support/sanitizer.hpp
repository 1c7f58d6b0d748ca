#pragma once

#if defined(__has_feature)
#define TUTTI_TEST_HAS(feature) __has_feature(feature)
#else
#define TUTTI_TEST_HAS(feature) 0
#endif

#if defined(__SANITIZE_THREAD__) || TUTTI_TEST_HAS(thread_sanitizer)
#define TUTTI_TEST_THREAD_SANITIZER 1
#else
#define TUTTI_TEST_THREAD_SANITIZER 0
#endif

#if defined(__SANITIZE_ADDRESS__) || TUTTI_TEST_HAS(address_sanitizer)
#define TUTTI_TEST_ADDRESS_SANITIZER 1
#else
#define TUTTI_TEST_ADDRESS_SANITIZER 0
#endif

namespace tutti::test {

// True under a sanitizer that brings its own malloc and slows everything down.
inline constexpr bool k_is_sanitized = TUTTI_TEST_THREAD_SANITIZER || TUTTI_TEST_ADDRESS_SANITIZER;

// True under the thread sanitizer, which hands signals to the program later than they come.
inline constexpr bool k_delays_signals = TUTTI_TEST_THREAD_SANITIZER;

// True under the thread sanitizer, which takes only threads that it has seen begin.
inline constexpr bool k_knows_all_threads = TUTTI_TEST_THREAD_SANITIZER;

/// The number of `all` samples that a test takes. Under a sanitizer, which looks for errors that every sample causes
/// alike, an eighth; without one, all of them, where ./check runs programs with the label unit_sampled.
template <class Number>
constexpr Number samples(Number all) {
  return k_is_sanitized ? (all + 7) / 8 : all;
}

}  // namespace tutti::test
