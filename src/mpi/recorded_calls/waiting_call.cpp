#include "mpi/recorded_calls/waiting_call.hpp"

#include <map>
#include <mutex>

#include "base/clock.hpp"
#include "mpi/communicator/communicator.hpp"
#include "mpi/request/native_requests.hpp"
#include "mpi/runtime/runtime.hpp"

namespace tutti::mpi {

using record::MessageCall;

namespace {

Runtime* recording_runtime(Runtime* runtime) {
  return runtime != nullptr && runtime->record().observer() != nullptr ? runtime : nullptr;
}

}  // namespace

const std::string* kept_name(const char* name) {
  static auto& mutex = *new std::mutex;
  static auto& names = *new std::map<std::string, const std::string*, std::less<>>;
  const std::lock_guard lock(mutex);
  const auto found = names.find(std::string_view(name));
  return found != names.end() ? found->second : names.emplace(name, new std::string(name)).first->second;
}

std::optional<PendingMessage> awaited_by(Runtime& runtime, MPI_Request request) {
  return request == MPI_REQUEST_NULL ? std::nullopt : runtime.requests().native.awaited_by(request);
}

WaitingCall::WaitingCall(Runtime* runtime, MessageCall call, const std::string* name)
    : runtime_(recording_runtime(runtime)), call_(call), name_(name) {
  if (runtime_ == nullptr) return;
  tests_in_loop.end(*runtime_->record().rank_record());
  arrival_ns_ = base::monotonic_ns();
}

/// The MPI has not checked the handle yet, which may be invalid, so it is looked up among Tutti's communicators.
WaitingCall::WaitingCall(Runtime* runtime, MessageCall call, const std::string* name, MPI_Comm comm, int peer)
    : WaitingCall(runtime, call, name) {
  if (runtime_ == nullptr) return;
  const Communicator* const known = runtime_->communicators().find(comm);
  if (known != nullptr)
    open(known->counter(), peer);
  else
    open(counter_of(*runtime_, MPI_COMM_WORLD), MPI_PROC_NULL);
}

WaitingCall::WaitingCall(Runtime* runtime, const std::string* name, int count, const MPI_Request* requests)
    : WaitingCall(runtime, MessageCall::wait, name) {
  if (runtime_ == nullptr) return;
  for (int i = 0; requests != nullptr && i < count && count_ < k_most; ++i)
    if (const auto awaited = awaited_by(*runtime_, requests[i]); awaited && awaited->peer >= 0)
      open(awaited->counter, awaited->peer);
  if (count_ == 0) open(counter_of(*runtime_, MPI_COMM_WORLD), MPI_PROC_NULL);
}

void WaitingCall::open(const record::OperationCounter* counter, int peer) {
  if (runtime_ == nullptr || count_ == k_most) return;
  open_[count_++] = runtime_->record().open(call_, counter, peer, arrival_ns_, name_);
}

WaitingCall::~WaitingCall() {
  for (size_t i = 0; i < count_; ++i) runtime_->record().close(open_[i]);
}

DrivenMessage::DrivenMessage(MessageCall call, const char* name, MPI_Comm comm, int peer)
    : runtime_(recording_runtime(Runtime::get())), call_(call), name_(nullptr), comm_(comm), peer_(peer) {
  if (runtime_ == nullptr || peer == MPI_PROC_NULL) {
    runtime_ = nullptr;
    return;
  }
  name_ = kept_name(name);
  waiting_.emplace(runtime_, call, name_, comm, peer);
}

DrivenMessage::~DrivenMessage() {
  if (runtime_ == nullptr) return;
  const Communicator* const known = runtime_->communicators().find(comm_);
  runtime_->record().message(call_, known == nullptr ? nullptr : known->counter(), peer_,
                             waiting_->arrival_ns(), base::monotonic_ns() - waiting_->arrival_ns(), name_);
}

DrivenWait::DrivenWait(Runtime& runtime, const char* name, int count, const MPI_Request* requests) {
  if (recording_runtime(&runtime) != nullptr) waiting_.emplace(&runtime, kept_name(name), count, requests);
}

const record::OperationCounter* counter_for_messages(Runtime& runtime, MPI_Comm comm) {
  int is_inter = 0;
  if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS || is_inter != 0)
    return nullptr;
  return counter_of(runtime, comm);
}

}  // namespace tutti::mpi
