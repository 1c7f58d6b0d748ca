#pragma once
// The table of functions by which the stub library of a rank (stub/) calls this process. Generated.

#include <span>
#include <string_view>

namespace tutti::actors {

/// Returns a struct tutti_calls.
const void* call_table();
/// Names of the calls in the table, without MPI_.
std::span<const std::string_view> covered_calls();

}  // namespace tutti::actors
