#include "transport/ucx/ucx_network.hpp"

#include <poll.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "transport/ucx/ucx_endpoint.hpp"

namespace tutti::transport {

using base::Code;
using base::Result;
using base::Status;

Status ucx_error(const char* what, ucs_status_t status) {
  const Code code = status == UCS_ERR_NO_MEMORY ? Code::out_of_memory : Code::internal;
  return {code, std::string(what) + ": " + ucs_status_string(status)};
}

namespace {

// Limit while data keep arriving: one round of UCX moves a few KiB at most.
constexpr int k_most_rounds = 64;

struct ReleaseConfig {
  void operator()(ucp_config_t* config) const { ucp_config_release(config); }
};

}  // namespace

Result<std::unique_ptr<UcxNetwork>> UcxNetwork::open(const UcxOptions& options) {
  try {
    std::unique_ptr<UcxNetwork> network(new UcxNetwork);
    if (Status started = network->start(options); !started) return started;
    return network;
  } catch (const std::bad_alloc&) {
    return Status{Code::out_of_memory, "UCX: no memory for a worker"};
  }
}

Status UcxNetwork::start(const UcxOptions& options) {
  ucp_config_t* read = nullptr;
  ucs_status_t status = ucp_config_read(nullptr, nullptr, &read);
  if (status != UCS_OK) return ucx_error("UCX: its settings", status);
  const std::unique_ptr<ucp_config_t, ReleaseConfig> config(read);
  if (*options.devices != '\0') {
    status = ucp_config_modify(config.get(), "NET_DEVICES", options.devices);
    if (status != UCS_OK) return ucx_error("UCX: its network devices", status);
  }
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS;
  params.features = UCP_FEATURE_TAG | UCP_FEATURE_WAKEUP;
  params.estimated_num_eps = options.process_count;
  status = ucp_init(&params, config.get(), &context_);
  if (status != UCS_OK) return ucx_error("UCX: no context", status);
  ucp_worker_params_t worker_params{};
  worker_params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  worker_params.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  status = ucp_worker_create(context_, &worker_params, &worker_);
  if (status != UCS_OK) return ucx_error("UCX: no worker", status);
  status = ucp_worker_get_efd(worker_, &event_fd_);
  if (status != UCS_OK) return ucx_error("UCX: no events", status);
  status = ucp_worker_get_address(worker_, &address_, &address_bytes_);
  return status == UCS_OK ? Status{} : ucx_error("UCX: no address", status);
}

UcxNetwork::~UcxNetwork() {
  // Destroying the worker closes the connections. A graceful close would wait for peers that may have
  // terminated.
  if (address_ != nullptr) ucp_worker_release_address(worker_, address_);
  if (worker_ != nullptr) ucp_worker_destroy(worker_);
  if (context_ != nullptr) ucp_cleanup(context_);
}

ConstBytes UcxNetwork::address() const {
  return {reinterpret_cast<const std::byte*>(address_), address_bytes_};
}

void UcxNetwork::set_peers(int own_process, Addresses addresses) {
  own_process_ = own_process;
  addresses_ = std::move(addresses);
  peers_.assign(addresses_.count(), nullptr);
}

std::unique_ptr<Endpoint> UcxNetwork::make_endpoint(Space space, std::span<const int> process_of_rank) {
  return std::make_unique<UcxEndpoint>(*this, space, process_of_rank);
}

bool UcxNetwork::make_progress() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  return lock.owns_lock() && move_on();  // otherwise another thread makes progress
}

bool UcxNetwork::move_on() {
  int rounds = 0;
  while (rounds < k_most_rounds && ucp_worker_progress(worker_) != 0) ++rounds;
  if (rounds > 0 && is_awaited_.exchange(false)) interrupt();
  return rounds > 0;
}

bool UcxNetwork::arm() {
  const std::lock_guard lock(mutex_);
  const bool is_quiet = not_handed_over_ == 0 && ucp_worker_arm(worker_) == UCS_OK;
  is_awaited_ = is_quiet;
  return is_quiet;
}

void UcxNetwork::await_event(uint64_t timeout_ns, int file) {
  std::array<pollfd, 2> events{
      {{.fd = event_fd_, .events = POLLIN, .revents = 0}, {.fd = file, .events = POLLIN, .revents = 0}}};
  const timespec timeout{.tv_sec = static_cast<time_t>(timeout_ns / 1'000'000'000),
                         .tv_nsec = static_cast<long>(timeout_ns % 1'000'000'000)};
  ppoll(events.data(), events.size(), &timeout, nullptr);
  is_awaited_ = false;
}

void UcxNetwork::interrupt() {
  ucp_worker_signal(worker_);
}

ucs_status_t UcxNetwork::connect(int process, ucp_ep_h* peer) {
  const auto index = static_cast<size_t>(process);
  ucp_ep_h& known = peers_[index];
  if (known == nullptr) {
    ucp_ep_params_t params{};
    params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    params.address = reinterpret_cast<const ucp_address_t*>(addresses_.of(index).data());
    // Without UCX's peer error handling: a broken connection ends its requests anyway, and UCX does less work
    // per message.
    if (const ucs_status_t status = ucp_ep_create(worker_, &params, &known); status != UCS_OK) {
      known = nullptr;
      return status;
    }
  }
  *peer = known;
  return UCS_OK;
}

UcxNetwork::Transfer* UcxNetwork::take_transfer() {
  if (free_transfers_.empty()) {
    try {
      if (free_transfers_.capacity() <= transfers_.size())
        free_transfers_.reserve(std::max<size_t>(16, 2 * transfers_.size()));
      return &transfers_.emplace_back();
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }
  Transfer* const transfer = free_transfers_.back();
  free_transfers_.pop_back();
  return transfer;
}

void UcxNetwork::give_back(Transfer* transfer) {
  *transfer = {};
  free_transfers_.push_back(transfer);
}

void UcxNetwork::disown(const UcxEndpoint* owner) {
  for (Transfer& transfer : transfers_) {
    if (transfer.owner != owner) continue;
    transfer.owner = nullptr;
    if (transfer.request != nullptr) ucp_request_cancel(worker_, transfer.request);
  }
}

}  // namespace tutti::transport
