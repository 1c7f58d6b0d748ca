#pragma once
// Output of long-running subcommands: atomically written files, Ctrl-C, and progress.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "base/status.hpp"

namespace tutti::command {

/// For options that name an output file: reports errors before the work, not after it.
CLI::Validator writable_file();

/// Writes to the file, atomically, or to standard output if `name` is empty or "-".
base::Status write_output(const std::string& name, const std::string& text);

/// Whether the report of a run goes to a file, and not to a table, to standard output (-) as JSON, or nowhere.
bool is_report_file(const std::string& report);

/// The report's name for ranks, which may run in another folder. Error: the file cannot be written.
base::Result<std::string> report_target(const std::string& report);

/// While it exists, the first Ctrl-C only makes is_asked() true, so that the work can stop without partial files. A
/// second Ctrl-C ends the process. At most one exists.
class StopRequest {
 public:
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;
  static bool is_asked();
};

/// Exit status after Ctrl-C, as in shells.
inline constexpr int k_interrupted = 130;

/// A line on stderr with the number of completed items of `total` (0: unknown), at most five times a second and only if
/// stderr is a terminal.
class ProgressLine {
 public:
  ProgressLine(std::string what, uint64_t total);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(uint64_t done);

 private:
  std::string what_;
  uint64_t total_, next_ns_ = 0;
  bool is_shown_ = false;
};

}  // namespace tutti::command
