#include "offload/nic/engine.hpp"

#include <algorithm>

namespace tutti::offload::nic {

Engine::Engine(const EngineConfiguration& configuration)
    : hdq_(configuration.hdq_words),
      fetched_(configuration.fw_depth),
      sdq_(configuration.sdq_depth),
      rxq_(configuration.rxq_depth),
      rxp_(configuration.rxp_depth),
      txq_(configuration.txq_depth),
      txp_(configuration.txp_depth),
      writes_(configuration.wr_depth),
      contexts_(configuration.contexts),
      values_(configuration.contexts),
      dispatcher_(configuration),
      receive_(configuration),
      transmit_(configuration),
      completion_(configuration) {}

Outputs Engine::outputs() const {
  return {.pio_ready = hdq_.can_push(),
          .bell_ready = sdq_.can_push(),
          .rdata_ready = fetch_.is_filling() && fetched_.can_push(),
          .rxq_ready = rxq_.can_push(),
          .rxp_ready = rxp_.can_push(),
          .rd = fetch_.rd(),
          .wr = writes_.can_pop() ? &writes_.head() : nullptr,
          .txq = txq_.can_pop() ? &txq_.head() : nullptr,
          .txp = txp_.can_pop() ? &txp_.head() : nullptr,
          .irq = completion_.irq()};
}

/// The lowest context that may retire, or none.
uint32_t Engine::retirable() const {
  const auto is_over = [&](uint32_t c) {
    const ReceiveState& receive = receive_.states()[c];
    const TransmitState& transmit = transmit_.states()[c];
    return receive.is_active && receive.is_done && completion_.is_reported(c) &&
           transmit.round == contexts_[c].rounds && transmit.unacked == 0;
  };
  const auto has_elder = [&](uint32_t c) {
    for (uint32_t other = 0; other < contexts_.size(); ++other)
      if (other != c && receive_.states()[other].is_active && contexts_[other].id == contexts_[c].id &&
          !is_at_or_after(contexts_[other].epoch, contexts_[c].epoch))
        return true;
    return false;
  };
  uint32_t c = 0;
  while (c < contexts_.size() && (!is_over(c) || has_elder(c))) ++c;
  return c;
}

/// Accepts transfers of ports that end in FIFOs; the fetch unit accepts those of `rdata`.
void Engine::take_inputs(const Inputs& inputs) {
  if (inputs.pio != nullptr && hdq_.can_push()) hdq_.push(*inputs.pio);
  if (inputs.bell != nullptr && sdq_.can_push()) sdq_.push(*inputs.bell);
  if (inputs.rxq != nullptr && rxq_.can_push()) rxq_.push(*inputs.rxq);
  if (inputs.rxp != nullptr && rxp_.can_push()) rxp_.push(*inputs.rxp);
  if (inputs.txq_ready && txq_.can_pop()) txq_.pop();
  if (inputs.txp_ready && txp_.can_pop()) txp_.pop();
  if (inputs.wr_ready && writes_.can_pop()) writes_.pop();
}

bool Engine::commit() {
  bool is_changed = hdq_.commit();
  is_changed |= fetched_.commit();
  is_changed |= sdq_.commit();
  is_changed |= rxq_.commit();
  is_changed |= rxp_.commit();
  is_changed |= txq_.commit();
  is_changed |= txp_.commit();
  is_changed |= writes_.commit();
  return is_changed;
}

void Engine::step(uint64_t now, const Inputs& inputs) {
  const auto time = static_cast<uint32_t>(now);
  const bool is_rd_taken = fetch_.rd() != nullptr && inputs.rd_ready;
  const Word* rdata = fetch_.is_filling() && fetched_.can_push() ? inputs.rdata : nullptr;
  take_inputs(inputs);

  uint32_t free_context = 0;
  while (free_context < contexts_.size() && receive_.states()[free_context].is_active) ++free_context;
  const ReceiveEngine::Seen seen_by_receive{.posted = dispatcher_.posted(), .retirable = retirable()};
  const RefusalReport* report = dispatcher_.report();
  const Dispatcher::Seen seen_by_dispatcher{.free_context = free_context,
                                            .is_report_taken = report != nullptr && completion_.is_idle()};

  is_changed_ = transmit_.step(time, contexts_, values_, receive_.states(), rxp_, txq_, counters_);
  is_changed_ |= completion_.step(report, contexts_, values_, receive_.states(), writes_, counters_);
  is_changed_ |= dispatcher_.step(seen_by_dispatcher, hdq_, fetched_, contexts_, values_);
  is_changed_ |= fetch_.step(sdq_, fetched_, is_rd_taken, rdata);
  is_changed_ |= receive_.step(seen_by_receive, contexts_, values_, rxq_, txp_, counters_);
  is_changed_ |= commit();
}

uint64_t Engine::wake(uint64_t now) const {
  if (is_changed_) return now + 1;
  const auto next = static_cast<uint32_t>(now + 1);
  const uint32_t wait = transmit_.next_due(next, receive_.states()) - next;
  return wait >= uint32_t{1} << 31 ? UINT64_MAX : now + 1 + wait;
}

bool Engine::is_empty() const {
  return !hdq_.can_pop() && !sdq_.can_pop() && !fetched_.can_pop() &&
         std::none_of(receive_.states().begin(), receive_.states().end(),
                      [](const ReceiveState& state) { return state.is_active; });
}

}  // namespace tutti::offload::nic
