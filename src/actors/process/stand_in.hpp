#pragma once
// The process that the launcher started for a rank that runs as a thread of another process: it represents
// the rank in the job, and ends as the rank does.

#include "actors/process/launched.hpp"

namespace tutti::actors {

/// Sends `launched` to the container, and waits. Does not return. `socket`: to the container.
[[noreturn]] void stand_in(int socket, Launched launched);

}  // namespace tutti::actors
