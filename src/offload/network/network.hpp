#pragma once
// The network, cycle by cycle: routers with virtual channels and credits, virtual cut-through, a fixed
// latency per hop (paper 003 §3), serialisation on every link, and faults injected from a seed. It does not
// interpret its payload: its ends can be the RTL in a test bench as well as the model.
//
// Its cycles may run ahead of those of its ends, because an action of an end takes at least window() cycles
// to reach a router: run() simulates a stretch of cycles; then every end executes the same cycles with
// inject(), front() and pop(). Routers do not affect each other sooner either, so that groups of routers run
// the stretch one after the other, each group within the caches. Not thread-safe.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "interconnect/event_wheel.hpp"
#include "interconnect/network_topology.hpp"
#include "offload/network/message.hpp"

namespace tutti::offload::network {

using interconnect::EventWheel;
using interconnect::NetworkTopology;

/// Faults of links. Probabilities are per crossing of a link out of a router; the same seed gives the same
/// faults.
struct Faults {
  double loss = 0, corruption = 0;  // a corrupted packet is dropped by the CRC at its destination
  double duplication = 0;           // per packet: arrives twice
  double reordering = 0;            // per packet: arrives up to `delay_cycles` late
  uint32_t delay_cycles = 1000;
  uint64_t seed = 1;
  bool any() const { return loss > 0 || corruption > 0 || duplication > 0 || reordering > 0; }
};

struct NetworkTiming {
  uint32_t hop_cycles = 1;     // head of a packet: from the input of a router to that of the next one; ≥ 1
  uint32_t inject_cycles = 1;  // head: from the NIC to the input of its router; ≥ 1
  uint32_t eject_cycles = 1;   // head: from the input of the last router to the NIC; ≥ 1
  double bytes_per_cycle = 8;  // of every link
  uint32_t framing_bytes = 8;  // per packet: link header, CRC
  uint32_t least_bytes = 32;   // on the link
  uint32_t slots = 16;         // capacity in packets of an input per virtual channel; 1 …
};

struct NetworkCounters {
  uint64_t injected = 0, delivered = 0, hops = 0;
  uint64_t lost = 0, corrupted = 0, duplicated = 0, delayed = 0;
  bool operator==(const NetworkCounters&) const = default;
};

class Network {
 public:
  /// Keeps a reference to the topology.
  Network(const NetworkTopology& topology, const NetworkTiming& timing, const Faults& faults);

  /// Maximum number of cycles per run(); at least 1.
  uint32_t window() const {
    return std::min({timing_.hop_cycles, timing_.inject_cycles, timing_.eject_cycles});
  }

  /// Simulates the routers in the cycles from `from` to `end` - 1, at most window() of them. Cycles before
  /// next_event() may be skipped.
  void run(uint64_t from, uint64_t end);
  /// An end for which something has arrived, or that has room to inject again.
  struct Wake {
    uint32_t node;
    uint64_t cycle;
  };
  /// The wakes of the last run().
  const std::vector<Wake>& woken() const { return woken_; }
  /// The first cycle from `from` on with an event; at most `limit`.
  uint64_t next_event(uint64_t from, uint64_t limit);
  /// The first cycle after `now` in which the network has something new for the node, within the cycles
  /// simulated so far.
  uint64_t next_visible(uint32_t node, uint64_t now) const;

  /// Whether the node's channel is free in this cycle and the router has room for the class.
  bool can_inject(uint32_t node, MessageClass of, uint64_t now);
  /// The cycle in which the node's channel is free again.
  uint64_t channel_free(uint32_t node) const { return ends_[node].busy_until; }
  /// Requires can_inject(); at most once per node and cycle.
  void inject(const Message& message, MessageClass of, uint64_t now);

  /// The oldest message of a class at the node, complete and with a good CRC, or null.
  const Message* front(uint32_t node, MessageClass of, uint64_t now) const;
  void pop(uint32_t node, MessageClass of, uint64_t now);

  bool is_empty() const { return in_flight_ == 0; }
  const NetworkCounters& counters() const { return counters_; }
  uint32_t serialisation_cycles(uint32_t bytes) const;

 private:
  static constexpr uint32_t k_none = UINT32_MAX;
  static constexpr uint16_t k_no_input = UINT16_MAX;
  static constexpr uint32_t k_most_channels = 6;

