#pragma once
// The life of a launch under `tutti run`: what its end leaves to be said is said. What was started and not served gets
// a line with the reason.

#include <string>

#include "base/announcement.hpp"
#include "command/launch.hpp"

namespace tutti::command {

struct Outputs {
  std::string report;  // as in TUTTI_REPORT
  std::string record;  // a folder; empty: nothing is recorded
};

/// Runs the line as a child and returns its exit status; ends by the signal that has ended the child. `ranks`: the
/// processes of this machine that have initialised MPI with Tutti's library, under the address in the settings.
int run_launch(const Launch& launch, const Outputs& outputs, const base::Announcements& ranks);

/// Why nothing was served, in one line; empty: something was, or nothing certain can be said.
std::string unserved_text(const Launch& launch, uint64_t ranks);

}  // namespace tutti::command
