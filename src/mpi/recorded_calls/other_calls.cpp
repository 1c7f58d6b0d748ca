#include "mpi/recorded_calls/other_calls.hpp"

#include <mutex>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "mpi/communicator/communicator.hpp"
#include "mpi/request/native_requests.hpp"
#include "mpi/runtime/runtime.hpp"

namespace tutti::mpi {

using record::MessageCall;

namespace {

/// Maps windows or files to the counter of the communicator from which they were created. There are few of them.
template <class Handle>
class Tracks {
 public:
  void set(Handle handle, const record::OperationCounter* counter) {
    const std::lock_guard lock(mutex_);
    all_[handle] = counter;
  }
  void erase(Handle handle) {
    const std::lock_guard lock(mutex_);
    all_.erase(handle);
  }
  const record::OperationCounter* find(Handle handle) {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(handle);
    return found == all_.end() ? nullptr : found->second;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<Handle, const record::OperationCounter*> all_;
};
Tracks<MPI_Win> windows;
Tracks<MPI_File> files;

/// Neighbours in the communicator whose data this rank waits for; empty: unknown.
std::vector<int> sources_of(MPI_Comm comm) {
  int kind = MPI_UNDEFINED, rank = 0;
  PMPI_Comm_rank(comm, &rank);
  if (PMPI_Topo_test(comm, &kind) != MPI_SUCCESS) return {};
  std::vector<int> sources;
  if (kind == MPI_CART) {
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    for (int i = 0; i < dimensions; ++i) {
      int below = MPI_PROC_NULL, above = MPI_PROC_NULL;
      PMPI_Cart_shift(comm, i, 1, &below, &above);
      sources.insert(sources.end(), {below, above});
    }
  } else if (kind == MPI_GRAPH) {
    int count = 0;
    PMPI_Graph_neighbors_count(comm, rank, &count);
    sources.resize(static_cast<size_t>(count));
    PMPI_Graph_neighbors(comm, rank, count, sources.data());
  } else if (kind == MPI_DIST_GRAPH) {
    int in = 0, out = 0, has_weights = 0;
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &has_weights);
    sources.resize(static_cast<size_t>(in));
    std::vector<int> weights(static_cast<size_t>(in)), others(static_cast<size_t>(out)),
        theirs(others.size());
    PMPI_Dist_graph_neighbors(comm, in, sources.data(), weights.data(), out, others.data(), theirs.data());
  }
  std::erase_if(sources, [rank](int source) { return source < 0 || source == rank; });
  return sources;
}

}  // namespace

/// The MPI has not checked the handle yet: it may be invalid.
CallObject CallObject::of_comm(MPI_Comm comm) {
  Runtime* const runtime = Runtime::get();
  const Communicator* const known = runtime == nullptr ? nullptr : runtime->communicators().find(comm);
  return known == nullptr ? CallObject() : CallObject(known->counter());
}

CallObject CallObject::of_window(MPI_Win window) {
  return CallObject(windows.find(window));
}

CallObject CallObject::of_file(MPI_File file) {
  return CallObject(files.find(file));
}

void CallObject::made_window(MPI_Win window) const {
  if (counter_ != nullptr) windows.set(window, counter_);
}

void CallObject::made_file(MPI_File file) const {
  if (counter_ != nullptr) files.set(file, counter_);
}

void CallObject::freed_window(MPI_Win window) {
  windows.erase(window);
}

void CallObject::freed_file(MPI_File file) {
  files.erase(file);
}

OtherCall::OtherCall(const std::string* name, CallObject object, int peer)
    : object_(object), name_(name), peer_(peer), waiting_(Runtime::get(), MessageCall::other, name) {
  if (object.counter() != nullptr) waiting_.open(object.counter(), peer);
}

int OtherCall::ended(int result) {
  const uint64_t inside_ns = base::monotonic_ns() - waiting_.arrival_ns();
  Runtime* const runtime = Runtime::get();
  if (runtime != nullptr && result == MPI_SUCCESS)
    runtime->record().message(MessageCall::other, object_.counter(), peer_, waiting_.arrival_ns(), inside_ns,
                              name_);
  return result;
}

int OtherCall::ended_among_neighbours(int result, MPI_Comm comm) {
  const uint64_t inside_ns = base::monotonic_ns() - waiting_.arrival_ns();
  Runtime* const runtime = Runtime::get();
  if (runtime == nullptr || result != MPI_SUCCESS || object_.counter() == nullptr) return result;
  for (const int source : sources_of(comm))
    runtime->record().message(MessageCall::other, object_.counter(), source, waiting_.arrival_ns(), inside_ns,
                              name_);
  return result;
}

int OtherCall::started(int result, const MPI_Request* request) {
  const uint64_t arrival_ns = waiting_.arrival_ns();
  Runtime* const runtime = Runtime::get();
  if (runtime != nullptr && result == MPI_SUCCESS && *request != MPI_REQUEST_NULL &&
      object_.counter() != nullptr)
    runtime->requests().native.add(*request,
                                   {.message = {.record = &runtime->record(),
                                                .counter = object_.counter(),
                                                .peer = MPI_PROC_NULL,
                                                .call = MessageCall::other}},
                                   arrival_ns);
  return result;
}

}  // namespace tutti::mpi
