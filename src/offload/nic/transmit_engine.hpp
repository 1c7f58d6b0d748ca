#pragma once
// The transmit engine TE (docs/offload-engine.md, "TE, the transmit engine").

#include <array>
#include <cstdint>
#include <vector>

#include "offload/nic/context.hpp"
#include "offload/nic/fifo.hpp"
#include "offload/nic/packet.hpp"
#include "offload/nic/ports.hpp"
#include "offload/nic/receive_engine.hpp"

namespace tutti::offload::nic {

/// The registers of TE per context, all 0 while the context is not active.
struct TransmitState {
  enum class Pass : uint8_t { none, backoff, timeout };

  uint8_t round = 0, index = 0;  // sr, si
  uint16_t unacked = 0;
  bool is_armed = false;  // backoff_due is valid
  Pass pass = Pass::none;
  uint8_t pass_round = 0, pass_index = 0;
  uint8_t tries = 0, late = 0;
  uint32_t backoff_due = 0, timeout_due = 0;
  std::array<uint16_t, k_most_rounds> acked{}, nacked{};  // one bit per send

  bool is_sent(uint32_t r, uint32_t i) const { return r < round || (r == round && i < index); }
};

class TransmitEngine {
 public:
  explicit TransmitEngine(const EngineConfiguration& configuration)
      : configuration_(configuration), states_(configuration.contexts) {}

  /// Returns true when a register changed. `receive` has its values at the beginning of the cycle.
  bool step(uint32_t now, const std::vector<Context>& contexts, const std::vector<Values>& values,
            const std::vector<ReceiveState>& receive, Fifo<Packet>& responses, Fifo<Packet>& requests,
            EngineCounters& counters);

  const std::vector<TransmitState>& states() const { return states_; }

  /// The earliest time from `now` on at which a timer of an active context is due; now + 2^31: none.
  uint32_t next_due(uint32_t now, const std::vector<ReceiveState>& receive) const;

 private:
  /// State of a context at the beginning of the cycle, for T2 and T3, which must not see the effects of T1.
  struct Before {
    uint16_t unacked;
    bool is_armed;
    TransmitState::Pass pass;
    uint32_t backoff_due, timeout_due;
    uint16_t acked, nacked;  // of the pass's round
    uint8_t late;
  };

  uint32_t take_response(uint32_t now, const Packet& packet, const std::vector<Context>& contexts,
                         const std::vector<ReceiveState>& receive);
  bool send_new(uint32_t now, const std::vector<Before>& before, const std::vector<Context>& contexts,
                const std::vector<Values>& values, const std::vector<ReceiveState>& receive,
                Fifo<Packet>& requests, EngineCounters& counters);
  bool send_again(uint32_t now, const std::vector<Before>& before, const std::vector<Context>& contexts,
                  const std::vector<Values>& values, Fifo<Packet>& requests, EngineCounters& counters);
  bool start_pass(uint32_t now, const Before& before, bool is_answered, TransmitState& state);

  const EngineConfiguration& configuration_;
  std::vector<TransmitState> states_;
  std::vector<Before> before_;
};

}  // namespace tutti::offload::nic
