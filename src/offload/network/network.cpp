#include "offload/network/network.hpp"

#include <algorithm>
#include <cmath>

#include "offload/network/random.hpp"

namespace tutti::offload::network {

Network::Network(const Topology& topology, const NetworkTiming& timing, const Faults& faults)
    : topology_(topology),
      timing_(timing),
      faults_(faults),
      lanes_(topology.lanes()),
      ports_(topology.ports()) {
  const size_t outputs = size_t{topology.routers()} * ports_;
  outputs_.resize(outputs);
  peers_.reserve(outputs);
  for (uint32_t router = 0; router < topology.routers(); ++router)
    for (uint32_t port = 0; port < ports_; ++port) peers_.push_back(topology.peer(router, port));
  inputs_.resize(outputs * channels_per_port());
  channels_.resize(outputs * channels_per_port());
  for (Channel& channel : channels_) channel.credits = timing.slots;
  ends_.resize(topology.nodes());
  for (uint32_t node = 0; node < topology.nodes(); ++node) {
    const Peer at = topology.attachment(node);
    end_input_.push_back((at.router * ports_ + at.port) * channels_per_port());
    for (uint16_t& credits : ends_[node].credits) credits = static_cast<uint16_t>(timing.slots);
  }
}

uint32_t Network::serialisation_cycles(uint32_t bytes) const {
  const uint32_t on_link = std::max(bytes + timing_.framing_bytes, timing_.least_bytes);
  return std::max(1u, static_cast<uint32_t>(std::ceil(on_link / timing_.bytes_per_cycle)));
}

// ---- flights and queues

uint32_t Network::make(const Message& message) {
  ++in_flight_;
  if (free_flights_.empty()) {
    flights_.push_back({.message = message});
    return static_cast<uint32_t>(flights_.size() - 1);
  }
  const uint32_t flight = free_flights_.back();
  free_flights_.pop_back();
  flights_[flight] = {.message = message};
  return flight;
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

bool Network::can_inject(uint32_t node, MessageClass of, uint64_t now) const {
  return ends_[node].busy_until <= now && ends_[node].credits[static_cast<uint32_t>(of)] > 0;
}

void Network::inject(const Message& message, MessageClass of, uint64_t now) {
  End& end = ends_[message.source];
  const auto klass = static_cast<uint32_t>(of);
  const uint32_t flight = make(message);
  // By node and its own count, so that it does not depend on who comes first in a cycle.
  flights_[flight].serial = uint64_t{message.source} << 40 | end.sent++;
  --end.credits[klass];
  end.busy_until = now + serialisation_cycles(message.bytes);
  events_.add(now + timing_.inject_cycles,
              {EventKind::arrival, end_input_[message.source] + klass * lanes_, flight});
  ++counters_.injected;
}

const Message* Network::front(uint32_t node, MessageClass of) const {
  const Queue& queue = ends_[node].arrived[static_cast<uint32_t>(of)];
  return queue.head == k_none ? nullptr : &flights_[queue.head].message;
}

void Network::pop(uint32_t node, MessageClass of, uint64_t now) {
  const uint32_t flight = pop_front(ends_[node].arrived[static_cast<uint32_t>(of)]);
  if (!flights_[flight].is_copy) events_.add(now + 1, {EventKind::credit, flights_[flight].channel, 0});
  drop(flight);
}

void Network::deliver(uint32_t flight, uint64_t now) {
  const Flight& arrived = flights_[flight];
  const uint32_t node = arrived.message.destination;
  if (arrived.is_corrupt) {
    if (!arrived.is_copy) events_.add(now + 1, {EventKind::credit, arrived.channel, 0});
    drop(flight);
    return;
  }
  ++counters_.delivered;
  push(ends_[node].arrived[arrived.channel % channels_per_port() / lanes_], flight);
  woken_.push_back(node);
}

// ---- the routers

void Network::list(uint32_t output) {
  if (outputs_[output].is_listed) return;
  outputs_[output].is_listed = true;
  listed_.push_back(output);
}

void Network::apply(const Event& event, uint64_t now) {
  switch (event.kind) {
    case EventKind::arrival: {
      Input& input = inputs_[event.at];
      push(input.flights, event.flight);
      if (!input.is_head_placed) {
        input.is_head_placed = true;
        heads_.push_back(event.at);
      }
      break;
    }
    case EventKind::head:
      if (inputs_[event.at].flights.head == k_none)
        inputs_[event.at].is_head_placed = false;
      else
        heads_.push_back(event.at);
      break;
    case EventKind::credit:
      ++channels_[event.at].credits;
      if (outputs_[output_of(event.at)].waiting > 0) list(output_of(event.at));
      break;
    case EventKind::end_credit:
      ++ends_[event.at].credits[event.flight];
      woken_.push_back(event.at);
      break;
    case EventKind::serve:
      outputs_[event.at].wake_at = 0;
      if (outputs_[event.at].waiting > 0) list(event.at);
      break;
    case EventKind::delivery:
      deliver(event.flight, now);
      break;
  }
}

/// First flights of inputs join those that wait for their channel, in the order of the inputs: nothing may
/// depend on the order in which a cycle's events were found.
void Network::place_heads() {
  std::sort(heads_.begin(), heads_.end());
  for (const uint32_t at : heads_) {
    const uint32_t port_index = at / channels_per_port(), channel = at % channels_per_port();
    const Flight& flight = flights_[inputs_[at].flights.head];
    const uint32_t router = port_index / ports_;
    const Step step = topology_.route(router, port_index % ports_, channel % lanes_, flight.message.source,
                                      flight.message.destination);
    const uint32_t output = router * ports_ + step.port;
    Queue& waiting = channels_[output * channels_per_port() + channel / lanes_ * lanes_ + step.lane].waiting;
    inputs_[at].next_waiting = k_none;
    (waiting.head == k_none ? waiting.head : inputs_[waiting.tail].next_waiting) = at;
    waiting.tail = at;
    ++outputs_[output].waiting;
    list(output);
  }
  heads_.clear();
}

void Network::wake_later(uint32_t output, uint64_t cycle) {
  if (outputs_[output].wake_at == cycle) return;
  outputs_[output].wake_at = cycle;
  events_.add(cycle, {EventKind::serve, output, 0});
}

/// One packet, if the link is free, by turns from the channels that have one and room at the other end.
void Network::serve(uint32_t output, uint64_t now) {
  Output& state = outputs_[output];
  state.is_listed = false;
  if (state.waiting == 0) return;
  if (state.busy_until > now) return wake_later(output, state.busy_until);
  for (uint32_t i = 0; i < channels_per_port(); ++i) {
    const uint32_t which = (state.next_channel + i) % channels_per_port();
    const uint32_t channel = output * channels_per_port() + which;
    if (channels_[channel].waiting.head == k_none || channels_[channel].credits == 0) continue;
    state.next_channel = static_cast<uint16_t>((which + 1) % channels_per_port());
    grant(output, channel, now);
    if (state.waiting > 0) wake_later(output, state.busy_until);
    return;
  }
}

/// The slot of an input's first flight is free once its tail has left; whoever sends to the input is told.
void Network::return_slot(uint32_t input, uint64_t now) {
  const uint32_t port_index = input / channels_per_port(), channel = input % channels_per_port();
  const Peer& from = peers_[port_index];
  if (from.router == k_nowhere)
    events_.add(now + timing_.inject_cycles, {EventKind::end_credit, from.node, channel / lanes_});
  else
    events_.add(now + timing_.hop_cycles,
                {EventKind::credit, (from.router * ports_ + from.port) * channels_per_port() + channel, 0});
}

void Network::grant(uint32_t output, uint32_t channel, uint64_t now) {
  Queue& waiting = channels_[channel].waiting;
  const uint32_t at = waiting.head;
  waiting.head = inputs_[at].next_waiting;
  --outputs_[output].waiting;
  const uint32_t flight = pop_front(inputs_[at].flights);
  const uint32_t cycles = serialisation_cycles(flights_[flight].message.bytes);
  outputs_[output].busy_until = now + cycles;
  events_.add(now + cycles, {EventKind::head, at, 0});
  return_slot(at, now + cycles);
  --channels_[channel].credits;
  flights_[flight].channel = channel;
  ++flights_[flight].hops;
  const Peer& to = peers_[output];
  if (is_lost(flight)) {
    events_.add(now + cycles + timing_.hop_cycles, {EventKind::credit, channel, 0});
    drop(flight);
    return;
  }
  if (to.node != k_nowhere)
    leave(flight, cycles, now);
  else
    cross(flight, output, channel, now);
}

bool Network::happens(const Flight& flight, double chance, uint32_t what) const {
  if (chance <= 0) return false;
  const uint64_t draw =
      mixed(mixed(mixed(faults_.seed) ^ flight.serial) ^ (uint64_t{flight.hops} << 8 | what));
  return static_cast<double>(draw >> 11) * 0x1p-53 < chance;
}

/// What a link does to what crosses it.
bool Network::is_lost(uint32_t flight) {
  Flight& crossing = flights_[flight];
  if (happens(crossing, faults_.loss, 0)) {
    ++counters_.lost;
    return true;
  }
  if (!crossing.is_corrupt && happens(crossing, faults_.corruption, 1)) {
    crossing.is_corrupt = true;
    ++counters_.corrupted;
  }
  return false;
}

/// Over a link between routers.
void Network::cross(uint32_t flight, uint32_t output, uint32_t channel, uint64_t now) {
  ++counters_.hops;
  const Peer& to = peers_[output];
  events_.add(now + timing_.hop_cycles,
              {EventKind::arrival,
               (to.router * ports_ + to.port) * channels_per_port() + channel % channels_per_port(), flight});
}

/// To a node, which sees the packet when all of it is there.
void Network::leave(uint32_t flight, uint32_t cycles, uint64_t now) {
  const uint64_t there = now + timing_.eject_cycles + cycles;
  if (happens(flights_[flight], faults_.duplication, 2)) {
    ++counters_.duplicated;
    const uint32_t copy = make(flights_[flight].message);
    const Flight& original = flights_[flight];
    flights_[copy].channel = original.channel;
    flights_[copy].is_corrupt = original.is_corrupt;
    flights_[copy].is_copy = true;
    const uint64_t delay = 1 + mixed(original.serial ^ faults_.seed) % faults_.delay_cycles;
    events_.add(there + delay, {EventKind::delivery, 0, copy});
  }
  uint64_t delay = 0;
  if (happens(flights_[flight], faults_.reordering, 3)) {
    ++counters_.delayed;
    delay = 1 + mixed(flights_[flight].serial + faults_.seed) % faults_.delay_cycles;
  }
  events_.add(there + delay, {EventKind::delivery, 0, flight});
}

void Network::step(uint64_t now) {
  woken_.clear();
  events_.take(now, now_events_);
  for (const Event& event : now_events_) apply(event, now);
  place_heads();
  for (const uint32_t output : listed_) serve(output, now);
  listed_.clear();
}

}  // namespace tutti::offload::network
