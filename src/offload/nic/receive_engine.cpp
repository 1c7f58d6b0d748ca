#include "offload/nic/receive_engine.hpp"

#include <algorithm>

#include "offload/nic/operators.hpp"

namespace tutti::offload::nic {

bool RequestDamq::has(const Packet& notification) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Packet& entry) {
    return entry.kind != PacketKind::none && entry.id == notification.id &&
           entry.epoch == notification.epoch && entry.round == notification.round &&
           entry.source == notification.source && entry.words == notification.words;
  });
}

void RequestDamq::insert(const Packet& notification) {
  ++used_;
  for (Packet& entry : entries_)
    if (entry.kind == PacketKind::none) {
      entry = notification;
      return;
    }
  entries_.push_back(notification);
}

void RequestDamq::free(uint32_t entry) {
  entries_[entry].kind = PacketKind::none;
  --used_;
}

namespace {

/// Cycles of the operator, without the one cycle per element.
uint32_t latency(const Context& context, const EngineConfiguration& configuration) {
  if (static_cast<ElementType>(context.type) != ElementType::float64) return configuration.lat_int;
  switch (static_cast<Operator>(context.op)) {
    case Operator::sum:
      return configuration.lat_fadd;
    case Operator::min:
    case Operator::max:
      return configuration.lat_fcmp;
    default:
      return configuration.lat_int;
  }
}

void apply_all(const Context& context, Value& left, const Value& right) {
  for (uint32_t i = 0; i < context.elements; ++i)
    left[i] =
        apply(static_cast<Operator>(context.op), static_cast<ElementType>(context.type), left[i], right[i]);
}

}  // namespace

/// Executes all passes of an accepted payload at once and returns the number of cycles that they take. `acc`
/// is not read before these cycles have passed.
uint32_t ReceiveEngine::combine(const Context& context, const Values& values, ReceiveState& state,
                                const Value& payload) {
  const RoundPlan& plan = context.plan[state.round];
  const uint32_t copy = context.elements + configuration_.lat_copy;
  const uint32_t pass = context.elements + latency(context, configuration_);
  const Value& own = values[state.round];
  uint32_t cycles = pass;
  if (plan.action != Action::combine || (state.count == 0 && plan.own_position > 0)) {
    state.acc = payload;
    cycles = copy;
    if (plan.action != Action::combine) return cycles;
  } else {
    if (state.count == 0) state.acc = own;
    apply_all(context, state.acc, payload);
  }
  if (state.count + 1 == plan.own_position) {
    apply_all(context, state.acc, own);
    cycles += pass;
  }
  return cycles;
}

void ReceiveEngine::finish_accept(uint32_t c, uint32_t index, const Context& context, Values& values) {
  ReceiveState& state = states_[c];
  state.got = static_cast<uint16_t>(state.got | 1u << index);
  ++state.count;
  if (context.elements > 0 && context.plan[state.round].action == Action::combine) state.is_looking = true;
  if (state.count < context.plan[state.round].receives) return;
  state.got = 0;
  state.count = 0;
  ++state.round;
  state.is_looking = true;
  if (context.elements > 0) values[state.round] = state.acc;
}

void ReceiveEngine::accept(uint32_t c, const Packet& packet, const Context& context, Values& values) {
  const uint32_t index = context.find_source(packet.round, packet.source);
  if (context.elements == 0) return finish_accept(c, index, context, values);
  busy_ = combine(context, values, states_[c], packet.payload);
  busy_context_ = c;
  busy_index_ = index;
}

/// Judges a notification of the context's current round.
ReceiveEngine::Verdict ReceiveEngine::judge_current(const Packet& packet, const Context& context,
                                                    const ReceiveState& state) const {
  const RoundPlan& plan = context.plan[state.round];
  const uint32_t index = context.find_source(packet.round, packet.source);
  if (index == plan.receives) return Verdict::stray;
  if (plan.action == Action::combine) {
    if (index < state.count) return Verdict::duplicate;
    return index == state.count ? Verdict::accept : Verdict::early;
  }
  return (state.got >> index & 1) != 0 ? Verdict::duplicate : Verdict::accept;
}