  // The frequently used part of a packet in flight: every hop reads it.
  struct alignas(32) Flight {
    uint32_t next = k_none;
    uint32_t source = 0, destination = 0;
    uint32_t cycles = 1;     // on a link
    uint32_t port = k_none;  // of its last link, or k_none on the link from its source
    uint8_t channel = 0;     // its class and lane on that link
    bool is_corrupt = false, is_copy = false;
    uint16_t hops = 0;
  };
  // The payload, and fields for ends and faults only.
  struct Load {
    Message message;
    uint64_t serial = 0;
    uint64_t ready = 0;  // cycle of its arrival
  };
  struct Queue {
    uint32_t head = k_none, tail = k_none;
  };
  struct Credit {
    uint64_t ready;
    uint32_t klass;
  };
  struct End {  // a node's side
    uint64_t busy_until = 0, sent = 0;
    uint32_t input_port = 0;
    Queue arrived[k_classes];
    uint16_t credits[k_classes] = {};
    std::vector<Credit> returning;  // in order of time
  };
  // The receiving side of a port. Inputs are numbered port · k_most_channels + channel.
  struct alignas(32) Input {
    Queue flights;
    uint64_t free_at = 0;                // cycle in which its last flight has left
    uint16_t next_waiting = k_no_input;  // the next input of this router in the queue for the same channel
    bool is_placed = false;              // its first flight is queued for a channel, or will be at free_at
  };
  // The sending side of a port.
  struct Channel {
    uint16_t first_waiting = k_no_input,
             last_waiting = k_no_input;  // inputs of this router, in order of arrival
    uint16_t credits = 0;
  };
  struct alignas(64) Port {
    uint32_t peer = k_none;  // the port at the other end; k_none: a node, or no cable
    uint64_t busy_until = 0, wake_at = 0;
    uint16_t waiting = 0;  // inputs, for all channels
    uint8_t next_channel = 0;
    bool is_listed = false;
    Channel channels[k_most_channels];
    Input inputs[k_most_channels];
  };
  static_assert(sizeof(Port) == 256 && sizeof(Flight) == 32, "large networks wait for the lines they touch");
  enum class EventKind : uint8_t { arrival, head, credit, end_credit, serve, delivery };
  struct Event {
    EventKind kind;
    uint8_t channel;
    uint32_t at;  // index of an input, a port or a node
    uint32_t flight;
  };

  /// Adds an event at the router that has the port.
  void add(uint32_t port, uint64_t cycle, const Event& event) {
    events_[port / group_ports_].add(cycle, event);
  }
  void step(EventWheel<Event>& events, uint64_t now);
  void fetch(const Event& event);
  template <class Fetch>
  void for_first_waiting(uint32_t port, const Fetch& fetch);
  void apply(const Event& event, uint64_t now);
  void place_heads();
  void place(uint32_t input);
  void list(uint32_t port);
  void serve(uint32_t port, uint64_t now);
  void grant(uint32_t port, uint8_t channel, uint64_t now);
  void return_slot(uint32_t port, const Flight& flight, uint64_t now);
  bool is_lost(uint32_t flight);
  void leave(uint32_t flight, uint64_t now);
  void deliver(uint32_t flight, uint64_t now);
  void wake_later(uint32_t port, uint64_t cycle);
  Input& input(uint32_t at) { return port_table_[at / k_most_channels].inputs[at % k_most_channels]; }
  bool happens(uint32_t flight, double chance, uint32_t what) const;
  uint32_t make(const Flight& flight, const Load& load);
  void drop(uint32_t flight);
  void push(Queue& queue, uint32_t flight);
  uint32_t pop_front(Queue& queue);

  const NetworkTopology& topology_;
  NetworkTiming timing_;
  Faults faults_;
  uint32_t lanes_, ports_, channels_;  // ports per router; channels per port
  uint32_t group_ports_;               // ports per group of routers
  std::vector<Flight> flights_;
  std::vector<Load> loads_;  // by flight
  std::vector<uint32_t> free_flights_;
  std::vector<End> ends_;                  // by node
  std::vector<Port> port_table_;           // by router and port
  std::vector<EventWheel<Event>> events_;  // by group of routers
  std::vector<Event> now_events_;
  std::vector<uint32_t> heads_;  // inputs
  std::vector<uint32_t> listed_;
  std::vector<Wake> woken_;
  NetworkCounters counters_;
  uint64_t in_flight_ = 0;
};

}  // namespace tutti::offload::network
