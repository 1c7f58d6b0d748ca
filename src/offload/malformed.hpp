#pragma once
// The error for a malformed descriptor, in the same form throughout this module.

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/status.hpp"

namespace tutti::offload {

template <class... Arguments>
base::Status malformed(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  return base::Status::invalid_argument("descriptor: " +
                                        fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace tutti::offload
