#pragma once
// Keeps this library out of the programs that a rank starts, because they are not ranks of the job.

#include <functional>
#include <string>
#include <string_view>

namespace tutti::mpi {

/// Removes this library from LD_PRELOAD for the programs that this process starts from now on. Called only when the
/// process is known to be a rank: a wrapper script is not one, but starts one.
void hide_from_children();

/// The value of LD_PRELOAD without the entries that `is_ours`.
std::string without_entries(std::string_view preload, const std::function<bool(const std::string&)>& is_ours);

}  // namespace tutti::mpi
