#pragma once
// The completion unit CU (docs/offload-engine.md, "CU, completion queue and interrupts").

#include <cstdint>
#include <vector>

#include "offload/nic/context.hpp"
#include "offload/nic/dispatcher.hpp"
#include "offload/nic/fifo.hpp"
#include "offload/nic/ports.hpp"
#include "offload/nic/receive_engine.hpp"

namespace tutti::offload::nic {

inline constexpr uint32_t k_cq_entry_bytes = 128;
inline constexpr uint64_t k_status_done = 1;

/// The last word of a completion.
constexpr uint64_t status_word(uint32_t epoch, uint16_t id, uint64_t status, bool phase) {
  return epoch | uint64_t{id} << 32 | status << 48 | uint64_t{phase} << 56;
}

class CompletionUnit {
 public:
  explicit CompletionUnit(const EngineConfiguration& configuration)
      : configuration_(configuration), is_reported_(configuration.contexts, 0) {}

  /// True if CU accepts a refusal report in this cycle: a wire to OF.
  bool is_idle() const { return state_ == State::idle; }
  bool is_reported(uint32_t c) const { return is_reported_[c] != 0; }
  bool irq() const { return is_irq_; }

  /// Returns true when a register changed. All arguments except `writes` have their values at the beginning
  /// of the cycle.
  bool step(const RefusalReport* refusal, const std::vector<Context>& contexts,
            const std::vector<Values>& values, const std::vector<ReceiveState>& receive,
            Fifo<MemoryWrite>& writes, EngineCounters& counters);

 private:
  enum class State : uint8_t { idle, beats };

  void begin_refusal(const RefusalReport& refusal);
  void begin_done(uint32_t c, const Context& context, const Values& values);
  MemoryWrite beat() const;
  void finish();

  const EngineConfiguration& configuration_;
  State state_ = State::idle;
  std::vector<uint8_t> is_reported_;
  bool is_irq_ = false, is_interrupt_ = false, is_entry_ = false;
  uint32_t tail_ = 0;     // number of entries written
  uint32_t context_ = 0;  // the context that becomes reported, or none
  uint32_t beat_ = 0, results_ = 0;
  uint64_t base_ = 0, cookie_ = 0, status_ = 0;
  Value result_{};
};

}  // namespace tutti::offload::nic
