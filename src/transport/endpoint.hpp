#pragma once
// The interface that moves bytes between ranks. Implementations: loopback/ (threads as ranks), mpi/
// (point-to-point of the program's MPI), ucx/ (a UCX worker beside the program's MPI), fault/ (a wrapper that
// injects faults in tests), and node::LocalEndpoint (shared memory of a node).

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.hpp"
#include "schedule/task.hpp"

namespace tutti::transport {

using schedule::Peer;
using ConstBytes = std::span<const std::byte>;
using Bytes = std::span<std::byte>;

/// Separates operations that are in flight at the same time between the same two ranks.
using Tag = uint32_t;

struct Capabilities {
  bool can_address_node = false;  // accepts Peer::node
  bool has_events = false;        // its transfers raise events of the network (Network::arm)
};

/// A transfer that has ended, with or without an error.
struct Completion {
  uint64_t cookie = 0;  // as given to send() or recv()
  /// invalid_argument for a receive: the message was longer or shorter than requested, and the received data
  /// are undefined; other transfers continue.
  base::Code code = base::Code::ok;
  int native = 0;  // MPI error code or errno when code is not ok
};

/// Connects one rank to its peers. Messages with the same (peer, tag) arrive in the order in which they were
/// sent. Used by one thread at a time. The buffer of a transfer belongs to the endpoint from the call to the
/// completion. Every transfer has exactly one completion, and all have completed before the endpoint is
/// destroyed.
class Endpoint {
 public:
  virtual ~Endpoint() = default;

  /// Starts a transfer. Not ok: nothing was started, and no completion follows. Code::not_supported with an
  /// empty message means "no buffer or no memory now, try again after poll()" (back-pressure).
  virtual base::Status send(Peer to, Tag tag, ConstBytes data, uint64_t cookie) = 0;
  virtual base::Status recv(Peer from, Tag tag, Bytes data, uint64_t cookie) = 0;

  /// Makes progress, even without own transfers in flight, and reports up to done.size() ended transfers.
  /// Returns their number. Never blocks.
  virtual size_t poll(std::span<Completion> done) = 0;

  /// Requests the end of a transfer of this endpoint. A receive without a matching message ends with a
  /// completion that is not ok; any other transfer may end as without cancel(). Does nothing if no such
  /// transfer is in flight. poll() reports the completion. Messages that arrive later for a cancelled receive
  /// do not disturb receives with other tags; receives with the same tag may match them.
  virtual void cancel(uint64_t cookie) = 0;

  virtual Capabilities capabilities() const = 0;
};

/// The completion of a cancelled receive.
inline Completion cancelled(uint64_t cookie) {
  return {.cookie = cookie, .code = base::Code::system, .native = ECANCELED};
}

/// The network's rank of `peer`, for an endpoint of `transport` that addresses ranks only; Peer::rank and
/// Peer::local are equivalent. Error: invalid_argument.
base::Result<int> find_rank(const char* transport, Peer peer, std::span<const int> network_rank_of_rank);

/// The return value of send() and recv() for back-pressure.
inline base::Status try_again() {
  return {base::Code::not_supported, {}};
}
inline bool is_try_again(const base::Status& status) {
  return status.code() == base::Code::not_supported && status.message().empty();
}

}  // namespace tutti::transport
