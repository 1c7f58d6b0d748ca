#include "offload/network/network.hpp"

#include <cmath>

#include "base/random.hpp"

namespace tutti::offload::network {

namespace {

constexpr uint32_t k_input_stride = 16;  // inputs are numbered port · 16 + channel
constexpr size_t k_ahead = 8;            // large networks do not fit into caches: what comes soon is fetched

}  // namespace

Network::Network(const Topology& topology, const NetworkTiming& timing, const Faults& faults)
    : topology_(topology),
      timing_(timing),
      faults_(faults),
      lanes_(topology.lanes()),
      ports_(topology.ports()),
      channels_(k_classes * topology.lanes()) {
  port_table_.resize(size_t{topology.routers()} * ports_);
  for (uint32_t at = 0; at < port_table_.size(); ++at) {
    const Peer peer = topology.peer(at / ports_, at % ports_);
    Port& port = port_table_[at];
    if (peer.router != k_nowhere) port.peer = peer.router * ports_ + peer.port;
    if (peer.node != k_nowhere) port.node = peer.node;
    for (Channel& channel : port.channels) channel.credits = timing.slots;
  }
  ends_.resize(topology.nodes());
  for (uint32_t node = 0; node < topology.nodes(); ++node) {
    const Peer at = topology.attachment(node);
    ends_[node].input_port = at.router * ports_ + at.port;
    for (uint16_t& credits : ends_[node].credits) credits = static_cast<uint16_t>(timing.slots);
  }
}

uint32_t Network::serialisation_cycles(uint32_t bytes) const {
  const uint32_t on_link = std::max(bytes + timing_.framing_bytes, timing_.least_bytes);
  return std::max(1u, static_cast<uint32_t>(std::ceil(on_link / timing_.bytes_per_cycle)));
}

// ---- flights and queues

uint32_t Network::make(const Flight& flight, const Message& message) {
  ++in_flight_;
  if (free_flights_.empty()) {
    flights_.push_back(flight);
    messages_.push_back(message);
    return static_cast<uint32_t>(flights_.size() - 1);
  }
  const uint32_t made = free_flights_.back();
  free_flights_.pop_back();
  flights_[made] = flight;
  messages_[made] = message;
  return made;
}

void Network::drop(uint32_t flight) {
  --in_flight_;
  free_flights_.push_back(flight);
}

void Network::push(Queue& queue, uint32_t flight) {
  flights_[flight].next = k_none;
  (queue.head == k_none ? queue.head : flights_[queue.tail].next) = flight;
  queue.tail = flight;
}

uint32_t Network::pop_front(Queue& queue) {
  const uint32_t flight = queue.head;
  queue.head = flights_[flight].next;
  return flight;
}

// ---- the ends

bool Network::can_inject(uint32_t node, MessageClass of, uint64_t now) {
  End& end = ends_[node];
  size_t due = 0;
  while (due < end.returning.size() && end.returning[due].ready <= now)
    ++end.credits[end.returning[due++].klass];
  if (due > 0)
    end.returning.erase(end.returning.begin(), end.returning.begin() + static_cast<std::ptrdiff_t>(due));
  return end.busy_until <= now && end.credits[static_cast<uint32_t>(of)] > 0;
}

void Network::inject(const Message& message, MessageClass of, uint64_t now) {
  End& end = ends_[message.source];
  const auto klass = static_cast<uint32_t>(of);
  // The serial is the node's own count, so that it does not depend on who comes first in a cycle.
  const Flight flight{.serial = uint64_t{message.source} << 40 | end.sent++,
                      .source = message.source,
                      .destination = message.destination,
                      .cycles = serialisation_cycles(message.bytes)};
  --end.credits[klass];
  end.busy_until = now + flight.cycles;
  events_.add(now + timing_.inject_cycles, {EventKind::arrival, static_cast<uint8_t>(klass * lanes_),
                                            end.input_port, make(flight, message)});
  ++counters_.injected;
}

const Message* Network::front(uint32_t node, MessageClass of, uint64_t now) const {
  const uint32_t head = ends_[node].arrived[static_cast<uint32_t>(of)].head;
  return head == k_none || flights_[head].ready > now ? nullptr : &messages_[head];
}

void Network::pop(uint32_t node, MessageClass of, uint64_t now) {
  const uint32_t popped = pop_front(ends_[node].arrived[static_cast<uint32_t>(of)]);
  const Flight& flight = flights_[popped];
  if (!flight.is_copy)
    events_.add(now + timing_.eject_cycles, {EventKind::credit, flight.channel, flight.port, 0});
  drop(popped);
}

uint64_t Network::next_visible(uint32_t node, uint64_t now) const {
  const End& end = ends_[node];
  uint64_t next = UINT64_MAX;
  for (const Queue& queue : end.arrived)
    // Behind a first one that is there, the next is seen when that one goes, which the node notices itself.
    for (uint32_t at = queue.head; at != k_none; at = flights_[at].next)
      if (flights_[at].ready > now) {
        next = std::min(next, flights_[at].ready);
        break;
      }
  for (const Credit& credit : end.returning)
    if (credit.ready > now) return std::min(next, credit.ready);
  return next;
}

void Network::deliver(uint32_t arrived, uint64_t now) {
  Flight& flight = flights_[arrived];
  if (flight.is_corrupt) {
    if (!flight.is_copy)
      events_.add(now + timing_.eject_cycles, {EventKind::credit, flight.channel, flight.port, 0});
    drop(arrived);
    return;
  }
  ++counters_.delivered;
  flight.ready = now;
  push(ends_[flight.destination].arrived[flight.channel / lanes_], arrived);
  woken_.push_back({flight.destination, now});
}

// ---- the routers

void Network::list(uint32_t port) {
  if (port_table_[port].is_listed) return;
  port_table_[port].is_listed = true;
  listed_.push_back(port);
}

void Network::fetch(const Event& event) const {
  if (event.kind == EventKind::delivery || event.kind == EventKind::arrival)
    __builtin_prefetch(&flights_[event.flight]);
  if (event.kind == EventKind::delivery) return;
  if (event.kind == EventKind::end_credit) return __builtin_prefetch(&ends_[event.port]);
  const Port& port = port_table_[event.port];
  if (event.kind == EventKind::arrival || event.kind == EventKind::head)
    __builtin_prefetch(&port.inputs[event.channel]);
  else
    __builtin_prefetch(&port);
}

void Network::apply(const Event& event, uint64_t now) {
  switch (event.kind) {
    case EventKind::arrival: {
      Input& input = port_table_[event.port].inputs[event.channel];
      push(input.flights, event.flight);
      if (input.is_placed) break;
      input.is_placed = true;
      if (input.free_at <= now)
        heads_.push_back(uint64_t{event.port} * k_input_stride + event.channel);
      else
        events_.add(input.free_at, {EventKind::head, event.channel, event.port, 0});
      break;
    }
    case EventKind::head:
      heads_.push_back(uint64_t{event.port} * k_input_stride + event.channel);
      break;
    case EventKind::credit: {
      Channel& channel = port_table_[event.port].channels[event.channel];
      ++channel.credits;
      if (channel.waiting.head != k_none) list(event.port);
      break;
    }
    case EventKind::end_credit:
      ends_[event.port].returning.push_back({now, event.channel});
      woken_.push_back({event.port, now});
      break;
    case EventKind::serve:
      port_table_[event.port].wake_at = 0;
      if (port_table_[event.port].waiting > 0) list(event.port);
      break;
    case EventKind::delivery:
      deliver(event.flight, now);
      break;
  }
}

/// First flights of inputs join those that wait for their channel, in the order of the inputs: nothing may
/// depend on the order in which a cycle's events were found.
void Network::place_heads() {
  if (heads_.size() > 1) std::sort(heads_.begin(), heads_.end());
  for (size_t i = 0; i < heads_.size(); ++i) {
    const uint64_t at = heads_[i];
    if (i + k_ahead < heads_.size()) {
      // The sorted order is another one than that of the events.
      const uint64_t soon = heads_[i + k_ahead];
      __builtin_prefetch(&port_table_[soon / k_input_stride].inputs[soon % k_input_stride]);
      const uint64_t sooner = heads_[i + k_ahead / 2];
      __builtin_prefetch(
          &flights_[port_table_[sooner / k_input_stride].inputs[sooner % k_input_stride].flights.head]);
    }
    const auto from = static_cast<uint32_t>(at / k_input_stride);
    const auto channel = static_cast<uint32_t>(at % k_input_stride);
    Input& input = port_table_[from].inputs[channel];
    const Flight& flight = flights_[input.flights.head];
    const uint32_t router = from / ports_;
    const Step step =
        topology_.route(router, from % ports_, channel % lanes_, flight.source, flight.destination);
    const uint32_t out = router * ports_ + step.port;
    Port& port = port_table_[out];
    Queue& waiting = port.channels[channel / lanes_ * lanes_ + step.lane].waiting;
    input.next_waiting = k_none;
    const auto name = static_cast<uint32_t>(at);
    if (waiting.head == k_none)
      waiting.head = name;
    else
      port_table_[waiting.tail / k_input_stride].inputs[waiting.tail % k_input_stride].next_waiting = name;
    waiting.tail = name;
    ++port.waiting;
    list(out);
  }
  heads_.clear();
}

void Network::wake_later(uint32_t port, uint64_t cycle) {
  if (port_table_[port].wake_at == cycle) return;
  port_table_[port].wake_at = cycle;
  events_.add(cycle, {EventKind::serve, 0, port, 0});
}

/// One packet, if the link is free, by turns from the channels that have one and room at the other end.
void Network::serve(uint32_t at, uint64_t now) {
  Port& port = port_table_[at];
  port.is_listed = false;
  if (port.waiting == 0) return;
  if (port.busy_until > now) return wake_later(at, port.busy_until);
  for (uint32_t i = 0; i < channels_; ++i) {
    const uint32_t which = (port.next_channel + i) % channels_;
    if (port.channels[which].waiting.head == k_none || port.channels[which].credits == 0) continue;
    port.next_channel = static_cast<uint8_t>((which + 1) % channels_);
    grant(at, static_cast<uint8_t>(which), now);
    if (port.waiting > 0) wake_later(at, port.busy_until);
    return;
  }
}

/// A slot is free once the tail of its flight has left; whoever sends to the input is told.
void Network::return_slot(uint32_t at, uint8_t channel, uint64_t now) {
  const Port& port = port_table_[at];
  if (port.peer == k_none)
    events_.add(now + timing_.inject_cycles,
                {EventKind::end_credit, static_cast<uint8_t>(channel / lanes_), port.node, 0});
  else
    events_.add(now + timing_.hop_cycles, {EventKind::credit, channel, port.peer, 0});
}

void Network::grant(uint32_t at, uint8_t channel, uint64_t now) {
  Port& port = port_table_[at];
  Queue& waiting = port.channels[channel].waiting;
  const uint32_t from = waiting.head / k_input_stride;
  const auto from_channel = static_cast<uint8_t>(waiting.head % k_input_stride);
  Input& input = port_table_[from].inputs[from_channel];
  waiting.head = input.next_waiting;
  --port.waiting;
  --port.channels[channel].credits;
  const uint32_t granted = pop_front(input.flights);
  Flight& flight = flights_[granted];
  flight.port = at;
  flight.channel = channel;
  ++flight.hops;
  port.busy_until = input.free_at = now + flight.cycles;
  if (input.flights.head == k_none)
    input.is_placed = false;
  else
    events_.add(input.free_at, {EventKind::head, from_channel, from, 0});
  return_slot(from, from_channel, input.free_at);
  if (is_lost(granted)) {
    events_.add(input.free_at + timing_.hop_cycles, {EventKind::credit, channel, at, 0});
    drop(granted);
  } else if (port.peer == k_none) {
    leave(granted, now);
  } else {
    ++counters_.hops;
    events_.add(now + timing_.hop_cycles, {EventKind::arrival, channel, port.peer, granted});
  }
}

bool Network::happens(const Flight& flight, double chance, uint32_t what) const {
  if (chance <= 0) return false;
  const uint64_t draw = base::mixed(base::mixed(base::mixed(faults_.seed) ^ flight.serial) ^
                                    (uint64_t{flight.hops} << 8 | what));
  return static_cast<double>(draw >> 11) * 0x1p-53 < chance;
}

/// What a link does to what crosses it.
bool Network::is_lost(uint32_t crossing) {
  Flight& flight = flights_[crossing];
  if (happens(flight, faults_.loss, 0)) {
    ++counters_.lost;
    return true;
  }
  if (!flight.is_corrupt && happens(flight, faults_.corruption, 1)) {
    flight.is_corrupt = true;
    ++counters_.corrupted;
  }
  return false;
}

/// To a node, which sees the packet when all of it is there.
void Network::leave(uint32_t leaving, uint64_t now) {
  const Flight flight = flights_[leaving];
  const uint64_t there = now + timing_.eject_cycles + flight.cycles;
  if (happens(flight, faults_.duplication, 2)) {
    ++counters_.duplicated;
    Flight copy = flight;
    copy.is_copy = true;
    const Message message = messages_[leaving];
    const uint64_t delay = 1 + base::mixed(flight.serial ^ faults_.seed) % faults_.delay_cycles;
    events_.add(there + delay, {EventKind::delivery, 0, 0, make(copy, message)});
  }
  uint64_t delay = 0;
  if (happens(flight, faults_.reordering, 3)) {
    ++counters_.delayed;
    delay = 1 + base::mixed(flight.serial + faults_.seed) % faults_.delay_cycles;
  }
  events_.add(there + delay, {EventKind::delivery, 0, 0, leaving});
}

void Network::step(uint64_t now) {
  events_.take(now, now_events_);
  for (size_t i = 0; i < now_events_.size(); ++i) {
    if (i + k_ahead < now_events_.size()) fetch(now_events_[i + k_ahead]);
    apply(now_events_[i], now);
  }
  place_heads();
  for (size_t i = 0; i < listed_.size(); ++i) {
    if (i + k_ahead < listed_.size()) __builtin_prefetch(&port_table_[listed_[i + k_ahead]]);
    serve(listed_[i], now);
  }
  listed_.clear();
}

void Network::run(uint64_t from, uint64_t end) {
  woken_.clear();
  for (uint64_t cycle = events_.next(from, end); cycle < end; cycle = events_.next(cycle + 1, end))
    step(cycle);
}

}  // namespace tutti::offload::network
