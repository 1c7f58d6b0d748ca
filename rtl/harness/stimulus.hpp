#pragma once
// Random stimulus for a barrier engine: hosts that post good and bad descriptors through both queues, peers
// whose notifications are early, late, duplicated or missing, in any order, responses that are negative,
// late, duplicated or missing, strays, and a network and a memory that are not always ready.
//
// The stimulus reacts to the engine's outputs, like its environment would. Not thread-safe.

#include <cstdint>
#include <deque>
#include <optional>
#include <queue>
#include <random>
#include <vector>

#include "offload/nic/ports.hpp"

namespace tutti::rtl {

/// The configuration of pattern `seed` for an engine of these sizes: all depths in turn, short and long
/// delays.
offload::nic::EngineConfiguration random_configuration(uint64_t seed,
                                                       const offload::nic::EngineConfiguration& sizes = {});

class Stimulus {
 public:
  /// Posts `descriptors` descriptors; keeps no reference to the configuration.
  Stimulus(uint64_t seed, uint32_t descriptors, const offload::nic::EngineConfiguration& configuration);

  /// The inputs of cycle `now`, in which the engine has these `outputs`. The pointers are valid until the
  /// next call.
  offload::nic::Inputs next(uint64_t now, const offload::nic::Outputs& outputs);

  /// True when all descriptors have been reported and nothing is in flight.
  bool is_over() const;
  uint64_t transfers() const { return transfers_; }

 private:
  struct Timed {
    uint64_t due;
    offload::nic::Packet packet;
    uint32_t tries;
    bool operator<(const Timed& other) const { return due > other.due; }  // earliest on top
  };
  struct Posting {
    uint64_t due;
    bool from_memory;
    std::vector<uint64_t> words;
  };

  uint64_t below(uint64_t bound) { return bound == 0 ? 0 : random_() % bound; }
  bool percent(uint32_t chance) { return below(100) < chance; }
  uint64_t pattern();  // 64 bits, often a special value

  void plan_descriptor(uint64_t due);
  std::vector<uint32_t> draw_ranks(uint32_t count, uint32_t own_rank);
  void plan_arrivals(uint64_t due, uint16_t id, uint32_t epoch, uint32_t round, uint32_t elements,
                     uint32_t own_rank, const std::vector<uint32_t>& sources);
  void damage(std::vector<uint64_t>& words, size_t first_round);
  void plan_strays();
  void host(uint64_t now, const offload::nic::Outputs& outputs, offload::nic::Inputs& inputs);
  void memory(const offload::nic::Outputs& outputs, offload::nic::Inputs& inputs);
  void network(uint64_t now, const offload::nic::Outputs& outputs, offload::nic::Inputs& inputs);
  void answer(uint64_t now, const offload::nic::Packet& notification);
  void take_response(const offload::nic::Packet& response);

  std::mt19937_64 random_;
  offload::nic::EngineConfiguration configuration_;
  uint32_t descriptors_, reported_ = 0;
  uint32_t loss_percent_, nack_percent_, ready_percent_, spread_;
  std::vector<uint32_t> epochs_;  // the next one, per id
  std::deque<Posting> postings_;  // by time
  std::priority_queue<Timed> requests_, responses_;
  std::vector<offload::nic::Packet> unacknowledged_;

  offload::nic::Packet request_, response_;  // targets of the pointers of next()

  // Items that wait at a port until they are accepted.
  std::optional<offload::nic::Packet> rxq_, rxp_;
  std::deque<offload::nic::Word> pio_, rdata_;
  std::deque<std::pair<offload::nic::Doorbell, std::vector<uint64_t>>> bells_, stored_;
  offload::nic::Doorbell bell_;
  offload::nic::Word pio_word_, rdata_word_;
  uint64_t transfers_ = 0;
};

}  // namespace tutti::rtl
