#include <ucp/api/ucp.h>

#include <array>

#include "bench/ucx_worker/exchange.hpp"

namespace tutti::bench {

namespace {

constexpr ucp_tag_t k_tag = 1;
constexpr ucp_tag_t k_whole_tag = ~ucp_tag_t{0};

class UcxExchange final : public Exchange {
 public:
  explicit UcxExchange(Messages& messages) : messages_(messages) {}
  ~UcxExchange() override;
  UcxExchange(const UcxExchange&) = delete;
  UcxExchange& operator=(const UcxExchange&) = delete;

  bool connect(int peer, MPI_Comm comm);
  void start() override;
  bool is_done() override;

 private:
  bool open();
  bool await(void* request);

  Messages& messages_;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_ep_h peer_ = nullptr;
  std::array<void*, 2> requests_{};  // nullptr: done
};

bool UcxExchange::open() {
  ucp_config_t* config = nullptr;
  if (ucp_config_read(nullptr, nullptr, &config) != UCS_OK) return false;
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES;
  params.features = UCP_FEATURE_TAG;
  const ucs_status_t status = ucp_init(&params, config, &context_);
  ucp_config_release(config);
  if (status != UCS_OK) return false;
  ucp_worker_params_t worker_params{};
  worker_params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  worker_params.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  return ucp_worker_create(context_, &worker_params, &worker_) == UCS_OK;
}

bool UcxExchange::connect(int peer, MPI_Comm comm) {
  ucp_address_t* mine = nullptr;
  size_t my_length = 0, length = 0;
  if (!open() || ucp_worker_get_address(worker_, &mine, &my_length) != UCS_OK) return false;
  MPI_Sendrecv(&my_length, sizeof my_length, MPI_BYTE, peer, 0, &length, sizeof length, MPI_BYTE, peer, 0,
               comm, MPI_STATUS_IGNORE);
  std::vector<std::byte> address(length);
  MPI_Sendrecv(mine, static_cast<int>(my_length), MPI_BYTE, peer, 0, address.data(), static_cast<int>(length),
               MPI_BYTE, peer, 0, comm, MPI_STATUS_IGNORE);
  ucp_worker_release_address(worker_, mine);
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
  params.address = reinterpret_cast<const ucp_address_t*>(address.data());
  return ucp_ep_create(worker_, &params, &peer_) == UCS_OK;
}

UcxExchange::~UcxExchange() {
  if (peer_ != nullptr) {
    ucp_request_param_t params{};
    void* const closing = ucp_ep_close_nbx(peer_, &params);
    while (UCS_PTR_IS_PTR(closing) && await(closing)) ucp_worker_progress(worker_);
    if (UCS_PTR_IS_PTR(closing)) ucp_request_free(closing);
  }
  if (worker_ != nullptr) ucp_worker_destroy(worker_);
  if (context_ != nullptr) ucp_cleanup(context_);
}

/// True while it is under way.
bool UcxExchange::await(void* request) {
  return ucp_request_check_status(request) == UCS_INPROGRESS;
}

void UcxExchange::start() {
  const ucp_request_param_t params{};
  requests_ = {
      ucp_tag_recv_nbx(worker_, messages_.in.data(), messages_.in.size(), k_tag, k_whole_tag, &params),
      ucp_tag_send_nbx(peer_, messages_.out.data(), messages_.out.size(), k_tag, &params)};
}

bool UcxExchange::is_done() {
  ucp_worker_progress(worker_);
  bool is_all = true;
  for (void*& request : requests_) {
    if (!UCS_PTR_IS_PTR(request)) continue;
    if (await(request)) {
      is_all = false;
      continue;
    }
    ucp_request_free(request);
    request = nullptr;
  }
  return is_all;
}

}  // namespace

std::unique_ptr<Exchange> make_ucx_exchange(Messages& messages, int peer, MPI_Comm comm) {
  auto exchange = std::make_unique<UcxExchange>(messages);
  if (!exchange->connect(peer, comm)) return nullptr;
  return exchange;
}

}  // namespace tutti::bench
