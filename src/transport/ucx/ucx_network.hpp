#pragma once
// A UCX worker of Tutti: its messages share neither lock nor connection with the program's MPI (measurements:
// docs/results/notes/own-messages.md; paper 001, section 3.2).

#include <ucp/api/ucp.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "transport/network.hpp"
#include "transport/ucx/plugin.hpp"

namespace tutti::transport {

class UcxEndpoint;

/// Converts a UCX error: out_of_memory or internal, with UCX's error text.
base::Status ucx_error(const char* what, ucs_status_t status);

/// Holds one lock during every UCX call. Connects to a peer when the first message is sent to it.
class UcxNetwork final : public Network {
 public:
  /// See OpenUcxNetwork.
  static base::Result<std::unique_ptr<UcxNetwork>> open(const UcxOptions& options);
  /// All transfers must have ended on all processes; otherwise peers lose data in flight.
  ~UcxNetwork() override;
  UcxNetwork(const UcxNetwork&) = delete;
  UcxNetwork& operator=(const UcxNetwork&) = delete;

  std::string_view name() const override { return "UCX"; }
  ConstBytes address() const override;
  void set_peers(int own_process, Addresses addresses) override;
  std::unique_ptr<Endpoint> make_endpoint(Space space, std::span<const int> process_of_rank) override;
  bool make_progress() override;
  bool has_events() const override { return true; }
  bool arm() override;
  void await_event(uint64_t timeout_ns, int file = k_no_file) override;
  void interrupt() override;

 private:
  friend class UcxEndpoint;

  /// The user data of a UCX request, which UCX passes back when the transfer ends.
  struct Transfer {
    UcxNetwork* network = nullptr;
    UcxEndpoint* owner = nullptr;  // nullptr: destroyed
    uint64_t cookie = 0;
    void* request = nullptr;  // the UCX request
    bool is_receive = false;
    bool is_cancelled = false;
    size_t length = 0;  // of the expected message
    /// Its callback may run before the call that starts it returns; that call then returns a freed request.
    enum class State : uint8_t { starting, ended, running } state = State::starting;
    ucs_status_t status = UCS_OK;  // valid in state ended
  };

  UcxNetwork() = default;
  base::Status start(const UcxOptions& options);

  // The caller holds the lock.
  bool move_on();
  ucs_status_t connect(int process, ucp_ep_h* peer);
  /// nullptr: out of memory.
  Transfer* take_transfer();
  void give_back(Transfer* transfer);
  void disown(const UcxEndpoint* owner);

  std::mutex mutex_;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  int event_fd_ = -1;  // of the worker
  /// A thread sleeps in await_event(), or is about to: data that another thread takes from the worker raise
  /// no event for it.
  std::atomic<bool> is_awaited_ = false;
  size_t not_handed_over_ = 0;  // ended transfers of all endpoints, not yet reported: no event announces them
  ucp_address_t* address_ = nullptr;
  size_t address_bytes_ = 0;
  int own_process_ = 0;
  Addresses addresses_;
  std::vector<ucp_ep_h> peers_;  // by process; nullptr: not connected yet
  std::deque<Transfer> transfers_;
  std::vector<Transfer*> free_transfers_;  // has capacity for all
};

}  // namespace tutti::transport
