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

constexpr uint64_t k_patience_ns = 3'000'000'000;
constexpr size_t k_bytes = size_t{128} << 10;

std::byte content(int rank, size_t at) {
  return static_cast<std::byte>(static_cast<size_t>(rank) * 31 + at);
}

}  // namespace

NetworkProbe::NetworkProbe(transport::Network& network, MPI_Comm world, size_t count)
    : world_(world), processes_(count), out_(k_bytes), in_(k_bytes) {
  PMPI_Comm_rank(world_, &rank_);
  std::iota(processes_.begin(), processes_.end(), 0);
  endpoint_ = network.make_endpoint(transport::Space::probe, processes_);
}

Status NetworkProbe::run() {
  const auto count = static_cast<int>(processes_.size());
  const auto next = transport::Peer::rank((rank_ + 1) % count);
  const auto previous = transport::Peer::rank((rank_ + count - 1) % count);
  for (size_t i = 0; i < out_.size(); ++i) out_[i] = content(rank_, i);
  deadline_ns_ = base::monotonic_ns() + k_patience_ns;
  Status status = endpoint_->recv(previous, 0, in_, 0);
  if (status) status = endpoint_->send(next, 0, out_, 1);
  if (status) status = await(2);
  for (size_t i = 0; status && i < in_.size(); ++i)
    if (in_[i] != content(previous.index, i)) return Status::internal("UCX has changed a message");
  return status;
}

bool NetworkProbe::all_agree(bool mine) {
  int is_true = mine, is_done = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (PMPI_Iallreduce(MPI_IN_PLACE, &is_true, 1, MPI_INT, MPI_LAND, world_, &request) != MPI_SUCCESS)
    return false;
  engine::Waiter waiter(engine::WaitPolicy::sleep);
  while (PMPI_Test(&request, &is_done, MPI_STATUS_IGNORE) == MPI_SUCCESS && is_done == 0) {
    endpoint_->poll({});
    waiter.idle();
  }
  return is_done != 0 && is_true != 0;
}

Status NetworkProbe::await(size_t count) {
  engine::Waiter waiter(engine::WaitPolicy::sleep);
  std::array<transport::Completion, 2> done;
  while (count > 0) {
    const size_t ended = endpoint_->poll(done);
    for (const transport::Completion& end : std::span(done).first(ended))
      if (end.code != base::Code::ok) return Status::internal("UCX has lost a message");
    count -= ended;
    transport::make_mpi_progress(world_, rank_);  // for ranks that still exchange addresses
    if (ended == 0) waiter.idle();
    if (base::monotonic_ns() > deadline_ns_) return Status::not_supported("UCX does not reach all ranks");
  }
  return {};
}

}  // namespace tutti::mpi
