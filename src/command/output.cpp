#include "command/output.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <utility>

#include "base/clock.hpp"
#include "base/file.hpp"

namespace tutti::command {

using base::Status;

CLI::Validator writable_file() {
  return {[](const std::string& name) {
            return name.empty() || name == "-" ? std::string{} : base::check_replaceable(name).message();
          },
          ""};
}

Status write_output(const std::string& name, const std::string& text) {
  if (!name.empty() && name != "-") return base::replace_file(name, text);
  fwrite(text.data(), 1, text.size(), stdout);
  return base::flush_standard_output();
}

bool is_report_file(const std::string& report) {
  return !report.empty() && report != "none" && report != "summary" && report != "memory" && report != "-";
}

base::Result<std::string> report_target(const std::string& report) {
  if (!is_report_file(report)) return report;
  std::string file = std::filesystem::absolute(report);
  if (const Status status = base::check_replaceable(file); !status) return status;
  return file;
}

namespace {

volatile sig_atomic_t is_stop_asked = 0;
struct sigaction old_action;

void ask_to_stop(int) {
  is_stop_asked = 1;
}

}  // namespace

StopRequest::StopRequest() {
  is_stop_asked = 0;
  struct sigaction action {};
  action.sa_handler = ask_to_stop;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, &old_action);
}

StopRequest::~StopRequest() {
  sigaction(SIGINT, &old_action, nullptr);
}

bool StopRequest::is_asked() {
  return is_stop_asked != 0;
}

ProgressLine::ProgressLine(std::string what, uint64_t total) : what_(std::move(what)), total_(total) {}

ProgressLine::~ProgressLine() {
  if (is_shown_) fmt::print(stderr, "\r\033[K");
}

void ProgressLine::show(uint64_t done) {
  constexpr uint64_t k_interval_ns = 200'000'000;
  const uint64_t now_ns = base::monotonic_ns();
  if (now_ns < next_ns_ || isatty(STDERR_FILENO) == 0) return;
  next_ns_ = now_ns + k_interval_ns;
  is_shown_ = true;
  fmt::print(stderr, "\r\033[K{}: {}{}", what_, done, total_ > 0 ? fmt::format(" of {}", total_) : "");
  fflush(stderr);
}

}  // namespace tutti::command
