#pragma once
// Runs a script for `tutti run`: counts its MPI jobs, and prints afterwards where their reports are.

#include <cstdint>
#include <string>

#include "command/launcher.hpp"

namespace tutti::command {

/// Name of the report of job `number` of a script: report.json, report.2.json, report.3.json, ...
std::string numbered_report(const std::string& report, uint64_t number);

/// Runs the line as a child and returns its exit status; if a signal ended the child, this process ends by the same
/// signal. Signals to this process are forwarded. Afterwards prints one line with the reports if there are several, or
/// that no job ran under Tutti. `report`: as in TUTTI_REPORT.
int run_script(const Words& line, const std::string& report);

/// For a launch under Tutti: its number among the jobs of the calling script, from 1; 0 outside of a script.
uint64_t count_job_of_script();

}  // namespace tutti::command
