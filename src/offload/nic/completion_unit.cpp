#include "offload/nic/completion_unit.hpp"

#include "offload/descriptor.hpp"

namespace tutti::offload::nic {

void CompletionUnit::begin_refusal(const RefusalReport& refusal) {
  context_ = configuration_.contexts;
  is_entry_ = true;
  is_interrupt_ = refusal.completion == static_cast<uint8_t>(Completion::interrupt);
  results_ = 0;
  cookie_ = refusal.cookie;
  status_ = status_word(refusal.epoch, refusal.id, static_cast<uint64_t>(refusal.why), false);
}

void CompletionUnit::begin_done(uint32_t c, const Context& context, const Values& values) {
  context_ = c;
  is_entry_ = context.completion != static_cast<uint8_t>(Completion::memory_write);
  is_interrupt_ = context.completion == static_cast<uint8_t>(Completion::interrupt);
  results_ = context.elements;
  cookie_ = context.cookie;
  status_ = status_word(context.epoch, context.id, k_status_done, !is_entry_);
  if (results_ > 0) result_ = values[context.rounds];
}

/// Beats of an entry: cookie, results, status. Beats of a memory write: results, status.
MemoryWrite CompletionUnit::beat() const {
  const uint32_t result = is_entry_ ? beat_ - 1 : beat_;
  if (is_entry_ && beat_ == 0) return {base_ + 8, cookie_, false};
  if (result < results_) return {base_ + (is_entry_ ? 16 : 0) + 8 * uint64_t{result}, result_[result], false};
  return {base_ + (is_entry_ ? 0 : 8 * uint64_t{results_}), status_, true};
}

void CompletionUnit::finish() {
  state_ = State::idle;
  if (context_ < configuration_.contexts) is_reported_[context_] = 1;
  if (is_entry_) ++tail_;
  is_irq_ = is_interrupt_;
}

bool CompletionUnit::step(const RefusalReport* refusal, const std::vector<Context>& contexts,
                          const std::vector<Values>& values, const std::vector<ReceiveState>& receive,
                          Fifo<MemoryWrite>& writes, EngineCounters& counters) {
  bool is_changed = is_irq_;
  is_irq_ = false;
  uint32_t done = 0;
  while (done < contexts.size() &&
         !(receive[done].is_active && receive[done].is_done && is_reported_[done] == 0))
    ++done;
  for (uint32_t c = 0; c < contexts.size(); ++c)
    if (!receive[c].is_active && is_reported_[c] != 0) {
      is_reported_[c] = 0;
      is_changed = true;
    }
  if (state_ == State::idle) {
    if (refusal == nullptr && done == contexts.size()) return is_changed;
    if (refusal != nullptr) {
      ++counters.refused;
      begin_refusal(*refusal);
    } else {
      ++counters.completions;
      begin_done(done, contexts[done], values[done]);
    }
    // The phase bit distinguishes new entries from those of the previous pass over the queue.
    const bool phase = (tail_ / (configuration_.cq_mask + 1)) % 2 == 0;
    base_ = cookie_;
    if (is_entry_) {
      base_ = configuration_.cq_base + uint64_t{k_cq_entry_bytes} * (tail_ & configuration_.cq_mask);
      status_ |= uint64_t{phase} << 56;
    }
    beat_ = 0;
    state_ = State::beats;
    return true;
  }
  if (!writes.can_push()) return is_changed;
  const MemoryWrite next = beat();
  writes.push(next);
  ++beat_;
  if (next.is_last) finish();
  return true;
}

}  // namespace tutti::offload::nic
