#pragma once
// Descriptors as text. Pure; any thread.

#include <span>
#include <string>

#include "offload/descriptor.hpp"

namespace tutti::offload {

/// Several lines: a summary, and a table of the rounds. `descriptor` must pass check().
std::string format_text(const Descriptor& descriptor);

/// One 64-bit word per line: its index, 16 hexadecimal digits.
std::string format_hex(std::span<const uint64_t> words);

/// Formats one operand according to its type: "-3", "0.5".
std::string format_element(ElementType type, uint64_t word);

}  // namespace tutti::offload
