#pragma once
// Settings and rules of a job whose ranks are threads.

#include <span>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "dispatch/process_context.hpp"
#include "select/selector.hpp"

namespace tutti::actors {

/// The same in all containers. Immutable; any thread.
struct JobSettings {
  /// `files`: the texts of the rules files. A file that cannot be used adds one line to `problems`.
  JobSettings(base::Settings own, std::span<const select::RulesText> files,
              std::vector<std::string>* problems);
  /// Of this process. Collective over MPI_COMM_WORLD of the native MPI if the settings name rules files: rank 0 reads
  /// them for all ranks, because other jobs may be writing learned rules. Sleeps while it waits.
  static JobSettings agree(std::vector<std::string>* problems);

  base::Settings settings;
  dispatch::Options options;
  select::Selector selector;
};

}  // namespace tutti::actors
