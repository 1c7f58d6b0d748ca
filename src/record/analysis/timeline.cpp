#include "record/analysis/timeline.hpp"

#include <algorithm>

namespace tutti::record::analysis {

Timeline::Timeline(int64_t begin_ns, int64_t end_ns, size_t nodes) : begin_ns_(begin_ns) {
  const auto whole_ns = static_cast<uint64_t>(std::max<int64_t>(end_ns - begin_ns, 1));
  bins_ = std::min<uint64_t>(k_bins, whole_ns);
  bin_ns_ = (whole_ns + bins_ - 1) / bins_;
  waiting_.assign(nodes * bins_, 0);
  transfer_.assign(nodes * bins_, 0);
}

void Timeline::spread(std::vector<double>* sums, uint32_t node, int64_t from_ns, uint64_t ns,
                      int sign) const {
  auto left = static_cast<int64_t>(ns);
  int64_t at = std::max<int64_t>(from_ns - begin_ns_, 0);
  const auto bin_ns = static_cast<int64_t>(bin_ns_);
  while (left > 0) {
    const auto bin = static_cast<size_t>(at / bin_ns);
    if (bin >= bins_) return;
    const int64_t part = std::min(left, bin_ns - at % bin_ns);
    (*sums)[node * bins_ + bin] += static_cast<double>(sign * part);
    at += part;
    left -= part;
  }
}

void Timeline::add(uint32_t node, int64_t arrival_ns, uint64_t waiting_ns, uint64_t transfer_ns) {
  spread(&waiting_, node, arrival_ns, waiting_ns);
  spread(&transfer_, node, arrival_ns + static_cast<int64_t>(waiting_ns), transfer_ns);
}

}  // namespace tutti::record::analysis
