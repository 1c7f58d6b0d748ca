#pragma once
// tutti simulate --fit: fits a machine to measurements.

#include <string>

namespace tutti::command {

struct FitOptions {
  std::string file, machine, topology, csv;
};

/// Prints the machine. Returns the exit status.
int fit_machine(const FitOptions& options);

}  // namespace tutti::command
