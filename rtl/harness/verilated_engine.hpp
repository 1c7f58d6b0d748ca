#pragma once
// The Verilator model of the barrier engine behind the interface of the C++ model. A template, because the
// engine with mutants (tests/rtl) is another class with the same ports. One object is one instance, for one
// thread.

#include <verilated.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "offload/nic/ports.hpp"

namespace tutti::rtl {

constexpr uint32_t k_header_halves = 4;

template <class Wide>
void put_header(Wide& to, const offload::nic::Packet& packet) {
  const auto words = header_words(packet);
  for (uint32_t i = 0; i < k_header_halves; ++i)
    to[i] = static_cast<uint32_t>(words[i / 2] >> (32 * (i % 2)));
}

/// Copies as many words as an engine of this size has.
template <class Wide>
void put_payload(Wide& to, const offload::nic::Packet& packet) {
  for (uint32_t i = 0; i < sizeof(to) / sizeof(to[0]); ++i)
    to[i] = static_cast<uint32_t>(packet.payload[i / 2] >> (32 * (i % 2)));
}

template <class Wide>
offload::nic::Packet get_header(const Wide& from) {
  const uint64_t word = from[0] | uint64_t{from[1]} << 32;
  return {.kind = static_cast<offload::nic::PacketKind>(word & 3),
          .round = static_cast<uint8_t>(word >> 2 & 31),
          .words = static_cast<uint8_t>(word >> 7 & 15),
          .send_index = static_cast<uint8_t>(word >> 11 & 15),
          .id = static_cast<uint16_t>(word >> 16),
          .epoch = static_cast<uint32_t>(word >> 32),
          .source = from[2],
          .destination = from[3]};
}

/// Idle time of a model: the number of cycles from the current one on in which only its cycle counter would
/// change if nothing were transferred, and a function that advances that counter. Default: never idle.
inline constexpr uint64_t k_for_ever = UINT64_MAX;
template <class Model>
struct Sleep {
  static uint64_t cycles(const Model& /*rtl*/) { return 0; }
  static void skip(Model& /*rtl*/, uint64_t /*cycles*/) {}
};

template <class Model>
class VerilatedEngine final : public offload::nic::EngineModel {
 public:
  using Inputs = offload::nic::Inputs;
  using Outputs = offload::nic::Outputs;

  /// The state after reset. The configuration must fit the RTL (rtl_engine.hpp). `seed` initialises memories
  /// and registers that the reset does not set. `sleeps`: idle cycles are skipped.
  explicit VerilatedEngine(const offload::nic::EngineConfiguration& configuration, uint32_t seed = 1,
                           bool sleeps = false)
      : sleeps_(sleeps) {
    constexpr int k_random_reset = 2;
    context_.randReset(k_random_reset);
    context_.randSeed(static_cast<int>(seed % 0x7fffffff + 1));
    context_.fatalOnError(false);
    model_ = std::make_unique<Model>(&context_, "be_engine");
    configure(configuration);
    model_->reset = 1;
    tick({});
    model_->reset = 0;
    model_->eval();
    read_outputs();
    cycle_ = 0;
  }
  ~VerilatedEngine() override { model_->final(); }

  Outputs outputs() const override {
    const Model& rtl = *model_;
    return {.pio_ready = rtl.pio_ready != 0,
            .bell_ready = rtl.bell_ready != 0,
            .rdata_ready = rtl.rdata_ready != 0,
            .rxq_ready = rtl.rxq_ready != 0,
            .rxp_ready = rtl.rxp_ready != 0,
            .rd = rtl.rd_valid != 0 ? &rd_ : nullptr,
            .wr = rtl.wr_valid != 0 ? &wr_ : nullptr,
            .txq = rtl.txq_valid != 0 ? &txq_ : nullptr,
            .txp = rtl.txp_valid != 0 ? &txp_ : nullptr,
            .irq = rtl.irq != 0};
  }

  /// Simulates the cycles between the last one and `now` without transfers.
  void step(uint64_t now, const Inputs& inputs) override {
    while (cycle_ < now) {
      const uint64_t left_out = std::min(sleep(), now - cycle_);
      // The last skipped cycle is simulated, which updates everything that depends on the counter.
      if (left_out > 1) {
        Sleep<Model>::skip(*model_, left_out - 1);
        cycle_ += left_out - 1;
      }
      tick({});
    }
    is_stirred_ = sleep() == 0 || is_transfer(inputs);
    count(inputs);
    tick(inputs);
    read_outputs();
  }

  /// As in the C++ model: after a cycle with activity the ports may have changed.
  uint64_t wake(uint64_t /*now*/) const override {
    const uint64_t cycles = is_stirred_ ? 0 : sleep();
    return cycles == k_for_ever ? cycles : cycle_ + cycles;
  }

  /// Counts derived from the ports: notifications and resends together as `notifications`; acks, nacks,
  /// completions, refused.
  offload::nic::EngineCounters counters() const override { return counters_; }

