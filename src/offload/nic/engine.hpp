#pragma once
// Cycle-accurate model of the barrier engine BE: the modules of docs/offload-engine.md behind the ports of
// ports.hpp.
//
// The modules work in parallel, but a step evaluates them in sequence: TE, CU, OF, fetch unit, SE. In this
// order no module reads a register that another one has written in the same step. SE is last because most
// others read its registers; the registers that SE reads are copied before. Not thread-safe.

#include <vector>

#include "offload/nic/completion_unit.hpp"
#include "offload/nic/dispatcher.hpp"
#include "offload/nic/ports.hpp"
#include "offload/nic/receive_engine.hpp"
#include "offload/nic/transmit_engine.hpp"

namespace tutti::offload::nic {

class Engine final : public EngineModel {
 public:
  /// Keeps a reference to the configuration, whose values are within the ranges of ports.hpp.
  explicit Engine(const EngineConfiguration& configuration);

  Outputs outputs() const override;
  void step(uint64_t now, const Inputs& inputs) override;
  uint64_t wake(uint64_t now) const override;
  EngineCounters counters() const override { return counters_; }

  /// True when no descriptor is being read or executed. Not a pin; for tests and models.
  bool is_empty() const;

 private:
  uint32_t retirable() const;
  void take_inputs(const Inputs& inputs);
  bool commit();

  EngineCounters counters_;
  Fifo<Word> hdq_, fetched_;
  Fifo<Doorbell> sdq_;
  Fifo<Packet> rxq_, rxp_, txq_, txp_;
  Fifo<MemoryWrite> writes_;
  std::vector<Context> contexts_;
  std::vector<Values> values_;
  FetchUnit fetch_;
  Dispatcher dispatcher_;
  ReceiveEngine receive_;
  TransmitEngine transmit_;
  CompletionUnit completion_;
  bool is_changed_ = false;
};

}  // namespace tutti::offload::nic
