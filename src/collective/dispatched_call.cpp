#include "collective/dispatched_call.hpp"

#include <string>

namespace tutti::collective {

base::Status TwoPhaseCall::check(algorithm::Rank me, std::span<const uint64_t> passing_sizes) const {
  for (size_t i = 0; i < forwarded_blocks.size(); ++i) {
    const auto [source, destination] = forwarded_blocks[i];
    if (destination == me && passing_sizes[i] != request->get().receive_blocks.size(source))
      return base::Status::invalid_argument("rank " + std::to_string(source) + " sends " +
                                            std::to_string(passing_sizes[i]) +
                                            " bytes, another number than is received");
  }
  return {};
}

uint64_t PreparedCall::footprint_bytes() const {
  if (const engine::Plan* const whole = plan()) return whole->footprint_bytes();
  const auto* const call = std::get_if<TwoPhaseCall>(&work);
  return call != nullptr ? call->sizes_plan->footprint_bytes() + call->request->footprint_bytes() : 0;
}

}  // namespace tutti::collective
