#include <algorithm>

#include "base/random.hpp"
#include "offload/model/host_interface.hpp"

namespace tutti::offload::model {

Background::Background(const Timing& timing, const Workload& workload, uint32_t node)
    : node_(node),
      nodes_(workload.nodes),
      bytes_(workload.background_bytes),
      seed_(base::mixed(workload.seed ^ (uint64_t{node} << 20))) {
  if (workload.background <= 0 || workload.nodes < 2) return;
  interval_cycles_ =
      (bytes_ + timing.network.framing_bytes) / timing.network.bytes_per_cycle / workload.background;
  plan_next(0);
}

/// Between half and one and a half intervals later, so that nodes do not act in lockstep.
void Background::plan_next(uint64_t from) {
  due_ = from + 1 + static_cast<uint64_t>(interval_cycles_ * (0.5 + base::as_fraction(seed_ + count_)));
}

void Background::read(uint64_t now, HostInterface& host) {
  const auto other = static_cast<uint32_t>(base::mixed(seed_ ^ ++count_) % (nodes_ - 1));
  network::Message message;
  message.source = node_;
  message.destination = other < node_ ? other : other + 1;
  message.bytes = bytes_;
  host.read(now, bytes_);
  waiting_.push_back({host.read_end(), message});
  // A delay of up to one interval is made up for.
  plan_next(std::max(due_, now - std::min(now, static_cast<uint64_t>(interval_cycles_))));
}

uint64_t Background::wake(uint64_t now) const {
  if (!is_on()) return UINT64_MAX;
  uint64_t when = UINT64_MAX;
  if (waiting_.size() < k_most_waiting && due_ > now) when = due_;
  if (!waiting_.empty() && waiting_.front().ready > now) when = std::min(when, waiting_.front().ready);
  return when;
}

}  // namespace tutti::offload::model
