// Launch lines: what is added for the ranks leaves every word of the line in its order, and is added once for each
// program.

#include <algorithm>

#include "command/launcher.hpp"
#include "target.hpp"

using namespace tutti;

namespace {

/// Words that are no launcher's own way of preloading, which may be taken out.
command::Words words_of(std::string_view text) {
  command::Words words = {"launcher"};
  while (!text.empty() && words.size() < 40) {
    const std::string_view word = text.substr(0, text.find_first_of(" \n"));
    if (!word.starts_with("LD_PRELOAD") && word.find('=') == std::string_view::npos) words.emplace_back(word);
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return words;
}

bool holds_in_order(const command::Words& all, const command::Words& wanted) {
  auto next = wanted.begin();
  for (const std::string& word : all)
    if (next != wanted.end() && word == *next) ++next;
  return next == wanted.end();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const command::Words line = words_of(fuzz::text_of(data, size));
  for (const auto launcher : {command::Launcher::hydra, command::Launcher::openmpi}) {
    const auto commands = command::command_positions(launcher, line);
    const auto programs = command::programs_of(launcher, line);
    fuzz::require(commands.size() == programs.size(), "every command is a program in the end");
    for (size_t i = 0; i < programs.size(); ++i) {
      const size_t next = i + 1 < commands.size() ? commands[i + 1] : line.size();
      fuzz::require(commands[i] <= programs[i].command && programs[i].command < next,
                    "a program stands in its own part of the line");
    }
    fuzz::require(holds_in_order(command::with_environment(launcher, line, "T.so", {}), line),
                  "the words of the line stay");
    fuzz::require(
        command::with_program_in_front(launcher, line, "T", {}).size() == line.size() + 2 * programs.size(),
        "one program in front of each");
  }
  return 0;
}
