#include "command/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "base/executable.hpp"
#include "command/launch.hpp"
#include "command/program.hpp"

namespace tutti::command {

namespace fs = std::filesystem;

namespace {

// Programs that are not scripts themselves, but execute them.
constexpr std::array k_shells = {"sh", "bash", "dash", "ksh", "mksh", "zsh", "csh", "tcsh", "fish"};

bool is_shell(const fs::path& path) {
  return std::any_of(k_shells.begin(), k_shells.end(),
                     [&](std::string_view shell) { return path.filename() == shell; });
}

}  // namespace

bool is_script(const Words& whole, bool has_mpi) {
  const Words line = without_prefix(whole);
  const auto path = base::find_executable(line.at(0));
  if (!path || identify_line(line) != Launcher::none) return false;
  if (is_shell(*path)) return true;
  const bool hands_on =
      is_known_to_hand_on(line[0]) && command_positions(Launcher::none, line) != std::vector<size_t>{0};
  const auto facts = inspect_program(*path);
  if (!facts || facts->mpi || hands_on) return false;
  return facts->kind == ProgramFacts::Kind::script ||
         (facts->kind == ProgramFacts::Kind::dynamic && !facts->other_mpi && !has_mpi);
}

base::Result<Words> in_front_of_launchers(const Words& line, const Environment& settings) {
  std::string path;
  std::error_code error;
  for (const fs::directory_entry& folder : fs::directory_iterator(launchers_folder(), error))
    if (base::find_executable(folder.path().filename())) path += folder.path().string() + ':';
  if (path.empty())
    return base::Status::not_found(
        fmt::format("PATH has no mpirun or mpiexec that {} could call", without_prefix(line).at(0)));
  const char* before = std::getenv("PATH");
  Words words = {"env", fmt::format("PATH={}{}", path, before != nullptr ? before : "")};
  for (const auto& [name, value] : settings) words.push_back(name + '=' + value);
  words.insert(words.end(), line.begin(), line.end());
  return words;
}

void step_aside() {
  const char* before = std::getenv("PATH");
  if (before == nullptr) return;
  const std::string ours = launchers_folder();
  std::string after;
  std::istringstream folders(before);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (fs::path(folder).parent_path() != ours) after += (after.empty() ? "" : ":") + folder;
  setenv("PATH", after.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): the command has one thread
}

}  // namespace tutti::command
