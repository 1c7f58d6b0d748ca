#pragma once
// Parameters that several algorithms share.

#include "algorithm/algorithm.hpp"

namespace tutti::algorithm {

constexpr Parameter segment_parameter(uint64_t default_bytes,
                                      std::string_view summary = "bytes that travel together") {
  return {.name = "segment",
          .summary = summary,
          .unit = Parameter::Unit::bytes,
          .default_value = default_bytes,
          .min = 1,
          .max = uint64_t{1} << 30};
}

constexpr Parameter radix_parameter(uint64_t default_value, std::string_view summary = "radix of the tree",
                                    uint64_t max = 64) {
  return {.name = "radix", .summary = summary, .default_value = default_value, .min = 2, .max = max};
}

/// One of `choices`, by default the first.
constexpr Parameter choice_parameter(std::string_view name, std::string_view summary,
                                     std::span<const std::string_view> choices) {
  return {.name = name,
          .summary = summary,
          .unit = Parameter::Unit::choice,
          .max = choices.size() - 1,
          .choices = choices};
}

}  // namespace tutti::algorithm
