#pragma once
// Output of subcommands that work for long: files in one piece or not at all, Ctrl-C, and progress.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "base/status.hpp"

namespace tutti::command {

/// For options that name a file to be written: says at once, not after the work, what stands in the way.
CLI::Validator writable_file();

/// To the file, in one piece, or to standard output when `name` is empty or "-".
base::Status write_output(const std::string& name, const std::string& text);

/// The report of a run goes to a file: it is no table, JSON on standard output (-), or none.
bool is_report_file(const std::string& report);

/// The report as ranks can write it, which may work in another folder. Error: a file that cannot be written.
base::Result<std::string> report_target(const std::string& report);

/// While one exists, the first Ctrl-C does not end the process, but is_asked() turns true: what runs can stop
/// without a file half written. A second Ctrl-C ends the process. One at a time.
class StopRequest {
 public:
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;
  static bool is_asked();
};

/// Exit status after Ctrl-C, as shells have it.
inline constexpr int k_interrupted = 130;

/// A line on stderr that tells how many of `total` (0: nobody knows) are done, at most five times a second, when
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
