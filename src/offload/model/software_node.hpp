#pragma once
// A node whose host executes the barrier itself, message by message, with the best settings of a NIC: the
// payload travels with the doorbell (one PIO write, no DMA read), sends are not signalled, and the receiver
// polls the memory into which the NIC writes. Cost per message: CPU to send, PIO, the network, the NIC's
// write to memory, CPU to receive. The transport's acknowledgements cost nothing here. Not thread-safe.

#include <cstdint>
#include <deque>
#include <vector>

#include "offload/model/host_interface.hpp"
#include "offload/model/program.hpp"
#include "offload/model/simulated_node.hpp"

namespace tutti::offload::model {

class SoftwareNode final : public SimulatedNode {
 public:
  /// Keeps references, except to `rounds`, the rounds of this node.
  SoftwareNode(const Timing& timing, const Workload& workload, uint32_t node, std::vector<Round> rounds,
               network::Network& network, Journal& journal);

  uint64_t step(uint64_t now) override;
  bool is_done() const override { return program_.is_done() && outgoing_.empty(); }

 private:
  struct Outgoing {
    uint64_t ready;
    network::Message message;
  };
  struct Arrived {  // in memory
    uint64_t ready;
    uint32_t which, round;
  };

  void run_cpu(uint64_t now);
  bool act(uint64_t now);
  void send(uint64_t now);
  void receive(uint64_t now);
  void end_rounds(uint64_t now);
  void run_nic(uint64_t now);
  uint64_t wake(uint64_t now) const;

  const Timing& timing_;
  const Workload& workload_;
  uint32_t node_;
  std::vector<Round> rounds_;
  network::Network& network_;
  Journal& journal_;
  Program program_;
  HostInterface host_;
  Background background_;

  bool is_inside_ = false;  // in the barrier
  uint32_t which_ = 0, round_ = 0, sent_ = 0;
  uint64_t cpu_free_ = 0;
  std::vector<uint32_t> received_[2];  // by round; of this barrier and the next one
  std::deque<Outgoing> outgoing_;
  std::deque<Arrived> arrived_;
  uint32_t memory_turn_ = 0, network_turn_ = 0;
};

}  // namespace tutti::offload::model