ReceiveEngine::Verdict ReceiveEngine::judge(const Packet& packet, const std::vector<Context>& contexts,
                                            uint32_t* found) const {
  if (packet.kind != PacketKind::notification || packet.id >= configuration_.ids ||
      packet.round >= configuration_.rounds || packet.words > configuration_.value_words)
    return Verdict::stray;
  if (!is_at_or_after(packet.epoch, low_[packet.id])) return Verdict::duplicate;
  for (uint32_t c = 0; c < contexts.size(); ++c) {
    const Context& context = contexts[c];
    const ReceiveState& state = states_[c];
    if (!state.is_active || context.id != packet.id || context.epoch != packet.epoch) continue;
    *found = c;
    if (packet.round < state.round) return Verdict::duplicate;
    if (packet.round >= context.rounds || packet.words != context.elements) return Verdict::stray;
    return packet.round == state.round ? judge_current(packet, context, state) : Verdict::early;
  }
  return Verdict::early;
}

void ReceiveEngine::take_request(const std::vector<Context>& contexts, std::vector<Values>& values,
                                 Fifo<Packet>& requests, Fifo<Packet>& responses, EngineCounters& counters) {
  const Packet& packet = requests.head();
  requests.pop();
  uint32_t c = 0;
  const Verdict verdict = judge(packet, contexts, &c);
  if (verdict == Verdict::stray) {
    ++counters.strays;
    return;
  }
  PacketKind answer = PacketKind::ack;
  if (verdict == Verdict::accept) {
    accept(c, packet, contexts[c], values[c]);
  } else if (verdict == Verdict::duplicate || damq_.has(packet)) {
    ++counters.duplicates;
  } else if (damq_.is_full()) {
    answer = PacketKind::nack;
  } else {
    damq_.insert(packet);
    ++counters.early;
    counters.damq_peak = std::max(counters.damq_peak, damq_.used());
  }
  ++(answer == PacketKind::ack ? counters.acks : counters.nacks);
  responses.push(response_to(packet, answer));
}

void ReceiveEngine::look(uint32_t c, const Context& context, Values& values, EngineCounters& counters) {
  ReceiveState& state = states_[c];
  if (state.round == context.rounds) {
    state.is_done = true;
    state.is_looking = false;
    return;
  }
  if (context.plan[state.round].receives == 0) {
    if (context.elements > 0) values[state.round + 1] = values[state.round];
    ++state.round;
    return;
  }
  for (uint32_t entry = 0; entry < damq_.depth(); ++entry) {
    const Packet* packet = damq_.at(entry);
    if (packet == nullptr || packet->id != context.id || packet->epoch != context.epoch ||
        packet->round != state.round)
      continue;
    const Verdict verdict =
        packet->words == context.elements ? judge_current(*packet, context, state) : Verdict::stray;
    if (verdict == Verdict::early || verdict == Verdict::duplicate) continue;
    if (verdict == Verdict::stray)
      ++counters.strays;
    else
      accept(c, *packet, context, values);
    damq_.free(entry);
    return;
  }
  state.is_looking = false;
}

void ReceiveEngine::retire(uint32_t c, const Context& context, EngineCounters& counters) {
  const Value acc = states_[c].acc;
  states_[c] = {.acc = acc};
  low_[context.id] = context.epoch + 1;
  for (uint32_t entry = 0; entry < damq_.depth(); ++entry) {
    const Packet* packet = damq_.at(entry);
    if (packet == nullptr || packet->id != context.id || packet->epoch != context.epoch) continue;
    damq_.free(entry);
    ++counters.strays;
  }
}

bool ReceiveEngine::step(const Seen& seen, const std::vector<Context>& contexts, std::vector<Values>& values,
                         Fifo<Packet>& requests, Fifo<Packet>& responses, EngineCounters& counters) {
  uint32_t looking = 0;
  while (looking < states_.size() && !states_[looking].is_looking) ++looking;
  bool is_changed = true;
  if (busy_ > 0) {
    if (--busy_ == 0)
      finish_accept(busy_context_, busy_index_, contexts[busy_context_], values[busy_context_]);
  } else if (looking < states_.size()) {
    look(looking, contexts[looking], values[looking], counters);
  } else if (seen.retirable < states_.size()) {
    retire(seen.retirable, contexts[seen.retirable], counters);
  } else if (requests.can_pop() && responses.can_push()) {
    take_request(contexts, values, requests, responses, counters);
  } else {
    is_changed = false;
  }
  if (seen.posted < states_.size()) {
    states_[seen.posted].is_active = states_[seen.posted].is_looking = true;
    is_changed = true;
  }
  return is_changed;
}

}  // namespace tutti::offload::nic
