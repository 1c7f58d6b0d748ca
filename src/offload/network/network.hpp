#pragma once
// The network, cycle by cycle: routers with virtual channels and credits, virtual cut-through, a fixed
// latency per hop (paper 003 §3), serialisation on every link, and faults injected from a seed. It does not
// know what it carries: a test bench can put the RTL at its ends as well as the model.
//
// In one cycle: step() first, then the ends inject(), look at front() and pop(). Not thread-safe.

#include <cstdint>
#include <vector>

#include "offload/network/event_wheel.hpp"
#include "offload/network/message.hpp"
#include "offload/network/topology.hpp"

namespace tutti::offload::network {

/// What links lose. Chances are per crossing of a link out of a router; the same seed gives the same faults.
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
  uint32_t slots = 16;         // packets that an input buffers per virtual channel; 1 …
};

struct NetworkCounters {
  uint64_t injected = 0, delivered = 0, hops = 0;
  uint64_t lost = 0, corrupted = 0, duplicated = 0, delayed = 0;
  bool operator==(const NetworkCounters&) const = default;
};

class Network {
 public:
  /// Keeps a reference to the topology.
  Network(const Topology& topology, const NetworkTiming& timing, const Faults& faults);

  /// The cycle `now`: what happens in the routers. woken() are then the nodes for which something has
  /// arrived, or room to inject has come. Cycles before next_event() may be left out.
  void step(uint64_t now);
  const std::vector<uint32_t>& woken() const { return woken_; }
  /// The first cycle from `from` on in which something happens; at most `limit`.
  uint64_t next_event(uint64_t from, uint64_t limit) { return events_.next(from, limit); }

  /// Whether the node's channel is free in this cycle and the router has room for the class.
  bool can_inject(uint32_t node, MessageClass of, uint64_t now) const;
  /// The cycle in which the node's channel is free again.
  uint64_t channel_free(uint32_t node) const { return ends_[node].busy_until; }
  /// can_inject(); at most once per node and cycle.
  void inject(const Message& message, MessageClass of, uint64_t now);

  /// The oldest message of a class at the node, whole and with a good CRC, or null.
  const Message* front(uint32_t node, MessageClass of) const;
  void pop(uint32_t node, MessageClass of, uint64_t now);

  bool is_empty() const { return in_flight_ == 0; }
  const NetworkCounters& counters() const { return counters_; }
  uint32_t serialisation_cycles(uint32_t bytes) const;

 private:
  static constexpr uint32_t k_none = UINT32_MAX;

  struct Flight {
    Message message;
    uint32_t next = k_none;
    uint32_t channel = 0;  // the class and lane that it has on its last link
    uint64_t serial = 0;
    uint32_t hops = 0;
    bool is_corrupt = false, is_copy = false;
  };
  struct Queue {
    uint32_t head = k_none, tail = k_none;
  };
  struct End {  // a node's side
    uint64_t busy_until = 0, sent = 0;
    Queue arrived[k_classes];
    uint16_t credits[k_classes] = {};
  };
  struct Input {
    Queue flights;
    uint32_t next_waiting = k_none;  // the next input that waits for the same channel
    bool is_head_placed = false;     // its first flight waits, or is just leaving
  };
  struct Channel {
    Queue waiting;  // inputs, in the order in which they came
    uint32_t credits = 0;
  };
  struct Output {
    uint64_t busy_until = 0, wake_at = 0;
    uint16_t waiting = 0;       // inputs
    uint16_t next_channel = 0;  // round robin
    bool is_listed = false;
  };
  enum class EventKind : uint8_t { arrival, head, credit, end_credit, serve, delivery };
  struct Event {
    EventKind kind;
    uint32_t at;      // input, channel, output or node
    uint32_t flight;  // or the class
  };

  uint32_t channels_per_port() const { return k_classes * lanes_; }
  uint32_t output_of(uint32_t channel) const { return channel / channels_per_port(); }
  void apply(const Event& event, uint64_t now);
  void place_heads();
  void list(uint32_t output);
  void serve(uint32_t output, uint64_t now);
  void grant(uint32_t output, uint32_t channel, uint64_t now);
  void return_slot(uint32_t input, uint64_t now);
  bool is_lost(uint32_t flight);
  void cross(uint32_t flight, uint32_t output, uint32_t channel, uint64_t now);
  void leave(uint32_t flight, uint32_t cycles, uint64_t now);
  void deliver(uint32_t flight, uint64_t now);
  void wake_later(uint32_t output, uint64_t cycle);
  bool happens(const Flight& flight, double chance, uint32_t what) const;
  uint32_t make(const Message& message);
  void drop(uint32_t flight);
  void push(Queue& queue, uint32_t flight);
  uint32_t pop_front(Queue& queue);

  const Topology& topology_;
  NetworkTiming timing_;
  Faults faults_;
  uint32_t lanes_, ports_;
  std::vector<Flight> flights_;
  std::vector<uint32_t> free_flights_;
  std::vector<Peer> peers_;  // by output
  std::vector<End> ends_;
  std::vector<uint32_t> end_input_;  // by node: its router's input of class 0
  std::vector<Input> inputs_;        // by router, port, class and lane
  std::vector<Channel> channels_;    // likewise, of the output
  std::vector<Output> outputs_;      // by router and port
  EventWheel<Event> events_;
  std::vector<Event> now_events_;
  std::vector<uint32_t> heads_, listed_, woken_;
  NetworkCounters counters_;
  uint64_t in_flight_ = 0;
};

}  // namespace tutti::offload::network
