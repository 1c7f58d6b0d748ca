#pragma once
// Runs a launch line for `tutti run`, and reports afterwards if something is wrong: if the run was not served by Tutti,
// one line states the reason.

#include <string>

#include "base/announcement.hpp"
#include "command/launch.hpp"

namespace tutti::command {

struct Outputs {
  std::string report;  // as in TUTTI_REPORT
  std::string record;  // a folder; empty: nothing is recorded
};

/// Runs the line as a child and returns its exit status; if a signal ended the child, this process ends by the same
/// signal. `ranks`: counts the processes of this machine that have initialised MPI with Tutti's library, by the address
/// in the settings.
int run_launch(const Launch& launch, const Outputs& outputs, const base::Announcements& ranks);

/// Why no call was served, in one line; empty: calls were served, or it is not certain.
std::string unserved_text(const Launch& launch, uint64_t ranks);

}  // namespace tutti::command
