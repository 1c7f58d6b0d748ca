#pragma once
// The command as a user meets it: started as a process.

#include <string>

#include "command/launcher.hpp"

namespace tutti::command {

struct Outcome {
  int status;
  std::string output;  // both streams
};

/// `environment` is written as before a shell command, like "TUTTI_WAIT=spin".
Outcome run_tutti(const std::string& arguments, const std::string& environment = "",
                  const std::string& command = TUTTI_COMMAND);

/// Expects an exit status (2 unless said otherwise) and exactly one line that holds `part`.
void expect_refused(const std::string& part, const std::string& arguments,
                    const std::string& environment = "", int status = 2,
                    const std::string& command = TUTTI_COMMAND);

/// The words of a line, between spaces.
Words words(const std::string& text);

std::string file_with(const std::string& name, const std::string& content);

}  // namespace tutti::command
