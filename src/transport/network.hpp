#pragma once
// A transport that serves a whole process beside the program's MPI, and creates endpoints.

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "transport/endpoint.hpp"

namespace tutti::transport {

/// Separates the messages of endpoints: messages of different spaces never match.
enum class Space : uint8_t { operations, agreements, probe, agents };

/// The addresses of all processes of the job, concatenated.
struct Addresses {
  std::vector<std::byte> bytes;
  std::vector<size_t> begins;  // offset of each process, and the end of the last one

  size_t count() const { return begins.size() - 1; }
  ConstBytes of(size_t process) const {
    return ConstBytes(bytes).subspan(begins[process], begins[process + 1] - begins[process]);
  }
};

/// Different threads may use its endpoints at the same time, each endpoint by one thread. Outlives its
/// endpoints.
class Network {
 public:
  virtual ~Network() = default;

  /// What its messages go over, for reports.
  virtual std::string_view name() const { return "a network beside the MPI"; }
  /// The address of this process. Valid as long as this object.
  virtual ConstBytes address() const = 0;
  /// Called once, before the first endpoint is created. Never blocks: connections are created on demand.
  virtual void set_peers(int own_process, Addresses addresses) = 0;
  /// Connects one rank of a communicator to the others. `process_of_rank` must outlive the endpoint.
  /// Peer::rank and Peer::local are equivalent.
  virtual std::unique_ptr<Endpoint> make_endpoint(Space space, std::span<const int> process_of_rank) = 0;
  /// Makes progress, as every poll of its endpoints does. A transfer may have ended here while its peer still
  /// needs this process: for the rest of a message, a reply, a connection. Hence call this repeatedly as long
  /// as a peer may wait. Never blocks. Any thread. Returns true if data moved.
  virtual bool make_progress() = 0;

  // For one thread that sleeps until there is work. Every end of a transfer is an event, and so is everything
  // that a poll of any endpoint would act upon.
  virtual bool has_events() const { return false; }
  /// Prepares await_event(). False: there may be work already, or this network has no events.
  virtual bool arm() { return false; }
  /// After arm(): sleeps until an event since arm(), interrupt(), or `file` is readable, at most
  /// `timeout_ns`. May return early.
  virtual void await_event(uint64_t /*timeout_ns*/, int /*file*/ = k_no_file) {}
  static constexpr int k_no_file = -1;
  /// Ends the current or the next await_event(). Any thread.
  virtual void interrupt() {}
};

}  // namespace tutti::transport
