#pragma once
// A transport that serves a whole process beside the program's MPI, and the endpoints that it makes.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "transport/endpoint.hpp"

namespace tutti::transport {

/// Who the messages of an endpoint are for: those of one space never meet those of another.
enum class Space : uint8_t { operations, agreements, probe };

/// What all processes of the job are reached by, one after the other.
struct Addresses {
  std::vector<std::byte> bytes;
  std::vector<size_t> begins;  // of each process, and the end of the last

  size_t count() const { return begins.size() - 1; }
  ConstBytes of(size_t process) const {
    return ConstBytes(bytes).subspan(begins[process], begins[process + 1] - begins[process]);
  }
};

/// Its endpoints may be used by as many threads at a time, each endpoint by one. They are gone before it is.
class Network {
 public:
  virtual ~Network() = default;

  /// What the other processes reach this one by. Valid as long as this.
  virtual ConstBytes address() const = 0;
  /// Once, before the first endpoint. Never waits: connections are made when they are needed.
  virtual void set_peers(int own_process, Addresses addresses) = 0;
  /// The way of one rank of a communicator to the others. `process_of_rank` stays valid as long as the
  /// endpoint. Peer::rank and Peer::local are served alike.
  virtual std::unique_ptr<Endpoint> make_endpoint(Space space, std::span<const int> process_of_rank) = 0;
  /// What every poll of its endpoints does besides. A transfer may have ended here while its peer still needs
  /// something of this process: the rest of a message, an answer, a connection. So somebody calls this, even
  /// if rarely, for as long as a peer may wait. Never blocks. Any thread. True when something moved.
  virtual bool make_progress() = 0;

  // For one thread, which sleeps until there is something to do: what ends transfers, and what a poll of any
  // endpoint would act upon, are its events.
  /// Announces await_event(). False: there may be something to do already, or this network cannot tell.
  virtual bool arm() { return false; }
  /// After arm(): sleeps until an event that has come since, until interrupt(), at most `timeout_ns`. May
  /// return early.
  virtual void await_event(uint64_t /*timeout_ns*/) {}
  /// Ends await_event(), or the next one. Any thread.
  virtual void interrupt() {}
};

}  // namespace tutti::transport
