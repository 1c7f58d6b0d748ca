#pragma once
// Lets a member of a region sleep until another member wakes it.

#include <atomic>
#include <cstdint>
#include <vector>

#include "engine/engine.hpp"
#include "node/region.hpp"

namespace tutti::node {

/// The member's own doorbell; the endpoints of the other members ring it. Used by the thread of the endpoint
/// only. The region must outlive it.
///
/// Messages ring it, and the steps of their transfer. Changes that a member detects by polling (node memory
/// that is free again) do not ring it; hence sleeps are short.
class Doorbell final : public engine::Doorbell {
 public:
  explicit Doorbell(const Region& region);

  void prepare() override;
  void cancel() override;
  void sleep(uint64_t most_ns) override;

 private:
  std::atomic<uint32_t>& state_;
};

/// Rings the doorbells of the other members.
class DoorbellSender {
 public:
  explicit DoorbellSender(const Region& region);

  /// Wakes the member if it sleeps. Earlier writes are visible to it. Costs one load if it has never slept.
  void ring(uint32_t member) const;

 private:
  std::vector<std::atomic<uint32_t>*> states_;  // by member
};

}  // namespace tutti::node
