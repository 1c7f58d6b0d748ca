#include "offload/nic/dispatcher.hpp"

#include "offload/descriptor_words.hpp"
#include "offload/nic/packet.hpp"

namespace tutti::offload::nic {

bool FetchUnit::step(Fifo<Doorbell>& sdq, Fifo<Word>& fetched, bool is_rd_taken, const Word* rdata) {
  switch (state_) {
    case State::idle:
      if (!sdq.can_pop()) return false;
      request_ = sdq.head();
      sdq.pop();
      if (request_.words > 0) state_ = State::ask;
      return true;
    case State::ask:
      if (is_rd_taken) state_ = State::fill;
      return is_rd_taken;
    case State::fill:
      if (rdata == nullptr) return false;
      fetched.push(*rdata);
      if (rdata->is_last) state_ = State::idle;
      return true;
  }
  return false;
}

void Dispatcher::add_to_crc(uint64_t data) {
  for (int bit = 0; bit < 64; ++bit, data >>= 1)
    crc_ = (crc_ >> 1) ^ (((crc_ ^ data) & 1) != 0 ? k_crc_polynomial : 0);
}

void Dispatcher::begin(uint32_t free_context, bool from_hdq, Context& context) {
  state_ = State::words;
  place_ = Place::header;
  is_hdq_ = from_hdq;
  context_ = free_context;
  words_ = length_ = round_ = left_ = 0;
  crc_ = UINT32_MAX;
  report_ = {};
  context.sends.clear();
  context.receives.clear();
}

Refusal Dispatcher::read_header(uint64_t data, Context& context) {
  const auto bits = [data](int from, int count) { return (data >> from) & ((uint64_t{1} << count) - 1); };
  switch (words_ - 1) {
    case 0:
      context.kind = static_cast<uint8_t>(bits(40, 8));
      context.completion = report_.completion = static_cast<uint8_t>(bits(48, 8));
      return bits(0, 32) == k_descriptor_magic && bits(32, 8) == k_descriptor_version && bits(56, 8) == 0 &&
                     context.kind >= 1 && context.kind <= 2 && context.completion >= 1 &&
                     context.completion <= 3
                 ? Refusal::none
                 : Refusal::format;
    case 1:
      length_ = static_cast<uint32_t>(bits(0, 16));
      context.rounds = static_cast<uint32_t>(bits(16, 8));
      context.op = static_cast<uint8_t>(bits(24, 8));
      context.type = static_cast<uint8_t>(bits(32, 8));
      context.elements = static_cast<uint32_t>(bits(40, 8));
      context.id = report_.id = static_cast<uint16_t>(bits(48, 16));
      if (context.op > 5 || context.type > 3) return Refusal::format;
      return context.rounds <= configuration_.rounds && context.elements <= configuration_.value_words &&
                     context.id < configuration_.ids
                 ? Refusal::none
                 : Refusal::limits;
    case 2:
      context.rank = static_cast<uint32_t>(data >> 32);
      return Refusal::none;
    case 3:
      context.epoch = report_.epoch = static_cast<uint32_t>(data);
      crc_expected_ = static_cast<uint32_t>(data >> 32);
      return is_at_or_after(context.epoch, next_epoch_[context.id]) ? Refusal::none : Refusal::epoch;
    default:
      context.cookie = report_.cookie = data;
      return Refusal::none;
  }
}

Refusal Dispatcher::read_round(uint64_t data, Context& context) const {
  const auto byte = [data](int index) { return static_cast<uint8_t>(data >> (8 * index)); };
  if (byte(2) > 2) return Refusal::format;
  if (byte(0) > configuration_.peers || byte(1) > configuration_.peers || byte(3) > byte(1))
    return Refusal::limits;
  context.plan[round_] = {.sends = byte(0),
                          .receives = byte(1),
                          .action = static_cast<Action>(byte(2)),
                          .own_position = byte(3),
                          .first_send = static_cast<uint32_t>(context.sends.size()),
                          .first_receive = static_cast<uint32_t>(context.receives.size())};
  return Refusal::none;
}

void Dispatcher::read_ranks(uint64_t data, uint32_t count, std::vector<uint32_t>& list) {
  list.push_back(static_cast<uint32_t>(data));
  if (count > 1) list.push_back(static_cast<uint32_t>(data >> 32));
}

/// Advances to the next word; false when there is none.
bool Dispatcher::go_on(const Context& context) {
  if (place_ == Place::header) {
    if (words_ < k_header_words) return true;
    place_ = Place::operand;
    left_ = context.elements;
  } else {
    const uint32_t step = place_ == Place::operand ? 1 : 2;
    if (place_ != Place::round) left_ -= left_ < step ? left_ : step;
  }
  if (place_ == Place::round) {
    place_ = Place::sends;
    left_ = context.plan[round_].sends;
  }
  if (left_ > 0) return true;
  if (place_ == Place::sends) {
    place_ = Place::receives;
    left_ = context.plan[round_].receives;
    if (left_ > 0) return true;
  }
  if (place_ == Place::receives) ++round_;
  place_ = Place::round;
  return round_ < context.rounds;
}

void Dispatcher::take_word(const Word& word, Context& context, Values& values) {
  add_to_crc(words_ == 3 ? word.data & UINT32_MAX : word.data);
  ++words_;
  Refusal bad = Refusal::none;
  switch (place_) {
    case Place::header:
      bad = read_header(word.data, context);
      break;
    case Place::operand: {
      const uint32_t index = context.elements - left_;
      if (values.empty()) values.resize(1);
      values[0][index] = word.data;
      break;
    }
    case Place::round:
      bad = read_round(word.data, context);
      break;
    case Place::sends:
      read_ranks(word.data, left_, context.sends);
      break;
    case Place::receives:
      read_ranks(word.data, left_, context.receives);
      break;
  }
  if (bad != Refusal::none) {
    report_.why = bad;
    state_ = word.is_last ? State::check : State::drain;
    return;
  }
  const bool is_end = !go_on(context);
  if (is_end && word.is_last) {
    if (words_ != length_) report_.why = Refusal::length;
    state_ = State::check;
  } else if (is_end || word.is_last) {
    report_.why = Refusal::length;
    state_ = is_end ? State::drain : State::check;
  }
}

bool Dispatcher::step(const Seen& seen, Fifo<Word>& hdq, Fifo<Word>& fetched, std::vector<Context>& contexts,
                      std::vector<Values>& values) {
  Fifo<Word>& source = is_hdq_ ? hdq : fetched;
  switch (state_) {
    case State::idle:
      if (seen.free_context >= configuration_.contexts || (!hdq.can_pop() && !fetched.can_pop()))
        return false;
      begin(seen.free_context, hdq.can_pop(), contexts[seen.free_context]);
      values[context_].clear();
      return true;
    case State::words:
    case State::drain:
      if (!source.can_pop()) return false;
      if (state_ == State::words)
        take_word(source.head(), contexts[context_], values[context_]);
      else if (source.head().is_last)
        state_ = State::check;
      source.pop();
      return true;
    case State::check:
      if (report_.why == Refusal::none && ~crc_ != crc_expected_) report_.why = Refusal::checksum;
      state_ = report_.why == Refusal::none ? State::post : State::error;
      return true;
    case State::post:
      is_post_ = true;
      next_epoch_[contexts[context_].id] = contexts[context_].epoch + 1;
      values[context_].resize(contexts[context_].elements > 0 ? contexts[context_].rounds + 1 : 0);
      state_ = State::settle;
      return true;
    case State::settle:
      is_post_ = false;
      state_ = State::idle;
      return true;
    case State::error:
      if (!is_report_) {
        is_report_ = true;
        return true;
      }
      if (!seen.is_report_taken) return false;
      is_report_ = false;
      state_ = State::idle;
      return true;
  }
  return false;
}

}  // namespace tutti::offload::nic
