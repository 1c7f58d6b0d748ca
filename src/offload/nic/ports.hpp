#pragma once
// The pins of a barrier engine (docs/offload-engine.md, "Ports"), the same for the C++ model and the RTL.

#include <cstdint>

#include "offload/nic/packet.hpp"

namespace tutti::offload::nic {

/// Sizes of the engine, fixed at build time, and its configuration registers.
struct EngineConfiguration {
  uint32_t contexts = 4;  // 1 … 16
  uint32_t rounds = k_most_rounds, peers = k_most_peers, value_words = k_value_words;
  uint32_t ids = 16;  // barrier ids 0 … ids - 1; at most 65536
  uint32_t hdq_words = 1024, sdq_depth = 8, fw_depth = 8;
  uint32_t rxq_depth = 2, rxp_depth = 4, txq_depth = 2, txp_depth = 4, wr_depth = 4;
  uint32_t lat_copy = 1, lat_int = 1, lat_fcmp = 2, lat_fadd = 4;  // cycles

  uint32_t damq_depth = 16;        // 1 … 64
  uint32_t backoff_cycles = 256;   // before the first retry of a refused packet
  uint32_t timeout_cycles = 8192;  // before an unanswered packet is sent again
  uint32_t shift_max = 6;          // both double at most this many times
  bool strict = false;             // round r + 1 also waits for the responses of round r
  uint64_t cq_base = 0x10000;      // the completion queue in host memory
  uint32_t cq_mask = 255;          // number of its entries, a power of two, minus 1
};

/// A 64-bit word of a stream; `is_last` marks the end of a descriptor or a completion.
struct Word {
  uint64_t data = 0;
  bool is_last = false;
  bool operator==(const Word&) const = default;
};

struct Doorbell {
  uint64_t address = 0;
  uint32_t words = 0;
  bool operator==(const Doorbell&) const = default;
};

/// A write of 8 bytes to host memory.
struct MemoryWrite {
  uint64_t address = 0, data = 0;
  bool is_last = false;
  bool operator==(const MemoryWrite&) const = default;
};

/// The inputs of the engine in a cycle. A null pointer means valid = 0.
struct Inputs {
  const Word* pio = nullptr;
  const Doorbell* bell = nullptr;
  const Word* rdata = nullptr;
  const Packet* rxq = nullptr;
  const Packet* rxp = nullptr;
  bool rd_ready = false, wr_ready = false, txq_ready = false, txp_ready = false;
};

/// The outputs of the engine in a cycle; all are registers. A null pointer means valid = 0.
struct Outputs {
  bool pio_ready = false, bell_ready = false, rdata_ready = false, rxq_ready = false, rxp_ready = false;
  const Doorbell* rd = nullptr;
  const MemoryWrite* wr = nullptr;
  const Packet* txq = nullptr;
  const Packet* txp = nullptr;
  bool irq = false;
};

/// Counters since the reset of the engine.
struct EngineCounters {
  uint64_t notifications = 0;                      // sent for the first time
  uint64_t resends = 0, acks = 0, nacks = 0;       // sent
  uint64_t duplicates = 0, strays = 0, early = 0;  // received; early: stored in the DAMQ
  uint64_t completions = 0, refused = 0;           // descriptors
  uint32_t damq_peak = 0;                          // entries
  bool operator==(const EngineCounters&) const = default;
};

/// A barrier engine. One cycle is outputs(), then step() with the inputs. Not thread-safe.
class EngineModel {
 public:
  virtual ~EngineModel() = default;

  /// The ports in the current cycle. Pointers are valid until step().
  virtual Outputs outputs() const = 0;

  /// One clock edge; `now` counts cycles since the reset. Cycles in which nothing would happen (see wake())
  /// may be skipped.
  virtual void step(uint64_t now, const Inputs& inputs) = 0;

  /// The next cycle after `now`, the argument of the last step(), in which the engine would act if no port
  /// transferred anything; UINT64_MAX: none.
  virtual uint64_t wake(uint64_t now) const = 0;

  virtual EngineCounters counters() const = 0;
};

}  // namespace tutti::offload::nic
