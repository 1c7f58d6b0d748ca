#pragma once
// A transport that serves a whole process beside the program's MPI, and the endpoints that it makes.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "transport/endpoint.hpp"

namespace tutti::transport {

/// Separates the messages of endpoints: those of one space never meet those of another.
enum class Space : uint8_t { operations, agreements, probe, agents };

/// The addresses of all processes of the job, concatenated.
struct Addresses {
  std::vector<std::byte> bytes;
  std::vector<size_t> begins;  // of each process, and the end of the last

  size_t count() const { return begins.size() - 1; }
  ConstBytes of(size_t process) const {
    return ConstBytes(bytes).subspan(begins[process], begins[process + 1] - begins[process]);
  }
};

/// Its endpoints may be used by different threads at a time, each endpoint by one. It outlives them.
class Network {
 public:
  virtual ~Network() = default;

  /// The address of this process. Valid as long as this object.
  virtual ConstBytes address() const = 0;
  /// Once, before the first endpoint. Never waits: connections are made when they are needed.
  virtual void set_peers(int own_process, Addresses addresses) = 0;
  /// Connects one rank of a communicator to the others. `process_of_rank` stays valid as long as the endpoint.
  /// Peer::rank and Peer::local are served alike.
  virtual std::unique_ptr<Endpoint> make_endpoint(Space space, std::span<const int> process_of_rank) = 0;
  /// Makes progress, as every poll of its endpoints does. A transfer may have ended here while its peer still needs
  /// something of this process: the rest of a message, an answer, a connection. So this has to be called now and then
  /// for as long as a peer may wait. Never blocks. Any thread. True when something moved.
  virtual bool make_progress() = 0;

  // For one thread that sleeps until there is work. Events are whatever ends transfers, and whatever a poll of any
  // endpoint would act upon.
  virtual bool has_events() const { return false; }
  /// Announces await_event(). False: there may be work already, or this network has no events.
  virtual bool arm() { return false; }
  /// After arm(): sleeps until an event since arm(), until interrupt(), until `file` can be read, at most `timeout_ns`.
  /// May return early.
  virtual void await_event(uint64_t /*timeout_ns*/, int /*file*/ = k_no_file) {}
  static constexpr int k_no_file = -1;
  /// Ends await_event(), or the next one. Any thread.
  virtual void interrupt() {}
};

}  // namespace tutti::transport
