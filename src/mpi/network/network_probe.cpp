#include "mpi/network/network_probe.hpp"

#include <array>
#include <numeric>
#include <span>

#include "base/clock.hpp"
#include "engine/wait_policy.hpp"
#include "transport/mpi/mpi_endpoint.hpp"

namespace tutti::mpi {

using base::Status;

namespace {

// In each round all ranks poll for k_round_ns and then exchange their states; after k_rounds the network counts as
// broken. Time alone is no criterion on an overloaded machine, so every rank also polls at least k_least_looks times in
// each round. Transfers that are in flight at the end are cancelled; the memory of those that do not end even then is
// never freed.
constexpr int k_rounds = 10;
constexpr uint64_t k_round_ns = 300'000'000;
constexpr uint32_t k_least_looks = 1'000;
constexpr size_t k_bytes = size_t{128} << 10;
// Size of the messages to all: more than fits into a shared-memory queue itself, so that each side maps the memory of
// the other.
constexpr size_t k_short_bytes = size_t{1} << 10;
constexpr transport::Tag k_long = 0, k_short = 1;
// Cookies of the long messages, and of the short ones; short receives add the rank to k_receive_short.
constexpr uint64_t k_receive = 0, k_send = 1, k_send_short = 2;
constexpr uint64_t k_receive_short = uint64_t{1} << 32;

std::byte content(int rank, size_t at) {
  return static_cast<std::byte>(static_cast<size_t>(rank) * 31 + at);
}

}  // namespace

struct NetworkProbe::Buffers {
  std::array<std::byte, k_bytes> out, in;
  std::vector<std::byte> shorts_in;  // by rank
};

NetworkProbe::NetworkProbe(transport::Network& network, MPI_Comm world, size_t count)
    : world_(world), processes_(count), buffers_(std::make_unique<Buffers>()) {
  PMPI_Comm_rank(world_, &rank_);
  std::iota(processes_.begin(), processes_.end(), 0);
  endpoint_ = network.make_endpoint(transport::Space::probe, processes_);
}

NetworkProbe::~NetworkProbe() {
  endpoint_.reset();
  // Never destroyed, not even at exit.
  if (in_flight_ > 0) buffers_.release();  // NOLINT(bugprone-unused-return-value)
}

Status NetworkProbe::run() {
  status_ = post();
  State worst = State::waiting;
  for (int round = 0; worst == State::waiting && round < k_rounds; ++round) {
    look();
    if (state() == State::reached && !is_intact()) status_ = Status::internal("UCX has changed a message");
    worst = worst_of_all(state());
  }
  if (worst == State::reached) return {};
  Status mine = status_;  // read before cancelled transfers end with errors
  for (const int process : processes_)
    if (process != rank_) endpoint_->cancel(k_receive_short + static_cast<size_t>(process));
  endpoint_->cancel(k_receive);
  worst_of_all(State::failed);  // gives the transfers time to end
  if (!mine) return mine;
  return Status::not_supported(worst == State::failed ? "another rank has no UCX network"
                                                      : "UCX does not reach all ranks");
}

Status NetworkProbe::post() {
  const auto count = static_cast<int>(processes_.size());
  auto& [out, in, shorts_in] = *buffers_;
  for (size_t i = 0; i < out.size(); ++i) out[i] = content(rank_, i);
  Status status = endpoint_->recv(transport::Peer::rank((rank_ + count - 1) % count), k_long, in, k_receive);
  if (status) ++in_flight_;
  if (status) status = endpoint_->send(transport::Peer::rank((rank_ + 1) % count), k_long, out, k_send);
  if (status) ++in_flight_;
  if (status) status = post_to_all();
  return transport::is_try_again(status) ? Status::not_supported("UCX has no memory") : status;
}

/// Rank r begins with rank r + 1, so that no rank has to answer all others at the same time.
Status NetworkProbe::post_to_all() {
  const auto count = static_cast<int>(processes_.size());
  auto& [out, in, shorts_in] = *buffers_;
  shorts_in.resize(processes_.size() * k_short_bytes);
  for (int distance = 1; distance < count; ++distance) {
    const int to = (rank_ + distance) % count, from = (rank_ + count - distance) % count;
    const transport::Bytes place =
        std::span(shorts_in).subspan(static_cast<size_t>(from) * k_short_bytes, k_short_bytes);
    Status status = endpoint_->recv(transport::Peer::rank(from), k_short, place,
                                    k_receive_short + static_cast<size_t>(from));
    if (status) ++in_flight_;
    if (status)
      status = endpoint_->send(transport::Peer::rank(to), k_short, std::span(out).first(k_short_bytes),
                               k_send_short);
    if (!status) return status;
    ++in_flight_;
    collect();
  }
  return {};
}

/// Polls until all messages have been sent and received, for one round at most.
void NetworkProbe::look() {
  const uint64_t deadline_ns = base::monotonic_ns() + k_round_ns;
  engine::Waiter waiter(engine::WaitPolicy::sleep);
  for (uint32_t looks = 0; state() == State::waiting; ++looks) {
    if (looks > k_least_looks && base::monotonic_ns() > deadline_ns) return;
    if (collect() == 0) waiter.idle();
    transport::make_mpi_progress(world_, rank_);  // for ranks that still exchange addresses
  }
}

NetworkProbe::State NetworkProbe::state() const {
  if (!status_) return State::failed;
  return in_flight_ > 0 ? State::waiting : State::reached;
}

/// Collective. Transfers make progress meanwhile, because other ranks may need this one.
NetworkProbe::State NetworkProbe::worst_of_all(State mine) {
  int worst = static_cast<int>(mine), is_done = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (PMPI_Iallreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, world_, &request) != MPI_SUCCESS)
    return State::failed;
  engine::Waiter waiter(engine::WaitPolicy::sleep);
  for (;; waiter.idle()) {
    collect();
    if (PMPI_Test(&request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return State::failed;
    if (is_done != 0) return static_cast<State>(worst);
  }
}

/// Returns the number of transfers that have ended.
size_t NetworkProbe::collect() {
  std::array<transport::Completion, 16> done;
  const size_t ended = endpoint_->poll(done);
  in_flight_ -= ended;
  for (const transport::Completion& end : std::span(done).first(ended))
    if (end.code != base::Code::ok && status_) status_ = Status::internal("UCX has lost a message");
  return ended;
}

bool NetworkProbe::is_intact() const {
  const auto count = static_cast<int>(processes_.size());
  for (size_t i = 0; i < k_bytes; ++i)
    if (buffers_->in[i] != content((rank_ + count - 1) % count, i)) return false;
  for (int from = 0; from < count; ++from)
    for (size_t i = 0; from != rank_ && i < k_short_bytes; ++i)
      if (buffers_->shorts_in[static_cast<size_t>(from) * k_short_bytes + i] != content(from, i))
        return false;
  return true;
}

}  // namespace tutti::mpi
