#include "offload/network/network.hpp"

#include <bit>
#include <cmath>

#include "base/random.hpp"

namespace tutti::offload::network {

namespace {

constexpr uint32_t k_group_ports = 2048;  // of a group of routers; its size is about that of a cache
constexpr size_t k_ahead = 16;            // large networks exceed the caches: prefetch distance

}  // namespace

Network::Network(const NetworkTopology& topology, const NetworkTiming& timing, const Faults& faults)
    : topology_(topology),
      timing_(timing),
      faults_(faults),
      lanes_(topology.lanes()),
      ports_(topology.ports()),
      channels_(k_classes * topology.lanes()),
      group_ports_(std::max(1u, k_group_ports / ports_) * ports_) {
  port_table_.resize(size_t{topology.routers()} * ports_);
  const uint32_t near = timing.hop_cycles + timing.inject_cycles + timing.eject_cycles;
  const uint32_t slots = std::bit_ceil(std::clamp(2 * near, 64u, 4096u));
  for (size_t port = 0; port < port_table_.size(); port += group_ports_) events_.emplace_back(slots);
  for (uint32_t at = 0; at < port_table_.size(); ++at) {
    const interconnect::Peer peer = topology.peer(at / ports_, at % ports_);
    Port& port = port_table_[at];
    if (peer.router != interconnect::k_nowhere) port.peer = peer.router * ports_ + peer.port;
    for (Channel& channel : port.channels) channel.credits = static_cast<uint16_t>(timing.slots);
  }
  ends_.resize(topology.nodes());
  for (uint32_t node = 0; node < topology.nodes(); ++node) {
    const interconnect::Peer at = topology.attachment(node);
    ends_[node].input_port = at.router * ports_ + at.port;
    for (uint16_t& credits : ends_[node].credits) credits = static_cast<uint16_t>(timing.slots);
  }
}

uint32_t Network::serialisation_cycles(uint32_t bytes) const {
  const uint32_t on_link = std::max(bytes + timing_.framing_bytes, timing_.least_bytes);
  return std::max(1u, static_cast<uint32_t>(std::ceil(on_link / timing_.bytes_per_cycle)));
}

// ---- flights and queues

uint32_t Network::make(const Flight& flight, const Load& load) {
  ++in_flight_;
  if (free_flights_.empty()) {
    flights_.push_back(flight);
    loads_.push_back(load);
    return static_cast<uint32_t>(flights_.size() - 1);
  }
  const uint32_t made = free_flights_.back();
  free_flights_.pop_back();
  flights_[made] = flight;
  loads_[made] = load;
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
  // The serial is the node's own count, so that it does not depend on the order of nodes within a cycle.
  const Flight flight{.source = message.source,
                      .destination = message.destination,
                      .cycles = serialisation_cycles(message.bytes),
                      .channel = static_cast<uint8_t>(klass * lanes_)};
  --end.credits[klass];
  end.busy_until = now + flight.cycles;
  add(end.input_port, now + timing_.inject_cycles,
      {EventKind::arrival, 0, end.input_port * k_most_channels + flight.channel,
       make(flight, {message, uint64_t{message.source} << 40 | end.sent++})});
  ++counters_.injected;
}

const Message* Network::front(uint32_t node, MessageClass of, uint64_t now) const {
  const uint32_t head = ends_[node].arrived[static_cast<uint32_t>(of)].head;
  return head == k_none || loads_[head].ready > now ? nullptr : &loads_[head].message;
}

void Network::pop(uint32_t node, MessageClass of, uint64_t now) {
  const uint32_t popped = pop_front(ends_[node].arrived[static_cast<uint32_t>(of)]);
  const Flight& flight = flights_[popped];
  if (!flight.is_copy)
    add(flight.port, now + timing_.eject_cycles, {EventKind::credit, flight.channel, flight.port, 0});
  drop(popped);
}

uint64_t Network::next_visible(uint32_t node, uint64_t now) const {
  const End& end = ends_[node];
  uint64_t next = UINT64_MAX;
  for (const Queue& queue : end.arrived)
    // Behind an arrived first packet, the next one becomes visible when the node pops the first, which the
    // node notices itself.
    for (uint32_t at = queue.head; at != k_none; at = flights_[at].next)
      if (loads_[at].ready > now) {
        next = std::min(next, loads_[at].ready);
        break;
      }
  for (const Credit& credit : end.returning)
    if (credit.ready > now) return std::min(next, credit.ready);
  return next;
}

void Network::deliver(uint32_t arrived, uint64_t now) {
  const Flight& flight = flights_[arrived];
  if (flight.is_corrupt) {
    if (!flight.is_copy)
      add(flight.port, now + timing_.eject_cycles, {EventKind::credit, flight.channel, flight.port, 0});
    drop(arrived);
    return;
  }
  ++counters_.delivered;
  loads_[arrived].ready = now;
  push(ends_[flight.destination].arrived[flight.channel / lanes_], arrived);
  woken_.push_back({flight.destination, now});
}

// ---- the routers

void Network::list(uint32_t port) {
  if (port_table_[port].is_listed) return;
  port_table_[port].is_listed = true;
  listed_.push_back(port);
}

void Network::fetch(const Event& event) {
  switch (event.kind) {
    case EventKind::arrival:
      __builtin_prefetch(&flights_[event.flight]);
      [[fallthrough]];
    case EventKind::head:
      return __builtin_prefetch(&input(event.at));
    case EventKind::delivery:
      return __builtin_prefetch(&flights_[event.flight]);
    case EventKind::end_credit:
      return __builtin_prefetch(&ends_[event.at]);
    case EventKind::credit:
    case EventKind::serve:
      return __builtin_prefetch(&port_table_[event.at]);
  }
}

void Network::apply(const Event& event, uint64_t now) {
  switch (event.kind) {
    case EventKind::arrival: {
      Input& there = input(event.at);
      push(there.flights, event.flight);
      if (there.is_placed) break;
      there.is_placed = true;
      if (there.free_at <= now)
        heads_.push_back(event.at);
      else
        add(event.at / k_most_channels, there.free_at, {EventKind::head, 0, event.at, 0});
      break;
    }
    case EventKind::head:
      heads_.push_back(event.at);
      break;
    case EventKind::credit: {
      Channel& channel = port_table_[event.at].channels[event.channel];
      ++channel.credits;
      if (channel.first_waiting != k_no_input) list(event.at);
      break;
    }
    case EventKind::end_credit:
      ends_[event.at].returning.push_back({now, event.channel});
      woken_.push_back({event.at, now});
      break;
    case EventKind::serve:
      port_table_[event.at].wake_at = 0;
      if (port_table_[event.at].waiting > 0) list(event.at);
      break;
    case EventKind::delivery:
      deliver(event.flight, now);
      break;
  }
}

/// Queues the first flights of inputs at their channels, in the order of the inputs: the result must not
/// depend on the order of events within a cycle.
void Network::place_heads() {
  if (heads_.size() > 1) std::sort(heads_.begin(), heads_.end());
  for (size_t i = 0; i < heads_.size(); ++i) {
    // Prefetches again, because the sorted order differs from that of the events.
    if (i + k_ahead < heads_.size()) __builtin_prefetch(&input(heads_[i + k_ahead]));
    if (i + k_ahead / 2 < heads_.size())
      __builtin_prefetch(&flights_[input(heads_[i + k_ahead / 2]).flights.head]);
    place(heads_[i]);
  }
  heads_.clear();
}

void Network::place(uint32_t at) {
  const uint32_t channel = at % k_most_channels;
  const uint32_t router = at / k_most_channels / ports_;
  const uint32_t first = router * ports_ * k_most_channels;  // of the router's inputs
  const auto name = static_cast<uint16_t>(at - first);
  const Flight& flight = flights_[input(at).flights.head];
  const interconnect::Step step =
      topology_.route(router, name / k_most_channels, channel % lanes_, flight.source, flight.destination);
  const uint32_t out = router * ports_ + step.port;
  Port& port = port_table_[out];
  Channel& wanted = port.channels[channel / lanes_ * lanes_ + step.lane];
  input(at).next_waiting = k_no_input;
  if (wanted.first_waiting == k_no_input)
    wanted.first_waiting = name;
  else
    input(first + wanted.last_waiting).next_waiting = name;
  wanted.last_waiting = name;
  ++port.waiting;
  list(out);
}

void Network::wake_later(uint32_t port, uint64_t cycle) {
  if (port_table_[port].wake_at == cycle) return;
  port_table_[port].wake_at = cycle;
  add(port, cycle, {EventKind::serve, 0, port, 0});
}

/// Sends one packet if the link is free, round-robin among the channels that have one and have room at the
/// other end.
void Network::serve(uint32_t at, uint64_t now) {
  Port& port = port_table_[at];
  port.is_listed = false;
  if (port.waiting == 0) return;
  if (port.busy_until > now) return wake_later(at, port.busy_until);
  for (uint32_t i = 0; i < channels_; ++i) {
    const uint32_t which = (port.next_channel + i) % channels_;
    if (port.channels[which].first_waiting == k_no_input || port.channels[which].credits == 0) continue;
    port.next_channel = static_cast<uint8_t>((which + 1) % channels_);
    grant(at, static_cast<uint8_t>(which), now);
    if (port.waiting > 0) wake_later(at, port.busy_until);
    return;
  }
}

/// A slot is free once the tail of its flight has left; returns the credit to the sender.
void Network::return_slot(uint32_t port, const Flight& flight, uint64_t now) {
  if (flight.port == k_none)
    add(port, now + timing_.inject_cycles,
        {EventKind::end_credit, static_cast<uint8_t>(flight.channel / lanes_), flight.source, 0});
  else
    add(flight.port, now + timing_.hop_cycles, {EventKind::credit, flight.channel, flight.port, 0});
}

void Network::grant(uint32_t at, uint8_t channel, uint64_t now) {
  Port& port = port_table_[at];
  Channel& granting = port.channels[channel];
  const uint32_t from = at / ports_ * ports_ * k_most_channels + granting.first_waiting;
  Input& giving = input(from);
  granting.first_waiting = giving.next_waiting;
  --port.waiting;
  --granting.credits;
  const uint32_t granted = pop_front(giving.flights);
  Flight& flight = flights_[granted];
  port.busy_until = giving.free_at = now + flight.cycles;
  if (giving.flights.head == k_none)
    giving.is_placed = false;
  else
    add(at, giving.free_at, {EventKind::head, 0, from, 0});
  return_slot(at, flight, giving.free_at);
  flight.port = at;
  flight.channel = channel;
  ++flight.hops;
  if (is_lost(granted)) {
    add(at, giving.free_at + timing_.hop_cycles, {EventKind::credit, channel, at, 0});
    drop(granted);
  } else if (port.peer == k_none) {
    leave(granted, now);
  } else {
    ++counters_.hops;
    add(port.peer, now + timing_.hop_cycles,
        {EventKind::arrival, 0, port.peer * k_most_channels + channel, granted});
  }
}

bool Network::happens(uint32_t flight, double chance, uint32_t what) const {
  if (chance <= 0) return false;
  const uint64_t draw = base::mixed(base::mixed(base::mixed(faults_.seed) ^ loads_[flight].serial) ^
                                    (uint64_t{flights_[flight].hops} << 8 | what));
  return static_cast<double>(draw >> 11) * 0x1p-53 < chance;
}

/// Applies the faults of a link to a packet that crosses it.
bool Network::is_lost(uint32_t crossing) {
  Flight& flight = flights_[crossing];
  if (happens(crossing, faults_.loss, 0)) {
    ++counters_.lost;
    return true;
  }
  if (!flight.is_corrupt && happens(crossing, faults_.corruption, 1)) {
    flight.is_corrupt = true;
    ++counters_.corrupted;
  }
  return false;
}

/// Sends a packet to a node, which sees it when it has arrived completely.
void Network::leave(uint32_t leaving, uint64_t now) {
  const Flight flight = flights_[leaving];
  const uint64_t there = now + timing_.eject_cycles + flight.cycles;
  if (happens(leaving, faults_.duplication, 2)) {
    ++counters_.duplicated;
    Flight copy = flight;
    copy.is_copy = true;
    const Load load = loads_[leaving];
    const uint64_t delay = 1 + base::mixed(load.serial ^ faults_.seed) % faults_.delay_cycles;
    add(flight.port, there + delay, {EventKind::delivery, 0, 0, make(copy, load)});
  }
  uint64_t delay = 0;
  if (happens(leaving, faults_.reordering, 3)) {
    ++counters_.delayed;
    delay = 1 + base::mixed(loads_[leaving].serial + faults_.seed) % faults_.delay_cycles;
  }
  add(flight.port, there + delay, {EventKind::delivery, 0, 0, leaving});
}

/// The inputs at the heads of the queues of a port's channels.
template <class Fetch>
void Network::for_first_waiting(uint32_t port, const Fetch& fetch) {
  const uint32_t first = port / ports_ * ports_ * k_most_channels;
  for (const Channel& channel : port_table_[port].channels)
    if (channel.first_waiting != k_no_input) fetch(input(first + channel.first_waiting));
}

void Network::step(EventWheel<Event>& events, uint64_t now) {
  events.take(now, now_events_);
  for (size_t i = 0; i < now_events_.size(); ++i) {
    if (i + k_ahead < now_events_.size()) fetch(now_events_[i + k_ahead]);
    apply(now_events_[i], now);
  }
  place_heads();
  for (size_t i = 0; i < listed_.size(); ++i) {
    if (i + k_ahead < listed_.size())
      for_first_waiting(listed_[i + k_ahead], [](const Input& input) { __builtin_prefetch(&input); });
    if (i + k_ahead / 2 < listed_.size())
      for_first_waiting(listed_[i + k_ahead / 2],
                        [this](const Input& input) { __builtin_prefetch(&flights_[input.flights.head]); });
    serve(listed_[i], now);
  }
  listed_.clear();
}

void Network::run(uint64_t from, uint64_t end) {
  woken_.clear();
  for (EventWheel<Event>& events : events_)
    for (uint64_t cycle = events.next(from, end); cycle < end; cycle = events.next(cycle + 1, end))
      step(events, cycle);
}

uint64_t Network::next_event(uint64_t from, uint64_t limit) {
  for (EventWheel<Event>& events : events_) limit = events.next(from, limit);
  return limit;
}

}  // namespace tutti::offload::network
