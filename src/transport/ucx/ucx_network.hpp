#pragma once
// A UCX worker of Tutti's own: its messages share neither lock nor connection with the program's MPI
// (docs/results/notes/own-messages.md has what that gives; paper 001, section 3.2).

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

/// Error of UCX as ours: out_of_memory or internal, with UCX's own words.
base::Status ucx_error(const char* what, ucs_status_t status);

/// Takes one lock for every call of UCX. Connections to peers are made when the first message goes there.
class UcxNetwork final : public Network {
 public:
  /// As OpenUcxNetwork.
  static base::Result<std::unique_ptr<UcxNetwork>> open(const UcxOptions& options);
  /// All transfers have ended on all processes; otherwise peers lose what is under way.
  ~UcxNetwork() override;
  UcxNetwork(const UcxNetwork&) = delete;
  UcxNetwork& operator=(const UcxNetwork&) = delete;

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

  /// What UCX gives back when a transfer ends.
  struct Transfer {
    UcxNetwork* network = nullptr;
    UcxEndpoint* owner = nullptr;  // nullptr: has gone
    uint64_t cookie = 0;
    void* request = nullptr;  // of UCX
    bool is_receive = false;
    bool is_cancelled = false;
    size_t length = 0;  // of the message that is awaited
    /// Its callback may come before the call that starts it returns, which then returns a request that has
    /// gone.
    enum class State : uint8_t { starting, ended, running } state = State::starting;
    ucs_status_t status = UCS_OK;  // where it has ended
  };

  UcxNetwork() = default;
  base::Status start(const UcxOptions& options);

  // With the lock.
  bool move_on();
  ucs_status_t connect(int process, ucp_ep_h* peer);
  /// nullptr: no memory.
  Transfer* take_transfer();
  void give_back(Transfer* transfer);
  void disown(const UcxEndpoint* owner);

  std::mutex mutex_;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  int event_fd_ = -1;  // of the worker
  /// A thread sleeps in await_event(), or is about to: what another thread takes from the worker is no event
  /// any more.
  std::atomic<bool> is_awaited_ = false;
  size_t not_handed_over_ = 0;  // transfers that have ended, over all endpoints: no event will tell of them
  ucp_address_t* address_ = nullptr;
  size_t address_bytes_ = 0;
  int own_process_ = 0;
  Addresses addresses_;
  std::vector<ucp_ep_h> peers_;  // by process; nullptr: not connected yet
  std::deque<Transfer> transfers_;
  std::vector<Transfer*> free_transfers_;  // has room for all
};

}  // namespace tutti::transport
