#pragma once
// Programs that a rank starts are no ranks of the job: they run without this library.

#include <functional>
#include <string>
#include <string_view>

namespace tutti::mpi {

/// Takes this library out of LD_PRELOAD, for the programs that this process starts from now on. Not before the
/// process is known to be a rank: what a wrapper of the program starts is one.
void hide_from_children();

/// The entries of a value of LD_PRELOAD without those that are ours.
std::string without_entries(std::string_view preload, const std::function<bool(const std::string&)>& is_ours);

}  // namespace tutti::mpi
