#pragma once
// Records the time that a rank waits in a call of the program (TUTTI_RECORD).

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "record/recorder.hpp"

namespace tutti::actors {

class Communicator;
class Rank;
class Request;

/// One call; does nothing if the run is not recorded. Used by the rank's thread.
class RecordedWait {
 public:
  /// `name`: of the MPI function; lives as long as the process.
  RecordedWait(Rank& me, record::MessageCall call, const std::string& name);
  /// The call has ended.
  ~RecordedWait();
  RecordedWait(const RecordedWait&) = delete;
  RecordedWait& operator=(const RecordedWait&) = delete;

  /// The call waits for `peer`, a rank of the communicator; MPI_ANY_SOURCE: for any; MPI_PROC_NULL: it does not wait.
  void begin(Communicator& on, int peer);
  /// The call waits for the request.
  void begin(const Request& request);
  /// What the call waited for has come, from `peer`.
  void end(Communicator& on, int peer);
  /// The request is done.
  void end(const Request& request);
  /// Time of the call; 0: the run is not recorded.
  uint64_t arrival_ns() const { return arrival_ns_; }

 private:
  static constexpr size_t k_most = 8;  // peers that are recorded while the call waits

  Rank& me_;
  const record::MessageCall call_;
  const std::string& name_;
  uint64_t arrival_ns_ = 0;
  std::array<size_t, k_most> open_{};
  size_t count_ = 0;
};

/// A call that tests; a loop of them is recorded as a wait (record/tests_in_loop.hpp).
class RecordedTest {
 public:
  /// `name`: as above.
  RecordedTest(Rank& me, const std::string& name);
  /// The test has failed: a message of `peer`, or what the requests wait for, has not come. nullptr is left out.
  void failed(Communicator& on, int peer);
  void failed(std::span<Request* const> requests);
  /// The test has succeeded.
  void succeeded();

 private:
  template <class AddAwaited>
  void failed(AddAwaited add_awaited);

  Rank& me_;
  const std::string& name_;
  uint64_t began_ns_ = 0;  // 0: the run is not recorded
};

}  // namespace tutti::actors
