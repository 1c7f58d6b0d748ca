#include "transport/ucx/ucx_endpoint.hpp"

#include <algorithm>
#include <new>

#include "base/clock.hpp"

namespace tutti::transport {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr ucp_tag_t k_whole_tag = ~ucp_tag_t{0};
// An unreachable peer has usually terminated. Then the launcher ends the whole job and reports why; an error
// from here would hide its message. After this time the network itself must have failed. UCX no longer
// accesses the buffers of these transfers, so the delay is safe.
constexpr uint64_t k_patience_with_launcher_ns = 2'000'000'000;

ucp_tag_t tag_of(Space space, int sender, Tag tag) {
  return static_cast<ucp_tag_t>(space) << 62 | static_cast<ucp_tag_t>(sender) << 32 | tag;
}

ucp_request_param_t parameters(void* transfer) {
  ucp_request_param_t params{};
  params.op_attr_mask =
      UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMORY_TYPE;
  params.user_data = transfer;
  params.memory_type = UCS_MEMORY_TYPE_HOST;
  return params;
}

}  // namespace

UcxEndpoint::~UcxEndpoint() {
  const std::lock_guard lock(network_.mutex_);
  if (in_flight_ > 0) network_.disown(this);
  network_.not_handed_over_ -= ended_.size() - handed_over_;
}

Result<UcxEndpoint::Transfer*> UcxEndpoint::prepare(uint64_t cookie) {
  try {  // before the transfer starts: after that, nothing may fail
    if (const size_t most = ended_.size() + in_flight_ + 1; ended_.capacity() < most) {
      lost_.reserve(std::max<size_t>(16, 2 * most));
      ended_.reserve(lost_.capacity());
    }
  } catch (const std::bad_alloc&) {
    return try_again();  // an error would end the operation on this rank only
  }
  Transfer* const transfer = network_.take_transfer();
  if (transfer == nullptr) return try_again();
  *transfer = {.network = &network_, .owner = this, .cookie = cookie};
  ++in_flight_;
  return transfer;
}

Status UcxEndpoint::started(Transfer* transfer, ucs_status_ptr_t request) {
  if (UCS_PTR_IS_PTR(request)) {
    transfer->request = request;
    transfer->state = Transfer::State::running;
    return {};
  }
  const ucs_status_t status = UCS_PTR_STATUS(request);
  if (status != UCS_ERR_NO_MEMORY) {
    end(transfer, status);
    return {};
  }
  --in_flight_;
  network_.give_back(transfer);
  return try_again();
}

Status UcxEndpoint::send(Peer to, Tag tag, ConstBytes data, uint64_t cookie) {
  const Result<int> process = find_rank("UCX", to, process_of_rank_);
  if (!process) return process.status();
  const std::lock_guard lock(network_.mutex_);
  const Result<Transfer*> transfer = prepare(cookie);
  if (!transfer) return transfer.status();
  ucp_ep_h peer = nullptr;
  if (const ucs_status_t status = network_.connect(*process, &peer); status != UCS_OK)
    return started(*transfer, UCS_STATUS_PTR(status));
  ucp_request_param_t params = parameters(*transfer);
  params.cb.send = on_sent;
  return started(*transfer, ucp_tag_send_nbx(peer, data.data(), data.size(),
                                             tag_of(space_, network_.own_process_, tag), &params));
}

Status UcxEndpoint::recv(Peer from, Tag tag, Bytes data, uint64_t cookie) {
  const Result<int> process = find_rank("UCX", from, process_of_rank_);
  if (!process) return process.status();
  const std::lock_guard lock(network_.mutex_);
  const Result<Transfer*> transfer = prepare(cookie);
  if (!transfer) return transfer.status();
  ucp_request_param_t params = parameters(*transfer);
  // Only the callback receives the length of the message.
  params.op_attr_mask |= UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
  params.cb.recv = on_received;
  (*transfer)->is_receive = true;
  (*transfer)->length = data.size();
  void* const request = ucp_tag_recv_nbx(network_.worker_, data.data(), data.size(),
                                         tag_of(space_, *process, tag), k_whole_tag, &params);
  const bool has_ended = (*transfer)->state == Transfer::State::ended;
  return started(*transfer, has_ended ? UCS_STATUS_PTR((*transfer)->status) : request);
}

void UcxEndpoint::on_sent(void* request, ucs_status_t status, void* transfer) {
  ucp_request_free(request);
  end(static_cast<Transfer*>(transfer), status);
}

/// UCX itself reports only messages that are too long.
void UcxEndpoint::on_received(void* request, ucs_status_t status, const ucp_tag_recv_info_t* info,
                              void* transfer) {
  ucp_request_free(request);
  auto* const mine = static_cast<Transfer*>(transfer);
  if (status == UCS_OK && info->length != mine->length) status = UCS_ERR_MESSAGE_TRUNCATED;
  if (mine->state == Transfer::State::running) return end(mine, status);
  mine->state = Transfer::State::ended;
  mine->status = status;
}

void UcxEndpoint::end(Transfer* transfer, ucs_status_t status) {
  if (UcxEndpoint* const owner = transfer->owner) owner->end_own(*transfer, status);
  transfer->network->give_back(transfer);
}

void UcxEndpoint::end_own(const Transfer& transfer, ucs_status_t status) {
  const bool was_cancelled = transfer.is_cancelled && status == UCS_ERR_CANCELED;
  if (status != UCS_OK && status != UCS_ERR_MESSAGE_TRUNCATED && !was_cancelled) {
    if (lost_.empty()) lost_since_ns_ = base::monotonic_ns();
    lost_.push_back(transfer.cookie);
    return;
  }
  --in_flight_;
  ++network_.not_handed_over_;
  if (was_cancelled)
    ended_.push_back(cancelled(transfer.cookie));
  else
    ended_.push_back(
        {.cookie = transfer.cookie, .code = status == UCS_OK ? Code::ok : Code::invalid_argument});
}

void UcxEndpoint::cancel(uint64_t cookie) {
  const std::lock_guard lock(network_.mutex_);
  const auto found = std::ranges::find_if(network_.transfers_, [&](const Transfer& transfer) {
    return transfer.owner == this && transfer.cookie == cookie;
  });
  if (found == network_.transfers_.end() || !found->is_receive || found->is_cancelled) return;
  found->is_cancelled = true;
  ucp_request_cancel(network_.worker_, found->request);  // may call the callback before it returns
}

void UcxEndpoint::report_lost() {
  if (lost_.empty() || base::monotonic_ns() - lost_since_ns_ < k_patience_with_launcher_ns) return;
  for (const uint64_t cookie : lost_) ended_.push_back({.cookie = cookie, .code = Code::internal});
  in_flight_ -= lost_.size();
  network_.not_handed_over_ += lost_.size();
  lost_.clear();
}

size_t UcxEndpoint::poll(std::span<Completion> done) {
  const std::unique_lock lock(network_.mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return 0;  // another thread makes progress for all endpoints
  if (handed_over_ == ended_.size()) {
    ended_.clear();
    handed_over_ = 0;
  }
  network_.move_on();
  report_lost();
  size_t count = 0;
  while (count < done.size() && handed_over_ < ended_.size()) done[count++] = ended_[handed_over_++];
  network_.not_handed_over_ -= count;
  return count;
}

}  // namespace tutti::transport
