#pragma once
// Where a member of a region sleeps until another one has news for it.

#include <atomic>
#include <cstdint>
#include <vector>

#include "engine/engine.hpp"
#include "node/region.hpp"

namespace tutti::node {

/// The member's own bell; the endpoints of the others ring it. Used by one thread at a time, that of the endpoint. The
/// region outlives it.
///
/// Rung are messages, and what their transfer needs. Progress that a member sees by itself (node memory that is free
/// again) is not: sleeps are short.
class Doorbell final : public engine::Doorbell {
 public:
  explicit Doorbell(const Region& region);

  void prepare() override;
  void cancel() override;
  void sleep(uint64_t most_ns) override;

 private:
  std::atomic<uint32_t>& state_;
};

/// One member's way to the bells of the others.
class Ringer {
 public:
  explicit Ringer(const Region& region);

  /// Wakes the member if it sleeps. What was written before is visible to it. One load where it has never slept.
  void ring(uint32_t member) const;

 private:
  std::vector<std::atomic<uint32_t>*> states_;  // by member
};

}  // namespace tutti::node
