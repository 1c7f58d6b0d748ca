#pragma once
// Commands that start another one, which is their argument: timeout 60 mpirun …, or mpirun -n 2 numactl -l ./program.
// Pure, over the words of a line; one table knows them all.

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::command {

/// What carries Tutti to the ranks.
inline constexpr std::string_view k_preload = "LD_PRELOAD";

/// What stands in front of a command, from word `first` up to `command`.
struct Prefix {
  size_t command;  // the word that is started in the end; `first` where nothing stands in front of it
  std::string
      hides_preload;  // the words that keep LD_PRELOAD from the command, like "env -i"; empty: none do
};

/// Reads any number of such commands, one behind the other. Words from `end` on belong to something else. Where one of
/// them has no command of its own (env alone, taskset -p 123), it is itself what is started.
Prefix read_prefix(const std::vector<std::string>& line, size_t first = 0,
                   size_t end = std::numeric_limits<size_t>::max());

/// The names in the table.
std::vector<std::string> known_prefixes();

}  // namespace tutti::command
