#pragma once
// The process that the launcher has started for a rank that is a thread of another one: it holds the rank's place in
// the job, and ends as the rank does.

#include "actors/process/launched.hpp"

namespace tutti::actors {

/// Hands over what the launcher has given, and waits. Does not return. `socket`: to the container.
[[noreturn]] void stand_in(int socket, Launched launched);

}  // namespace tutti::actors