  Model& model() { return *model_; }

 private:
  void configure(const offload::nic::EngineConfiguration& configuration) {
    Model& rtl = *model_;
    rtl.cfg_damq_depth = static_cast<uint8_t>(configuration.damq_depth);
    rtl.cfg_backoff = configuration.backoff_cycles;
    rtl.cfg_timeout = configuration.timeout_cycles;
    rtl.cfg_shift_max = static_cast<uint8_t>(configuration.shift_max);
    rtl.cfg_strict = configuration.strict ? 1 : 0;
    rtl.cfg_cq_base = configuration.cq_base;
    rtl.cfg_cq_mask = static_cast<uint16_t>(configuration.cq_mask);
  }

  /// One cycle: applies the inputs, then the clock edge.
  void tick(const Inputs& inputs) {
    Model& rtl = *model_;
    rtl.pio_valid = inputs.pio != nullptr;
    if (inputs.pio != nullptr) {
      rtl.pio_data = inputs.pio->data;
      rtl.pio_last = inputs.pio->is_last ? 1 : 0;
    }
    rtl.bell_valid = inputs.bell != nullptr;
    if (inputs.bell != nullptr) {
      rtl.bell_address = inputs.bell->address;
      rtl.bell_words = static_cast<uint16_t>(inputs.bell->words);
    }
    rtl.rdata_valid = inputs.rdata != nullptr;
    if (inputs.rdata != nullptr) {
      rtl.rdata_data = inputs.rdata->data;
      rtl.rdata_last = inputs.rdata->is_last ? 1 : 0;
    }
    rtl.rxq_valid = inputs.rxq != nullptr;
    if (inputs.rxq != nullptr) {
      put_header(rtl.rxq_header, *inputs.rxq);
      put_payload(rtl.rxq_payload, *inputs.rxq);
    }
    rtl.rxp_valid = inputs.rxp != nullptr;
    if (inputs.rxp != nullptr) put_header(rtl.rxp_header, *inputs.rxp);
    rtl.rd_ready = inputs.rd_ready ? 1 : 0;
    rtl.wr_ready = inputs.wr_ready ? 1 : 0;
    rtl.txq_ready = inputs.txq_ready ? 1 : 0;
    rtl.txp_ready = inputs.txp_ready ? 1 : 0;
    rtl.clock = 0;
    rtl.eval();
    rtl.clock = 1;
    rtl.eval();
    ++cycle_;
  }

  void read_outputs() {
    const Model& rtl = *model_;
    if (rtl.rd_valid != 0) rd_ = {rtl.rd_address, rtl.rd_words};
    if (rtl.wr_valid != 0) wr_ = {rtl.wr_address, rtl.wr_data, rtl.wr_last != 0};
    if (rtl.txq_valid != 0) {
      txq_ = get_header(rtl.txq_header);
      const uint32_t most = sizeof rtl.txq_payload / sizeof txq_.payload[0];
      for (uint32_t i = 0; i < std::min<uint32_t>(txq_.words, most); ++i)
        txq_.payload[i] = rtl.txq_payload[2 * i] | uint64_t{rtl.txq_payload[2 * i + 1]} << 32;
    }
    if (rtl.txp_valid != 0) txp_ = get_header(rtl.txp_header);
  }

  uint64_t sleep() const { return sleeps_ ? Sleep<Model>::cycles(*model_) : 0; }

  /// True if anything is transferred or offered.
  bool is_transfer(const Inputs& inputs) const {
    const Model& rtl = *model_;
    return inputs.pio != nullptr || inputs.bell != nullptr || inputs.rdata != nullptr ||
           inputs.rxq != nullptr || inputs.rxp != nullptr || (inputs.rd_ready && rtl.rd_valid != 0) ||
           (inputs.wr_ready && rtl.wr_valid != 0) || (inputs.txq_ready && rtl.txq_valid != 0) ||
           (inputs.txp_ready && rtl.txp_valid != 0);
  }

  void count(const Inputs& inputs) {
    const Outputs before = outputs();
    if (before.txq != nullptr && inputs.txq_ready) ++counters_.notifications;
    if (before.txp != nullptr && inputs.txp_ready)
      ++(txp_.kind == offload::nic::PacketKind::ack ? counters_.acks : counters_.nacks);
    if (before.wr != nullptr && inputs.wr_ready && wr_.is_last)
      ++((wr_.data >> 48 & 0xff) == 1 ? counters_.completions : counters_.refused);
  }

  VerilatedContext context_;  // before the model, which refers to it
  std::unique_ptr<Model> model_;
  offload::nic::EngineCounters counters_;
  offload::nic::Doorbell rd_;
  offload::nic::MemoryWrite wr_;
  offload::nic::Packet txq_, txp_;
  uint64_t cycle_ = 0;  // the current one
  bool sleeps_, is_stirred_ = true;
};

}  // namespace tutti::rtl
