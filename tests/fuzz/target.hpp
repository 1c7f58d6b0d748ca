#pragma once
// Defined by every fuzz target: under libFuzzer its entry, otherwise called by replay.cpp.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace tutti::fuzz {

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the process where a property does not hold, in every kind of build.
inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", property);
  std::abort();
}

/// Messages are one line and say something.
inline void require_message(std::string_view message) {
  require(!message.empty(), "a message says something");
  require(message.find('\n') == std::string_view::npos, "a message is one line");
}

}  // namespace tutti::fuzz
