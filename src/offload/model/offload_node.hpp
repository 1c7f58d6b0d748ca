#pragma once
// A node whose NIC executes descriptors: the program, the host interface with its arbiter, a barrier engine
// (the C++ model or another EngineModel), the network arbiter and the competing RDMA engine. Not thread-safe.

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "offload/model/host_interface.hpp"
#include "offload/model/program.hpp"
#include "offload/model/simulated_node.hpp"
#include "offload/nic/ports.hpp"

namespace tutti::offload::model {

class OffloadNode final : public SimulatedNode {
 public:
  /// Returns the words of the node's descriptor for collective `which`.
  using Encoder = std::function<std::vector<uint64_t>(uint32_t node, uint32_t which)>;

  /// Keeps references to all arguments except `engine`, which it owns, and `encode`, which it copies.
  OffloadNode(const Timing& timing, const Workload& workload, uint32_t node, Encoder encode,
              std::unique_ptr<nic::EngineModel> engine, network::Network& network, Journal& journal);

  uint64_t step(uint64_t now) override;
  bool is_done() const override { return program_.is_done(); }
  const nic::EngineModel& engine() const { return *engine_; }

 private:
  struct PioBurst {  // a descriptor in transit through PIO: word i arrives at start + i / 8 · line
    std::vector<uint64_t> words;
    uint64_t start;
    size_t next;
  };
  struct TimedBell {
    uint64_t ready;
    nic::Doorbell bell;
  };
  struct Read {
    uint64_t ready;
    std::vector<uint64_t> words;
    size_t next;
  };
  struct Stored {  // a descriptor in host memory
    uint64_t address;
    std::vector<uint64_t> words;
  };
  struct Finish {  // a completion that the CPU will see
    uint64_t ready;
    uint32_t which;
    std::vector<uint64_t> result;
  };

  void run_program(uint64_t now);
  void post(uint64_t now);
  uint64_t pio_ready() const;
  void arbitrate_memory(uint64_t now, const nic::Outputs& outputs, nic::Inputs& inputs);
  bool grant_memory(uint32_t who, uint64_t now, const nic::Outputs& outputs, nic::Inputs& inputs);
  void arbitrate_network(uint64_t now, const nic::Outputs& outputs, nic::Inputs& inputs);
  bool grant_network(uint32_t who, uint64_t now, const nic::Outputs& outputs, nic::Inputs& inputs);
  void take_write(const nic::MemoryWrite& write, uint64_t now);
  void finish_write(uint64_t now);
  uint64_t wake(uint64_t now) const;

  const Timing& timing_;
  const Workload& workload_;
  uint32_t node_;
  Encoder encode_;
  std::unique_ptr<nic::EngineModel> engine_;
  network::Network& network_;
  Journal& journal_;
  Program program_;
  HostInterface host_;
  Background background_;
  std::deque<PioBurst> pio_;
  std::deque<TimedBell> bells_;
  std::deque<Stored> memory_;
  std::deque<Read> reads_;
  std::vector<nic::MemoryWrite> writes_;  // of one completion
  std::deque<Finish> finishes_;
  uint32_t memory_turn_ = 0, network_turn_ = 0;
  nic::Word pio_word_, read_word_;
};

}  // namespace tutti::offload::model
