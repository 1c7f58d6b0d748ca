#pragma once
// Launch lines: which launcher it is, where the program stands, and how environment reaches the ranks and
// only them. Pure functions over the words of the line, but for identify().

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
  none,     // the program itself, or a launcher that is known by its name alone (is_known_to_hand_on())
};

using Words = std::vector<std::string>;
using Environment = std::vector<std::pair<std::string, std::string>>;

/// Which launcher the first word names, following links (mpirun -> /etc/alternatives/mpirun -> …) and, where
/// the name says nothing, asking it for its version.
Launcher identify(const std::string& first_word);
/// The same for a line: flux launches programs by one of its subcommands only.
Launcher identify_line(const Words& line);

/// A launcher of a site by its name, whose options are not known here: what it starts is among its words.
bool is_known_to_hand_on(std::string_view command);

/// The MPI that a launcher belongs to, if it belongs to one.
std::optional<Mpi> mpi_of(Launcher launcher);

/// Positions of what the launcher starts: one, or one per application context (`prog1 : prog2`). Options and
/// their values are skipped by what each launcher defines. Empty when there is none.
std::vector<size_t> command_positions(Launcher launcher, const Words& line);

/// The programs that these become: behind the commands that start another one (prefix.hpp).
std::vector<Prefix> programs_of(Launcher launcher, const Words& line);

/// Nothing in the line or in the environment says that the launcher could start ranks on other machines.
bool stays_on_machine(Launcher launcher, const Words& line);

/// The line with `preload` (LD_PRELOAD of the ranks) and `settings` added for the ranks of every application
/// context. What the line already preloads for the ranks stays, after Tutti's library.
/// `line` names a program, or is a launcher with its options to which the caller appends one.
Words with_environment(Launcher launcher, const Words& line, const std::string& preload,
                       const Environment& settings);

/// The variables of a value of Open MPI's mca_base_env_list: those without a value have this process's.
Environment variables_of_list(std::string_view list);

/// Takes such lists out of the line's options, since Open MPI does not have them beside -x.
Environment take_environment_lists(Words* line);

/// The text of a file of programs of Open MPI (--app) with `preload` and, by their names, `settings` added for each:
/// their values come from the launcher's environment, since words of the file hold no spaces.
std::string program_file_with_environment(std::string_view text, const std::string& preload,
                                          const Environment& settings);

/// The line in which each program is the argument of another one, which gets the settings. What stands in front of the
/// program stays there.
Words with_program_in_front(Launcher launcher, Words line, const std::string& program,
                            const Environment& settings);

}  // namespace tutti::command
