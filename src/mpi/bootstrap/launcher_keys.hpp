#pragma once
// The launcher's key-value space, in which every rank can store a value for the others before MPI is initialised. The
// initialisation ends with a barrier of the launcher, after which all values are visible (ADR 12).

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

  /// Stores this rank's value: letters, digits, '.' and '-'. Called once, before the native initialisation.
  virtual base::Status put(const std::string& word) = 0;
  /// After the initialisation: the result of a put() that could only be completed during it.
  virtual base::Status late_status() const { return {}; }
  /// After the initialisation: the value of a rank of MPI_COMM_WORLD; nullopt: the rank stored none. Does not wait. An
  /// error gives no information about the rank.
  virtual base::Result<std::optional<std::string>> get(int rank) = 0;
  /// After the initialisation: true if every rank can see the stored values.
  virtual bool is_shared() const { return true; }
};

/// nullptr: this process was not started by Hydra, MPICH's launcher. The same on all ranks of a job.
std::unique_ptr<LauncherKeys> open_pmi_keys();
/// nullptr: there is no PMIx server, or the MPI does not use the PMIx library that can be loaded here.
std::unique_ptr<LauncherKeys> open_pmix_keys();
/// Notes that the MPI itself has initialised PMIx. `self`: the identity that PMIx gave this process.
void pmix_is_initialised(const pmix::Process& self);

}  // namespace tutti::mpi
