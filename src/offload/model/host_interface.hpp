#pragma once
// The connection between a node's NIC and its host (PCIe), the memory arbiter, and RDMA transfers in the
// background that compete for both (paper 003 §2.1: the engines of a NIC share memory and network arbiters).
// Not thread-safe.

#include <algorithm>
#include <cstdint>
#include <deque>

#include "offload/model/parameters.hpp"
#include "offload/model/workload.hpp"
#include "offload/network/network.hpp"

namespace tutti::offload::model {

/// PIO and DMA over PCIe: one transaction at a time in each direction.
class HostInterface {
 public:
  explicit HostInterface(const Timing& timing) : timing_(timing) {}

  bool is_free(uint64_t now) const { return up_until_ <= now; }
  uint64_t free_at() const { return up_until_; }

  /// A write of the NIC; returns the cycle from which the CPU can see it. Requires is_free().
  uint64_t write(uint64_t now, uint32_t bytes) {
    up_until_ = now + timing_.pcie_cycles(bytes);
    return up_until_ + timing_.dma_write;
  }

  /// A read of the NIC; returns the cycle in which the first word arrives. Requires is_free().
  uint64_t read(uint64_t now, uint32_t bytes) {
    up_until_ = now + timing_.pcie_cycles(0);
    const uint64_t start = std::max(up_until_ + timing_.dma_read, down_until_);
    down_until_ = start + timing_.pcie_cycles(bytes);
    return start;
  }

  /// The cycle in which the last read is complete.
  uint64_t read_end() const { return down_until_; }

 private:
  const Timing& timing_;
  uint64_t up_until_ = 0, down_until_ = 0;
};

/// RDMA writes from this node's memory to the memory of random nodes, at a given share of the link. Transfers
/// that the arbiters delay are not made up for later.
class Background {
 public:
  Background(const Timing& timing, const Workload& workload, uint32_t node);

  bool is_on() const { return interval_cycles_ > 0; }
  /// True when a transfer begins now and requests its data from the memory arbiter.
  bool wants_read(uint64_t now) const { return is_on() && due_ <= now && waiting_.size() < k_most_waiting; }
  void read(uint64_t now, HostInterface& host);
  /// The packet that requests the network arbiter, or null.
  const network::Message* packet(uint64_t now) const {
    return !waiting_.empty() && waiting_.front().ready <= now ? &waiting_.front().message : nullptr;
  }
  void sent() { waiting_.pop_front(); }
  /// The next cycle after `now` in which it acts without an arbiter; UINT64_MAX: none before an arbiter
  /// grants its request.
  uint64_t wake(uint64_t now) const;

 private:
  static constexpr size_t k_most_waiting = 4;
  struct Waiting {
    uint64_t ready;
    network::Message message;
  };
  void plan_next(uint64_t from);

  uint32_t node_, nodes_, bytes_;
  uint64_t seed_, count_ = 0, due_ = 0;
  double interval_cycles_ = 0;
  std::deque<Waiting> waiting_;
};

}  // namespace tutti::offload::model
