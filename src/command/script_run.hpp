#pragma once
// The life of a script under `tutti run`: its MPI jobs are counted, and what its end leaves to be said is
// said.

#include <cstdint>
#include <string>

#include "command/launcher.hpp"

namespace tutti::command {

/// The name of the report of job `number` of a script: report.json, report.2.json, report.3.json, ...
std::string numbered_report(const std::string& report, uint64_t number);

/// Runs the line as a child and returns its exit status; ends by the signal that has ended the child. Signals
/// that are sent to this process go to the child. Afterwards says in one line where the reports are, if there
/// are several, or that no job ran under Tutti. `report`: as in TUTTI_REPORT.
int run_script(const Words& line, const std::string& report);

/// For a launch under Tutti: its number among the jobs of the script that makes it, from 1; 0 where none
/// does.
uint64_t count_job_of_script();

}  // namespace tutti::command
