#pragma once
// The dispatcher OF (docs/offload-engine.md, "OF, the dispatcher") and the fetch unit of SDQ.

#include <cstdint>
#include <vector>

#include "offload/nic/context.hpp"
#include "offload/nic/fifo.hpp"
#include "offload/nic/ports.hpp"

namespace tutti::offload::nic {

/// Reads descriptors from host memory on request of doorbells.
class FetchUnit {
 public:
  /// Returns true when a register changed. `is_rd_taken`: the port rd transfers in this cycle.
  bool step(Fifo<Doorbell>& sdq, Fifo<Word>& fetched, bool is_rd_taken, const Word* rdata);

  const Doorbell* rd() const { return state_ == State::ask ? &request_ : nullptr; }
  bool is_filling() const { return state_ == State::fill; }

 private:
  enum class State : uint8_t { idle, ask, fill };
  State state_ = State::idle;
  Doorbell request_;
};

/// Reason why a descriptor was refused; the status of its completion entry.
enum class Refusal : uint8_t { none = 0, format = 2, limits = 3, length = 4, checksum = 5, epoch = 6 };

/// Report of a refused descriptor.
struct RefusalReport {
  Refusal why = Refusal::none;
  uint8_t completion = 0;
  uint16_t id = 0;
  uint32_t epoch = 0;
  uint64_t cookie = 0;
};

/// Reads descriptors word by word into contexts.
class Dispatcher {
 public:
  explicit Dispatcher(const EngineConfiguration& configuration)
      : configuration_(configuration), next_epoch_(configuration.ids, 0) {}

  /// Inputs of OF from other modules. `free_context`: the lowest inactive one, or none (= contexts).
  struct Seen {
    uint32_t free_context;
    bool is_report_taken;  // CU takes report() in this cycle
  };

  /// Returns true when a register changed. Writes the context and value[0] of the descriptor that it reads.
  bool step(const Seen& seen, Fifo<Word>& hdq, Fifo<Word>& fetched, std::vector<Context>& contexts,
            std::vector<Values>& values);

  /// The context that becomes active in this cycle, or none (= contexts).
  uint32_t posted() const { return is_post_ ? context_ : configuration_.contexts; }
  const RefusalReport* report() const { return is_report_ ? &report_ : nullptr; }

 private:
  enum class State : uint8_t { idle, words, drain, check, post, settle, error };
  enum class Place : uint8_t { header, operand, round, sends, receives };

  void begin(uint32_t free_context, bool from_hdq, Context& context);
  void take_word(const Word& word, Context& context, Values& values);
  Refusal read_header(uint64_t data, Context& context);
  Refusal read_round(uint64_t data, Context& context) const;
  void read_ranks(uint64_t data, uint32_t count, std::vector<uint32_t>& list);
  bool go_on(const Context& context);
  void add_to_crc(uint64_t data);

  const EngineConfiguration& configuration_;
  State state_ = State::idle;
  Place place_ = Place::header;
  bool is_hdq_ = false, is_post_ = false, is_report_ = false;
  uint32_t context_ = 0;
  uint32_t words_ = 0, length_ = 0, crc_ = 0, crc_expected_ = 0;
  uint32_t round_ = 0, left_ = 0;  // left: operands, or ranks of the current list
  RefusalReport report_;
  std::vector<uint32_t> next_epoch_;
};

}  // namespace tutti::offload::nic
