#include "mpi/api/requests.hpp"

#include <utility>

#include "mpi/api/error.hpp"
#include "mpi/api/errors_return_guard.hpp"
#include "mpi/api/openmp_core_lending.hpp"
#include "mpi/runtime/runtime.hpp"
#include "tutti/tutti.h"

namespace tutti::mpi::api {

namespace {

constexpr int k_index_bits = 32;

int of_mpi(const char* what, int code) {
  return code == MPI_SUCCESS ? TUTTI_SUCCESS : fail_of_mpi(what, code);
}

}  // namespace

ApiRequest::~ApiRequest() {
  if (served_ != nullptr) served_->release_hold();
  if (native_ != MPI_REQUEST_NULL) PMPI_Request_free(&native_);
}

int ApiRequest::start_native() {
  if (!begin_) return PMPI_Start(&native_);
  const ErrorsReturnGuard quiet(comm_);
  return begin_(&native_);
}

int ApiRequest::start() {
  if (is_active_.exchange(true, std::memory_order_acq_rel))
    return fail(TUTTI_ERR_ACTIVE, "start: the request has been started and not yet been waited for");
  if (lends_core_) lend_core();
  const int code = served_ != nullptr ? served_->restart() : start_native();
  if (code == MPI_SUCCESS) return TUTTI_SUCCESS;
  if (lends_core_) return_core();
  is_active_.store(false, std::memory_order_release);
  return fail_of_mpi("start", code);
}

ProgressEngine& ApiRequest::progress() {
  return served_->call().communicator().runtime().progress();
}

int ApiRequest::end_served() {
  served_->waited();
  if (lends_core_) return_core();
  is_active_.store(false, std::memory_order_release);
  return of_mpi("the collective", served_->call().result());
}

int ApiRequest::wait() {
  if (!is_active()) return fail(TUTTI_ERR_INACTIVE, "wait: the request has not been started");
  if (served_ != nullptr) {
    served_->note_wait();
    progress().await(served_->end());
    return end_served();
  }
  const int code = MPI_Wait(&native_, MPI_STATUS_IGNORE);
  is_active_.store(false, std::memory_order_release);
  return of_mpi("wait", code);
}

int ApiRequest::test(bool* is_done) {
  if (!is_active()) return fail(TUTTI_ERR_INACTIVE, "test: the request has not been started");
  if (served_ != nullptr) {
    progress().drive();
    *is_done = served_->end().is_set();
    // Makes progress for the MPI, as MPI_Test does: a peer may need it for other operations before it joins.
    if (!*is_done) progress().make_mpi_progress();
    return *is_done ? end_served() : TUTTI_SUCCESS;
  }
  int flag = 0;
  const int code = MPI_Test(&native_, &flag, MPI_STATUS_IGNORE);
  *is_done = flag != 0 || code != MPI_SUCCESS;
  if (*is_done) is_active_.store(false, std::memory_order_release);
  return of_mpi("test", code);
}

ApiRequests::Slot* ApiRequests::slot_of(int64_t number) {
  const auto index = static_cast<uint64_t>(number) & UINT32_MAX;  // starts at 1, so no request is 0
  const auto generation = static_cast<uint64_t>(number) >> k_index_bits;
  if (index == 0 || index > slots_.size()) return nullptr;
  Slot& slot = slots_[index - 1];
  return slot.request != nullptr && slot.generation == generation ? &slot : nullptr;
}

int64_t ApiRequests::insert(std::shared_ptr<ApiRequest> request) {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    slots_.emplace_back();
    free_.push_back(static_cast<uint32_t>(slots_.size()));
  }
  const uint32_t index = free_.back();
  free_.pop_back();
  Slot& slot = slots_[index - 1];
  slot.request = std::move(request);
  return static_cast<int64_t>(static_cast<uint64_t>(slot.generation) << k_index_bits | index);
}

std::shared_ptr<ApiRequest> ApiRequests::find(int64_t number) {
  const std::lock_guard lock(mutex_);
  Slot* const slot = slot_of(number);
  return slot != nullptr ? slot->request : nullptr;
}

void ApiRequests::erase(int64_t number) {
  std::shared_ptr<ApiRequest> freed;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  Slot* const slot = slot_of(number);
  if (slot == nullptr) return;
  freed = std::move(slot->request);
  slot->request = nullptr;
  ++slot->generation;
  free_.push_back(static_cast<uint32_t>(static_cast<uint64_t>(number) & UINT32_MAX));
}

int ApiRequests::active_count() {
  const std::lock_guard lock(mutex_);
  int count = 0;
  for (const Slot& slot : slots_) count += slot.request != nullptr && slot.request->is_active();
  return count;
}

void ApiRequests::clear() {
  const std::lock_guard lock(mutex_);
  for (uint32_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].request == nullptr) continue;
    slots_[i].request = nullptr;
    ++slots_[i].generation;
    free_.push_back(i + 1);
  }
}

ApiRequests& requests() {
  static auto* const all = new ApiRequests;  // outlives the exit handlers
  return *all;
}

void keep_for(int64_t request, std::vector<MPI_Datatype>&& types) {
  if (const auto found = requests().find(request)) found->keep(std::move(types));
}

}  // namespace tutti::mpi::api
