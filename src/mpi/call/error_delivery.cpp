#include "mpi/call/error_delivery.hpp"

#include <algorithm>
#include <utility>

#include "base/per_thread.hpp"
#include "mpi/communicator/communicator.hpp"
#include "mpi/request/pending_requests.hpp"

namespace tutti::mpi {

namespace {

thread_local ErrorDelivery* innermost = nullptr;

/// Memory of the thread, so that calls need not allocate.
struct SpareRequests {
  std::vector<MPI_Request> requests;
};
std::vector<MPI_Request>& spare() {
  return base::PerThread<SpareRequests>::get().requests;
}

/// Runs the error handler. Returns the return value of the call.
int raise_as(const Failure& failure, int code) {
  ErrorDelivery::raise({.communicator = failure.communicator, .code = code});
  return code;
}

}  // namespace

void ErrorDelivery::raise(const Failure& failure) {
  if (failure.communicator == nullptr) return;
  // If the program has freed the communicator meanwhile, MPI_COMM_SELF gets the error, as for all errors without one.
  const Communicator& communicator = *failure.communicator;
  PMPI_Comm_call_errhandler(communicator.is_freed() ? MPI_COMM_SELF : communicator.handle(), failure.code);
}

ErrorDelivery::ErrorDelivery(PendingRequests* pending, int count, const MPI_Request* requests) {
  if (pending == nullptr || pending->is_empty() || requests == nullptr) return;
  pending_ = pending;
  requests_.swap(spare());
  requests_.assign(requests, requests + std::max(count, 0));
  outer_ = std::exchange(innermost, this);
}

ErrorDelivery::~ErrorDelivery() {
  if (pending_ == nullptr) return;
  innermost = outer_;
  requests_.swap(spare());
}

bool ErrorDelivery::takes(MPI_Request request, const Failure& failure) {
  if (innermost == nullptr) return false;
  innermost->failed_.push_back({request, failure});
  return true;
}

std::optional<Failure> ErrorDelivery::take_failure(size_t index) {
  MPI_Request request = requests_[index];
  const auto found = std::ranges::find(failed_, request, &Failed::request);
  if (found == failed_.end()) return pending_->take_failure(request);
  const Failure failure = found->failure;
  failed_.erase(found);
  return failure;
}

int ErrorDelivery::one(int result, int index) {
  if (pending_ == nullptr || result != MPI_SUCCESS || index < 0) return result;
  const std::optional<Failure> failure = take_failure(static_cast<size_t>(index));
  return failure ? raise_as(*failure, failure->code) : result;
}

int ErrorDelivery::all(int result, MPI_Status* statuses) {
  return raise_all(
      result, requests_.size(), [](size_t i) { return i; }, statuses);
}

int ErrorDelivery::some(int result, std::span<const int> indices, MPI_Status* statuses) {
  return raise_all(
      result, indices.size(), [&](size_t i) { return static_cast<size_t>(indices[i]); }, statuses);
}

template <class IndexOf>
int ErrorDelivery::raise_all(int result, size_t count, IndexOf index_of, MPI_Status* statuses) {
  const bool has_statuses = statuses != MPI_STATUSES_IGNORE;
  std::optional<Failure> first;
  for (size_t i = 0; pending_ != nullptr && i < count; ++i) {
    const std::optional<Failure> failure = take_failure(index_of(i));
    if (!failure) continue;
    // The native call sets this member only if its result is MPI_ERR_IN_STATUS.
    if (!first && has_statuses && result == MPI_SUCCESS)
      for (MPI_Status& status : std::span(statuses, count)) status.MPI_ERROR = MPI_SUCCESS;
    if (has_statuses) statuses[i].MPI_ERROR = failure->code;
    if (!first) first = failure;
  }
  return first && result == MPI_SUCCESS ? raise_as(*first, MPI_ERR_IN_STATUS) : result;
}

}  // namespace tutti::mpi
