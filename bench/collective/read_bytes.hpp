#pragma once
// Sizes on the command lines of the benchmarks.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "base/text.hpp"

namespace tutti::bench {

/// Parses bytes in human notation ("64K") with the parser of the settings. Throws CLI::ValidationError.
inline uint64_t read_bytes(const std::string& text) {
  const auto bytes = base::parse_bytes(text);
  if (!bytes) throw CLI::ValidationError(bytes.status().message());
  return *bytes;
}

}  // namespace tutti::bench
