#pragma once

namespace tutti::test {

// True under a sanitizer that brings its own malloc and slows everything down.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool k_is_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool k_is_sanitized = true;
#else
inline constexpr bool k_is_sanitized = false;
#endif
#else
inline constexpr bool k_is_sanitized = false;
#endif

// True under the thread sanitizer, which hands signals to the program later than they come.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool k_delays_signals = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool k_delays_signals = true;
#else
inline constexpr bool k_delays_signals = false;
#endif
#else
inline constexpr bool k_delays_signals = false;
#endif

/// How many of `all` samples a test takes. Under a sanitizer, which looks for mistakes that every sample
/// makes alike, an eighth; all of them without one, where ./check runs programs with the label unit_sampled.
template <class Number>
constexpr Number samples(Number all) {
  return k_is_sanitized ? (all + 7) / 8 : all;
}

}  // namespace tutti::test
