#pragma once
// The record of one rank of a run (TUTTI_RECORD): its recorder, and its files in the folder of the run.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/settings.hpp"
#include "base/status.hpp"
#include "record/recorder.hpp"

namespace tutti::record {

/// Any thread, except for write().
class RankRecord {
 public:
  /// Absolute path of the folder that the settings name; empty: nothing is to be recorded.
  static std::string folder_of(const base::Settings& settings);
  /// Creates the folder if it does not exist, and the rank's live file in it. `description`: what is known of the run
  /// and the rank; host and job are added. `program`: see Modules. Error: system, the folder cannot be written;
  /// out_of_memory.
  static base::Result<std::unique_ptr<RankRecord>> open(const base::Settings& settings,
                                                        const std::string& folder,
                                                        RankDescription description,
                                                        Modules::Program program = {});

  Recorder& recorder() { return *recorder_; }

  /// Records that the program has waited for a message of `peer`, a rank of `counter`'s communicator; negative:
  /// unknown. Short waits are not recorded. `counter`: nullptr if the communicator is not recorded.
  void message(MessageCall call, const OperationCounter* counter, int peer, uint64_t arrival_ns,
               uint64_t inside_ns, const std::string* name);
  /// Records that the program begins such a wait in the call of that name. Result: for Recorder::close().
  size_t open_wait(MessageCall call, const OperationCounter* counter, int peer, uint64_t arrival_ns,
                   const std::string* name);

  /// Replaces the live file by the final one. `description`: as for open(), with what is known at the end. Error:
  /// system.
  base::Status write(RankDescription description);

 private:
  RankRecord(std::string folder, std::unique_ptr<Recorder> recorder)
      : folder_(std::move(folder)), recorder_(std::move(recorder)) {}

  const std::string folder_;
  const std::unique_ptr<Recorder> recorder_;
};

}  // namespace tutti::record
