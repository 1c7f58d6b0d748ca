#pragma once
// The requests of the C API, by the program's numbers for them.

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "mpi/call/persistent_call.hpp"

namespace tutti::mpi::api {

/// A persistent collective that Tutti serves, or one of the MPI. The thread that starts it need not be the one that
/// waits. Results are codes of the C API.
class ApiRequest {
 public:
  /// Takes over the caller's hold.
  ApiRequest(PersistentCall* served, bool lends_core) : served_(served), lends_core_(lends_core) {}
  explicit ApiRequest(MPI_Request native) : native_(native) {}
  /// `begin` starts a nonblocking collective of the MPI on `comm`.
  ApiRequest(MPI_Comm comm, std::function<int(MPI_Request*)> begin) : comm_(comm), begin_(std::move(begin)) {}
  /// Frees an inactive request.
  ~ApiRequest();
  ApiRequest(const ApiRequest&) = delete;
  ApiRequest& operator=(const ApiRequest&) = delete;

  bool is_active() const { return is_active_.load(std::memory_order_acquire); }
  int start();
  int wait();
  int test(bool* is_done);
  /// Keeps lists that the MPI may read until the request is freed.
  void keep(std::vector<MPI_Datatype>&& types) { kept_.push_back(std::move(types)); }

 private:
  ProgressEngine& progress();
  int start_native();
  int end_served();

  PersistentCall* served_ = nullptr;
  MPI_Request native_ = MPI_REQUEST_NULL;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::function<int(MPI_Request*)> begin_;
  bool lends_core_ = false;
  std::atomic<bool> is_active_{false};
  std::vector<std::vector<MPI_Datatype>> kept_;
};

/// Maps numbers to requests. Detects numbers of freed requests. Any thread.
class ApiRequests {
 public:
  int64_t insert(std::shared_ptr<ApiRequest> request);
  /// nullptr: not a request.
  std::shared_ptr<ApiRequest> find(int64_t number);
  void erase(int64_t number);
  int active_count();
  /// Erases all requests.
  void clear();

 private:
  struct Slot {
    uint32_t generation = 0;
    std::shared_ptr<ApiRequest> request;
  };
  Slot* slot_of(int64_t number);

  std::mutex mutex_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
};

ApiRequests& requests();

/// Keeps a converted list as long as the request, if the number is valid.
void keep_for(int64_t request, std::vector<MPI_Datatype>&& types);

}  // namespace tutti::mpi::api
