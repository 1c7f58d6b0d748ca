#pragma once
// The receive engine SE and the request DAMQ (docs/offload-engine.md, "SE, the receive engine").

#include <cstdint>
#include <vector>

#include "offload/nic/context.hpp"
#include "offload/nic/fifo.hpp"
#include "offload/nic/packet.hpp"
#include "offload/nic/ports.hpp"

namespace tutti::offload::nic {

/// The registers of SE per context. All except `acc` are 0 while the context is not active.
struct ReceiveState {
  bool is_active = false, is_looking = false, is_done = false;
  uint8_t round = 0;  // rr
  uint8_t count = 0;  // accepted in this round
  uint16_t got = 0;   // by index in the receive list
  Value acc{};
};

/// The buffer for early notifications. Entries are found by content.
class RequestDamq {
 public:
  explicit RequestDamq(uint32_t depth) : depth_(depth) {}

  bool has(const Packet& notification) const;
  bool is_full() const { return used_ == depth_; }
  uint32_t used() const { return used_; }
  uint32_t depth() const { return depth_; }

  void insert(const Packet& notification);  // requires !is_full(); uses the lowest free entry
  void free(uint32_t entry);
  /// The entry, or null if it is free.
  const Packet* at(uint32_t entry) const {
    return entry < entries_.size() && entries_[entry].kind != PacketKind::none ? &entries_[entry] : nullptr;
  }

 private:
  std::vector<Packet> entries_;  // grows up to the depth; kind none is free
  uint32_t depth_, used_ = 0;
};

class ReceiveEngine {
 public:
  explicit ReceiveEngine(const EngineConfiguration& configuration)
      : configuration_(configuration),
        states_(configuration.contexts),
        low_(configuration.ids, 0),
        damq_(configuration.damq_depth) {}

  /// Inputs of SE from other modules. Contexts are indices; configuration.contexts means none.
  struct Seen {
    uint32_t posted;     // context posted by OF
    uint32_t retirable;  // the lowest context that may retire
  };

  /// Returns true when a register changed. Writes values[c][1 …].
  bool step(const Seen& seen, const std::vector<Context>& contexts, std::vector<Values>& values,
            Fifo<Packet>& requests, Fifo<Packet>& responses, EngineCounters& counters);

  const std::vector<ReceiveState>& states() const { return states_; }
  const RequestDamq& damq() const { return damq_; }

 private:
  enum class Verdict : uint8_t { accept, duplicate, stray, early };

  void look(uint32_t c, const Context& context, Values& values, EngineCounters& counters);
  void retire(uint32_t c, const Context& context, EngineCounters& counters);
  void take_request(const std::vector<Context>& contexts, std::vector<Values>& values, Fifo<Packet>& requests,
                    Fifo<Packet>& responses, EngineCounters& counters);
  Verdict judge(const Packet& packet, const std::vector<Context>& contexts, uint32_t* c) const;
  Verdict judge_current(const Packet& packet, const Context& context, const ReceiveState& state) const;
  void accept(uint32_t c, const Packet& packet, const Context& context, Values& values);
  void finish_accept(uint32_t c, uint32_t index, const Context& context, Values& values);
  uint32_t combine(const Context& context, const Values& values, ReceiveState& state, const Value& payload);

  const EngineConfiguration& configuration_;
  std::vector<ReceiveState> states_;
  std::vector<uint32_t> low_;
  RequestDamq damq_;
  uint32_t busy_ = 0, busy_context_ = 0, busy_index_ = 0;
};

}  // namespace tutti::offload::nic
