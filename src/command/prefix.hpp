#pragma once
// Prefix commands, which start another command that is their argument: timeout 60 mpirun …, or mpirun -n 2 numactl -l
// ./program. Pure functions of the words of a line; one table lists all known ones.

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::command {

/// Environment variable that loads Tutti into the ranks.
inline constexpr std::string_view k_preload = "LD_PRELOAD";

/// The prefix commands from word `first` up to `command`.
struct Prefix {
  size_t command;             // index of the word that is finally started; `first` without prefix commands
  std::string hides_preload;  // words that remove LD_PRELOAD from the command, like "env -i"; empty: none
};

/// Parses any number of prefix commands. Words from `end` on are ignored. A prefix command without a command of its own
/// (env alone, taskset -p 123) is itself the command that is started.
Prefix read_prefix(const std::vector<std::string>& line, size_t first = 0,
                   size_t end = std::numeric_limits<size_t>::max());

/// Names of the known prefix commands.
std::vector<std::string> known_prefixes();

}  // namespace tutti::command
