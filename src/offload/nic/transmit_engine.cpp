#include "offload/nic/transmit_engine.hpp"

#include <algorithm>

namespace tutti::offload::nic {

using Pass = TransmitState::Pass;

namespace {

Packet notification(const Context& context, const Values& values, uint32_t round, uint32_t index) {
  Packet packet{.kind = PacketKind::notification,
                .round = static_cast<uint8_t>(round),
                .words = static_cast<uint8_t>(context.elements),
                .send_index = static_cast<uint8_t>(index),
                .id = context.id,
                .epoch = context.epoch,
                .source = context.rank,
                .destination = context.destination(round, index)};
  for (uint32_t i = 0; i < context.elements; ++i) packet.payload[i] = values[round][i];
  return packet;
}

bool is_idle(const TransmitState& state) {
  return state.round == 0 && state.index == 0 && state.unacked == 0 && !state.is_armed &&
         state.pass == Pass::none;
}

}  // namespace

/// Returns the context to which the response applied, or none (= contexts).
uint32_t TransmitEngine::take_response(uint32_t now, const Packet& packet,
                                       const std::vector<Context>& contexts,
                                       const std::vector<ReceiveState>& receive) {
  const auto none = static_cast<uint32_t>(contexts.size());
  if (packet.kind != PacketKind::ack && packet.kind != PacketKind::nack) return none;
  uint32_t c = 0;
  while (c < contexts.size() &&
         !(receive[c].is_active && contexts[c].id == packet.id && contexts[c].epoch == packet.epoch))
    ++c;
  if (c == none) return none;
  TransmitState& state = states_[c];
  if (packet.round >= contexts[c].rounds || packet.send_index >= contexts[c].plan[packet.round].sends ||
      !state.is_sent(packet.round, packet.send_index))
    return none;
  const auto bit = static_cast<uint16_t>(1u << packet.send_index);
  if ((state.acked[packet.round] & bit) != 0) return none;
  state.late = 0;
  state.timeout_due = now + configuration_.timeout_cycles;
  if (packet.kind == PacketKind::ack) {
    state.acked[packet.round] |= bit;
    state.nacked[packet.round] &= static_cast<uint16_t>(~bit);
    --state.unacked;
    state.tries = 0;
    return c;
  }
  state.nacked[packet.round] |= bit;
  if (state.is_armed) return c;
  state.is_armed = true;
  state.backoff_due =
      now + (configuration_.backoff_cycles << std::min<uint32_t>(state.tries, configuration_.shift_max)) +
      contexts[c].rank % 16;
  state.tries = static_cast<uint8_t>(std::min(state.tries + 1, 15));
  return c;
}

bool TransmitEngine::send_new(uint32_t now, const std::vector<Before>& before,
                              const std::vector<Context>& contexts, const std::vector<Values>& values,
                              const std::vector<ReceiveState>& receive, Fifo<Packet>& requests,
                              EngineCounters& counters) {
  for (uint32_t c = 0; c < contexts.size(); ++c) {
    TransmitState& state = states_[c];
    if (!receive[c].is_active || state.round >= contexts[c].rounds || receive[c].round < state.round ||
        (configuration_.strict && state.index == 0 && before[c].unacked > 0))
      continue;
    const uint32_t sends = contexts[c].plan[state.round].sends;
    if (sends == 0) {
      ++state.round;
      return true;
    }
    requests.push(notification(contexts[c], values[c], state.round, state.index));
    ++counters.notifications;
    ++state.unacked;
    state.timeout_due =
        now + (configuration_.timeout_cycles << std::min<uint32_t>(before[c].late, configuration_.shift_max));
    if (++state.index == sends) {
      state.index = 0;
      ++state.round;
    }
    return true;
  }
  return false;
}

bool TransmitEngine::send_again(uint32_t now, const std::vector<Before>& before,
                                const std::vector<Context>& contexts, const std::vector<Values>& values,
                                Fifo<Packet>& requests, EngineCounters& counters) {
  uint32_t c = 0;
  while (c < contexts.size() && before[c].pass == Pass::none) ++c;
  if (c == contexts.size()) return false;
  TransmitState& state = states_[c];
  const uint32_t round = state.pass_round;
  const uint32_t sends = round < contexts[c].rounds ? contexts[c].plan[round].sends : 0;
  for (uint32_t i = state.pass_index; i < sends; ++i) {
    const auto bit = static_cast<uint16_t>(1u << i);
    if (!state.is_sent(round, i) || (before[c].acked & bit) != 0 ||
        (before[c].pass == Pass::backoff && (before[c].nacked & bit) == 0))
      continue;
    requests.push(notification(contexts[c], values[c], round, i));
    ++counters.resends;
    state.nacked[round] &= static_cast<uint16_t>(~bit);
    state.timeout_due =
        now + (configuration_.timeout_cycles << std::min<uint32_t>(before[c].late, configuration_.shift_max));
    state.pass_index = static_cast<uint8_t>(i + 1);
    return true;
  }
  state.pass_index = 0;
  state.pass_round = static_cast<uint8_t>(round + 1);
  if (round + 1 > state.round || round + 1 >= contexts[c].rounds) {
    state.pass = Pass::none;
    state.pass_round = 0;
  }
  return true;
}

bool TransmitEngine::start_pass(uint32_t now, const Before& before, bool is_answered, TransmitState& state) {
  if (before.pass != Pass::none) return false;
  if (before.is_armed && is_at_or_after(now, before.backoff_due)) {
    state.pass = Pass::backoff;
    state.is_armed = false;
  } else if (before.unacked > 0 && is_at_or_after(now, before.timeout_due)) {
    state.pass = Pass::timeout;
    if (!is_answered) state.late = static_cast<uint8_t>(std::min(state.late + 1, 15));
  } else {
    return false;
  }
  state.pass_round = state.pass_index = 0;
  return true;
}

bool TransmitEngine::step(uint32_t now, const std::vector<Context>& contexts,
                          const std::vector<Values>& values, const std::vector<ReceiveState>& receive,
                          Fifo<Packet>& responses, Fifo<Packet>& requests, EngineCounters& counters) {
  bool is_changed = false;
  before_.clear();
  for (uint32_t c = 0; c < states_.size(); ++c) {
    TransmitState& state = states_[c];
    if (!receive[c].is_active && !is_idle(state)) {
      state = {};
      is_changed = true;
    }
    const uint32_t row = std::min<uint32_t>(state.pass_round, k_most_rounds - 1);
    before_.push_back({state.unacked, state.is_armed, state.pass, state.backoff_due, state.timeout_due,
                       state.acked[row], state.nacked[row], state.late});
  }
  auto answered = static_cast<uint32_t>(states_.size());
  if (responses.can_pop()) {
    answered = take_response(now, responses.head(), contexts, receive);
    responses.pop();
    is_changed = true;
  }
  if (requests.can_push())
    is_changed |= send_new(now, before_, contexts, values, receive, requests, counters) ||
                  send_again(now, before_, contexts, values, requests, counters);
  for (uint32_t c = 0; c < states_.size(); ++c)
    if (receive[c].is_active) is_changed |= start_pass(now, before_[c], c == answered, states_[c]);
  return is_changed;
}

uint32_t TransmitEngine::next_due(uint32_t now, const std::vector<ReceiveState>& receive) const {
  uint32_t wait = uint32_t{1} << 31;
  const auto consider = [&](uint32_t due) {
    wait = std::min(wait, is_at_or_after(now, due) ? 0 : due - now);
  };
  for (uint32_t c = 0; c < states_.size(); ++c) {
    const TransmitState& state = states_[c];
    if (!receive[c].is_active || state.pass != Pass::none) continue;
    if (state.is_armed) consider(state.backoff_due);
    if (state.unacked > 0) consider(state.timeout_due);
  }
  return now + wait;
}

}  // namespace tutti::offload::nic
