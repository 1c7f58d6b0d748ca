#pragma once
// The table of functions through which the stub library of a rank (stub/) reaches this process. Generated.

#include <span>
#include <string_view>

namespace tutti::actors {

/// A struct tutti_calls.
const void* call_table();
/// The calls that are there, without MPI_.
std::span<const std::string_view> covered_calls();

}  // namespace tutti::actors
