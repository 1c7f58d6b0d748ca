#pragma once
// Schedules for the eye and for other tools (DESIGN §2, consequence 5). Pure; any thread.

#include <cstdint>
#include <span>
#include <string>

#include "schedule/schedule.hpp"

namespace tutti::schedule {

/// "send 64 bytes of input+0 to rank 3": one task in words.
std::string describe(const Task& task);

}  // namespace tutti::schedule
