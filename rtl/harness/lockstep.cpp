#include "lockstep.hpp"

#include <fmt/format.h>

#include "offload/nic/engine.hpp"
#include "rtl_engine.hpp"
#include "stimulus.hpp"

namespace tutti::rtl {

using offload::nic::Doorbell;
using offload::nic::MemoryWrite;
using offload::nic::Outputs;
using offload::nic::Packet;

namespace {

std::string text(bool value) {
  return value ? "1" : "0";
}
std::string text(const Doorbell& bell) {
  return fmt::format("{:x} ({} words)", bell.address, bell.words);
}
std::string text(const MemoryWrite& write) {
  return fmt::format("{:016x} at {:x}{}", write.data, write.address, write.is_last ? ", last" : "");
}
std::string text(const Packet& packet) {
  const auto words = header_words(packet);
  std::string all = fmt::format("{:016x} {:016x}", words[0], words[1]);
  for (uint32_t i = 0; i < packet.words; ++i) all += fmt::format(" {:016x}", packet.payload[i]);
  return all;
}

class Comparison {
 public:
  explicit Comparison(uint64_t cycle) : cycle_(cycle) {}

  template <class T>
  void compare(const char* port, const T* model, const T* rtl) {
    if (!difference_.empty()) return;
    if ((model == nullptr) == (rtl == nullptr) && (model == nullptr || *model == *rtl)) return;
    difference_ =
        fmt::format("cycle {}, {}: the model has {}, the RTL {}", cycle_, port,
                    model == nullptr ? "nothing" : text(*model), rtl == nullptr ? "nothing" : text(*rtl));
  }
  void compare(const char* port, bool model, bool rtl) { compare(port, &model, &rtl); }
  const std::string& difference() const { return difference_; }

 private:
  uint64_t cycle_;
  std::string difference_;
};

std::string compare(uint64_t cycle, const Outputs& model, const Outputs& rtl) {
  Comparison comparison(cycle);
  comparison.compare("pio_ready", model.pio_ready, rtl.pio_ready);
  comparison.compare("bell_ready", model.bell_ready, rtl.bell_ready);
  comparison.compare("rdata_ready", model.rdata_ready, rtl.rdata_ready);
  comparison.compare("rxq_ready", model.rxq_ready, rtl.rxq_ready);
  comparison.compare("rxp_ready", model.rxp_ready, rtl.rxp_ready);
  comparison.compare("rd", model.rd, rtl.rd);
  comparison.compare("wr", model.wr, rtl.wr);
  comparison.compare("txq", model.txq, rtl.txq);
  comparison.compare("txp", model.txp, rtl.txp);
  comparison.compare("irq", model.irq, rtl.irq);
  return comparison.difference();
}

}  // namespace

LockstepResult run_lockstep(const LockstepOptions& options) {
  RtlEngine rtl(options.rtl, static_cast<uint32_t>(options.seed));
  return run_lockstep(options, rtl);
}

LockstepResult run_lockstep(const LockstepOptions& options, offload::nic::EngineModel& rtl) {
  LockstepResult result;
  offload::nic::Engine model(options.model);
  Stimulus stimulus(options.seed, options.descriptors, options.model);
  uint64_t now = 0;
  for (; now < options.most_cycles; ++now) {
    const Outputs outputs = model.outputs();
    result.difference = compare(now, outputs, rtl.outputs());
    if (!result.difference.empty() || (stimulus.is_over() && model.is_empty())) break;
    const auto inputs = stimulus.next(now, outputs);
    model.step(now, inputs);
    rtl.step(now, inputs);
  }
  if (now == options.most_cycles) result.difference = fmt::format("not over after {} cycles", now);
  result.cycles = now;
  result.transfers = stimulus.transfers();
  result.counters = model.counters();
  return result;
}

}  // namespace tutti::rtl
