#pragma once
// Analyses launch lines: the launcher, the position of the program, and options that set environment variables only for
// the ranks. Pure functions of the words of the line, except identify().

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "command/installation.hpp"
#include "command/prefix.hpp"

namespace tutti::command {

enum class Launcher {
  hydra,    // MPICH's mpirun: -genv NAME VALUE
  openmpi,  // Open MPI's mpirun, PRRTE's prterun and prun: -x NAME=VALUE, per application context
  slurm,    // srun: --export
  flux,     // flux run: --env=NAME=VALUE
  none,     // the program itself, or a launcher known only by name (is_known_to_hand_on())
};

using Words = std::vector<std::string>;
using Environment = std::vector<std::pair<std::string, std::string>>;

/// The launcher that the first word names. Follows links (mpirun -> /etc/alternatives/mpirun -> …) and, if the name is
/// not specific, runs it with --version.
Launcher identify(const std::string& first_word);
/// The same for a line: only one of flux's subcommands launches programs.
Launcher identify_line(const Words& line);

/// Whether this is a known site launcher whose options are not known; the program is one of its words.
bool is_known_to_hand_on(std::string_view command);

/// The MPI of a launcher; nullopt if it is not specific to one.
std::optional<Mpi> mpi_of(Launcher launcher);

/// Positions of the commands that the launcher starts: one per application context (`prog1 : prog2`). Options and their
/// values are skipped by each launcher's definitions. Empty if there is none.
std::vector<size_t> command_positions(Launcher launcher, const Words& line);

/// The programs that these commands start, behind prefix commands (prefix.hpp).
std::vector<Prefix> programs_of(Launcher launcher, const Words& line);

/// Whether neither the line nor the environment indicates that the launcher could start ranks on other machines.
bool stays_on_machine(Launcher launcher, const Words& line);

/// The line with `preload` (LD_PRELOAD of the ranks) and `settings` added for the ranks of every application context.
/// Libraries that the line already preloads for the ranks are kept, after Tutti's. `line` names a program, or is a
/// launcher with its options to which the caller appends one.
Words with_environment(Launcher launcher, const Words& line, const std::string& preload,
                       const Environment& settings);

/// The variables in a value of Open MPI's mca_base_env_list: those without a value get this process's.
Environment variables_of_list(std::string_view list);

/// Removes such lists from the line's options, because Open MPI does not accept them together with -x.
Environment take_environment_lists(Words* line);

/// The text of an Open MPI program file (--app) with `preload` and the names of `settings` added for each program. The
/// values come from the launcher's environment, because words in the file cannot contain spaces.
std::string program_file_with_environment(std::string_view text, const std::string& preload,
                                          const Environment& settings);

/// The line with each program replaced by `program`, which gets the settings and the original program as argument.
/// Prefix commands stay before it.
Words with_program_in_front(Launcher launcher, Words line, const std::string& program,
                            const Environment& settings);

}  // namespace tutti::command
