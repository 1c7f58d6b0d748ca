#include "mpi/lifecycle/network_probe.hpp"

#include <array>
#include <numeric>
#include <span>

#include "base/clock.hpp"
#include "engine/wait_policy.hpp"
#include "transport/mpi/mpi_endpoint.hpp"

namespace tutti::mpi {

using base::Status;

namespace {

// After this time the network counts as one that does not work. What is in flight then is cancelled and
// waited for while the ranks agree; the memory of what has not ended even then is never given back.
constexpr uint64_t k_patience_ns = 3'000'000'000;
// And so often it has been looked at: on a machine with more to do than it can, time says nothing. Otherwise that many
// looks take less than a second.
constexpr uint32_t k_least_looks = 10'000;
constexpr uint64_t k_receive = 0, k_send = 1;  // cookies
constexpr size_t k_bytes = size_t{128} << 10;

std::byte content(int rank, size_t at) {
  return static_cast<std::byte>(static_cast<size_t>(rank) * 31 + at);
}

}  // namespace

struct NetworkProbe::Buffers {
  std::array<std::byte, k_bytes> out, in;
};

NetworkProbe::NetworkProbe(transport::Network& network, MPI_Comm world, size_t count)
    : world_(world), processes_(count), buffers_(std::make_unique<Buffers>()) {
  PMPI_Comm_rank(world_, &rank_);
  std::iota(processes_.begin(), processes_.end(), 0);
  endpoint_ = network.make_endpoint(transport::Space::probe, processes_);
}

NetworkProbe::~NetworkProbe() {
  endpoint_.reset();
  // Not even destroyed at exit.
  if (in_flight_ > 0) buffers_.release();  // NOLINT(bugprone-unused-return-value)
}

Status NetworkProbe::run() {
  const auto count = static_cast<int>(processes_.size());
  const auto next = transport::Peer::rank((rank_ + 1) % count);
  const auto previous = transport::Peer::rank((rank_ + count - 1) % count);
  auto& [out, in] = *buffers_;
  for (size_t i = 0; i < out.size(); ++i) out[i] = content(rank_, i);
  Status status = endpoint_->recv(previous, 0, in, k_receive);
  if (status) ++in_flight_;
  if (status) status = endpoint_->send(next, 0, out, k_send);
  if (status) ++in_flight_;
  if (status) status = await();
  for (size_t i = 0; status && i < in.size(); ++i)
    if (in[i] != content(previous.index, i)) status = Status::internal("UCX has changed a message");
  if (transport::is_try_again(status)) status = Status::not_supported("UCX has no memory");
  if (!status) endpoint_->cancel(k_receive);
  return status;
}

bool NetworkProbe::all_agree(bool mine) {
  int is_true = mine, is_done = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (PMPI_Iallreduce(MPI_IN_PLACE, &is_true, 1, MPI_INT, MPI_LAND, world_, &request) != MPI_SUCCESS)
    return false;
  engine::Waiter waiter(engine::WaitPolicy::sleep);
  for (Status ignored;; waiter.idle()) {
    collect(&ignored);
    if (PMPI_Test(&request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS || is_done != 0) break;
  }
  return is_done != 0 && is_true != 0;
}

Status NetworkProbe::await() {
  const uint64_t deadline_ns = base::monotonic_ns() + k_patience_ns;
  engine::Waiter waiter(engine::WaitPolicy::sleep);
  Status status;
  for (uint32_t looks = 0; status && in_flight_ > 0; ++looks) {
    const size_t ended = collect(&status);
    transport::make_mpi_progress(world_, rank_);  // for ranks that still exchange addresses
    if (ended == 0) waiter.idle();
    if (in_flight_ > 0 && looks > k_least_looks && base::monotonic_ns() > deadline_ns)
      return Status::not_supported("UCX does not reach all ranks");
  }
  return status;
}

/// Returns how many transfers have ended.
size_t NetworkProbe::collect(Status* status) {
  std::array<transport::Completion, 2> done;
  const size_t ended = endpoint_->poll(done);
  for (const transport::Completion& end : std::span(done).first(ended))
    if (end.code != base::Code::ok) *status = Status::internal("UCX has lost a message");
  in_flight_ -= ended;
  return ended;
}

}  // namespace tutti::mpi
