#pragma once
// Settings and rules of a job whose ranks are threads.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "collective/process_context.hpp"
#include "select/selector.hpp"

namespace tutti::actors {

/// The same in all containers. Immutable; any thread.
struct JobSettings {
  /// `files`: the texts of the rules files. A file that cannot be used adds one line to `problems`.
  JobSettings(base::Settings own, std::span<const select::RulesText> files,
              std::vector<std::string>* problems);
  /// Hash of what decisions depend on: ranks with different values could deadlock each other.
  static uint64_t fingerprint(const base::Settings& own);
  /// For settings whose fingerprint() is the same on all ranks. Collective over MPI_COMM_WORLD of the native MPI if
  /// they name rules files: rank 0 reads them for all ranks, because other jobs may be writing learned rules. Sleeps
  /// while it waits. `problems`: as above, on rank 0.
  static JobSettings agree(base::Settings own, std::vector<std::string>* problems);

  base::Settings settings;
  collective::Options options;
  select::Selector selector;
};

}  // namespace tutti::actors
