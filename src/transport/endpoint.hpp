#pragma once
// The interface over which bytes move between ranks. Implementations: loopback/ (threads as ranks), mpi/
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
  bool has_events = false;        // transfers end in events of its network (Network::arm)
};

/// A transfer that has ended, well or badly.
struct Completion {
  uint64_t cookie = 0;  // as given to send() or recv()
  /// Of a receive, invalid_argument: the message was longer or shorter than asked for, and its data are
  /// undefined; all else goes on.
  base::Code code = base::Code::ok;
  int native = 0;  // MPI error code or errno when code is not ok
};

/// Connects one rank to its peers. Messages with the same (peer, tag) arrive in the order in which they were
/// sent. Used by one thread at a time. The bytes of a transfer belong to the endpoint from the call to the
/// completion; every transfer has exactly one completion, and all have had theirs when the endpoint is
/// destroyed.
class Endpoint {
 public:
  virtual ~Endpoint() = default;

  /// Starts a transfer. not ok: nothing was started and no completion will come.
  /// Code::not_supported with an empty message means "no room or no memory now, try again after poll()"
  /// (back-pressure).
  virtual base::Status send(Peer to, Tag tag, ConstBytes data, uint64_t cookie) = 0;
  virtual base::Status recv(Peer from, Tag tag, Bytes data, uint64_t cookie) = 0;

  /// Makes progress, also when nothing is in flight here, and reports up to done.size() ended transfers;
  /// returns how many. Never blocks.
  virtual size_t poll(std::span<Completion> done) = 0;

  /// Asks for the end of a transfer of this endpoint: a receive that no message has met ends, with a
  /// completion that is not ok; anything else may end as if nothing had been said. Does nothing where no such
  /// transfer is in flight. The completion comes from poll(). Messages that come later for a cancelled
  /// receive do not disturb receives with other tags; receives with the same tag may get them.
  virtual void cancel(uint64_t cookie) = 0;

  virtual Capabilities capabilities() const = 0;
};

/// The completion of a receive that was cancelled.
inline Completion cancelled(uint64_t cookie) {
  return {.cookie = cookie, .code = base::Code::system, .native = ECANCELED};
}

/// The network's number for `peer`, for an endpoint of `transport` that addresses ranks only; Peer::rank and
/// Peer::local are served alike. Error: invalid_argument.
base::Result<int> find_rank(const char* transport, Peer peer, std::span<const int> network_rank_of_rank);

/// The back-pressure answer of send() and recv().
inline base::Status try_again() {
  return {base::Code::not_supported, {}};
}
inline bool is_try_again(const base::Status& status) {
  return status.code() == base::Code::not_supported && status.message().empty();
}

}  // namespace tutti::transport
