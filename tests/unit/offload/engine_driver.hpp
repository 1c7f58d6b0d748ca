#pragma once
// One barrier engine alone on the bench: what a test puts to its ports, and when what comes out.

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "offload/descriptor_words.hpp"
#include "offload/nic/engine.hpp"

namespace tutti::offload::nic {

struct Seen {
  uint64_t cycle;
  Packet packet;
};

struct SeenWrite {
  uint64_t cycle;
  MemoryWrite write;
};

class Driver {
 public:
  static constexpr uint64_t k_read_latency = 20;

  explicit Driver(const EngineConfiguration& given = {}) : configuration(given), engine(configuration) {}

  /// Through HDQ, a word a cycle.
  void post(const Descriptor& descriptor) { post_words(encode(descriptor).value()); }
  void post_words(const std::vector<uint64_t>& words) {
    for (size_t i = 0; i < words.size(); ++i) pio.push_back({words[i], i + 1 == words.size()});
  }
  /// Through SDQ.
  void ring(const Descriptor& descriptor, uint64_t address) {
    memory[address] = encode(descriptor).value();
    bells.push_back({address, static_cast<uint32_t>(memory[address].size())});
  }
  void request(const Packet& packet) { requests.push_back(packet); }
  void respond(const Packet& packet) { responses.push_back(packet); }

  void step() {
    const Outputs out = engine.outputs();
    Inputs in;
    in.txq_ready = txq_ready;
    in.txp_ready = txp_ready;
    in.wr_ready = in.rd_ready = true;
    Word word, read;
    Doorbell bell;
    Packet request_head, response_head;
    if (!pio.empty()) {
      word = pio.front();
      in.pio = &word;
      if (out.pio_ready) pio.pop_front();
    }
    if (!bells.empty()) {
      bell = bells.front();
      in.bell = &bell;
      if (out.bell_ready) bells.pop_front();
    }
    if (!reads.empty() && reads.front().first <= now) {
      read = reads.front().second;
      in.rdata = &read;
      if (out.rdata_ready) reads.pop_front();
    }
    if (!requests.empty()) {
      request_head = requests.front();
      in.rxq = &request_head;
      if (out.rxq_ready) requests.pop_front();
    }
    if (!responses.empty()) {
      response_head = responses.front();
      in.rxp = &response_head;
      if (out.rxp_ready) responses.pop_front();
    }
    if (out.rd != nullptr) {
      const auto& words = memory.at(out.rd->address);
      for (size_t i = 0; i < words.size(); ++i)
        reads.push_back({now + k_read_latency, {words[i], i + 1 == words.size()}});
    }
    if (out.txq != nullptr && txq_ready) sent.push_back({now, *out.txq});
    if (out.txp != nullptr && txp_ready) answered.push_back({now, *out.txp});
    if (out.wr != nullptr) writes.push_back({now, *out.wr});
    if (out.irq) irqs.push_back(now);
    engine.step(now, in);
    ++now;
  }
  void run(uint64_t cycles) {
    for (uint64_t i = 0; i < cycles; ++i) step();
  }
  /// Acknowledges everything that was sent since the last call.
  void acknowledge_all() {
    for (; acknowledged < sent.size(); ++acknowledged)
      respond(response_to(sent[acknowledged].packet, PacketKind::ack));
  }

  EngineConfiguration configuration;
  Engine engine;
  uint64_t now = 0;
  bool txq_ready = true, txp_ready = true;
  std::deque<Word> pio;
  std::deque<Doorbell> bells;
  std::deque<std::pair<uint64_t, Word>> reads;
  std::deque<Packet> requests, responses;
  std::map<uint64_t, std::vector<uint64_t>> memory;
  std::vector<Seen> sent, answered;
  std::vector<SeenWrite> writes;
  std::vector<uint64_t> irqs;
  size_t acknowledged = 0;
};

/// A notification to `to` for a barrier of one descriptor.
inline Packet notification(const Descriptor& of, uint8_t round, uint32_t source) {
  return {.kind = PacketKind::notification,
          .round = round,
          .words = of.element_count,
          .id = of.barrier_id,
          .epoch = of.epoch,
          .source = source,
          .destination = of.rank};
}

}  // namespace tutti::offload::nic
