#pragma once
// The launcher's key-value space, in which every rank can leave a word for the others before MPI is
// initialised. The initialisation itself ends with a barrier of the launcher, behind which all words are to
// be seen (ADR 12).

#include <memory>
#include <optional>
#include <string>

#include "base/status.hpp"

namespace tutti::mpi {

namespace pmix {
struct Process;
}

class LauncherKeys {
 public:
  LauncherKeys() = default;
  virtual ~LauncherKeys() = default;
  LauncherKeys(const LauncherKeys&) = delete;
  LauncherKeys& operator=(const LauncherKeys&) = delete;

  /// Leaves this rank's word: letters, digits, '.' and '-'. Before the native initialisation, once.
  virtual base::Status put(const std::string& word) = 0;
  /// After it: what has become of a word that could only be left during it.
  virtual base::Status late_status() const { return {}; }
  /// After it: the word of a rank of MPI_COMM_WORLD, nothing where it left none. Answers at once. An error
  /// says nothing about the rank.
  virtual base::Result<std::optional<std::string>> get(int rank) = 0;
  /// After it: a word that was put is to be seen by every rank.
  virtual bool is_shared() const { return true; }
};

/// nullptr: this process was not started by Hydra, MPICH's launcher. What decides is the same for all ranks
/// of a job.
std::unique_ptr<LauncherKeys> open_pmi_keys();
/// nullptr: there is no PMIx server, or the MPI does not use the PMIx library that can be loaded here.
std::unique_ptr<LauncherKeys> open_pmix_keys();
/// The MPI itself has initialised PMIx, which has told it who it is.
void pmix_is_initialised(const pmix::Process& self);

}  // namespace tutti::mpi
