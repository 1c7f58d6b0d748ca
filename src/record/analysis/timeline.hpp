#pragma once
// Shares of waiting and transfer in each node's time, over the run.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::record::analysis {

class Timeline {
 public:
  static constexpr size_t k_bins = 200;

  Timeline() = default;
  /// Covers `begin_ns` to `end_ns` on the common clock.
  Timeline(int64_t begin_ns, int64_t end_ns, size_t nodes);

  /// Adds a call of a rank of `node`: it arrived at `arrival_ns`, waited, and then transferred.
  void add(uint32_t node, int64_t arrival_ns, uint64_t waiting_ns, uint64_t transfer_ns);

  /// Removes `ns` of transfer from `from_ns` on, which was counted before.
  void take_transfer(uint32_t node, int64_t from_ns, uint64_t ns) {
    spread(&transfer_, node, from_ns, ns, -1);
  }

  uint64_t bin_ns() const { return bin_ns_; }
  size_t bins() const { return bins_; }
  /// As a multiple of one rank's time in the bin.
  double waiting(uint32_t node, size_t bin) const { return at(waiting_, node, bin); }
  double transfer(uint32_t node, size_t bin) const { return at(transfer_, node, bin); }

 private:
  double at(const std::vector<double>& sums, uint32_t node, size_t bin) const {
    return sums[node * bins_ + bin] / static_cast<double>(bin_ns_);
  }
  void spread(std::vector<double>* sums, uint32_t node, int64_t from_ns, uint64_t ns, int sign = 1) const;

  int64_t begin_ns_ = 0;
  uint64_t bin_ns_ = 1;
  size_t bins_ = 0;
  std::vector<double> waiting_, transfer_;  // ns, [node][bin]
};

}  // namespace tutti::record::analysis
