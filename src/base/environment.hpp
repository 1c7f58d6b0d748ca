#pragma once
// The environment variables of this process.

#include <unistd.h>

namespace tutti::base {

/// NAME=VALUE strings, terminated by nullptr. Empty after clearenv(), when `environ` is a null pointer.
inline const char* const* environment_of_process() {
  static constexpr const char* k_nothing = nullptr;
  return environ == nullptr ? &k_nothing : environ;
}

}  // namespace tutti::base
