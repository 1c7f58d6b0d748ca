#include "offload/model/offload_node.hpp"

#include <algorithm>
#include <utility>

#include "offload/nic/completion_unit.hpp"

namespace tutti::offload::model {

using network::Message;
using network::MessageClass;

namespace {

constexpr uint32_t k_memory_users =
    4;  // engine's writes, engine's reads, background reads, background writes
constexpr uint32_t k_network_users = 3;  // responses, requests, background
constexpr size_t k_line_words = 8;

Message message_of(const nic::Packet& packet, uint32_t node) {
  return {.packet = packet, .source = node, .destination = packet.destination, .bytes = packet_bytes(packet)};
}

}  // namespace

OffloadNode::OffloadNode(const Timing& timing, const Workload& workload, uint32_t node, Encoder encode,
                         std::unique_ptr<nic::EngineModel> engine, network::Network& network,
                         Journal& journal)
    : timing_(timing),
      workload_(workload),
      node_(node),
      encode_(std::move(encode)),
      engine_(std::move(engine)),
      network_(network),
      journal_(journal),
      program_(timing, workload, node),
      host_(timing),
      background_(timing, workload, node) {}

// ---- the host

/// Writes the descriptor to HDQ through PIO, or to memory with a doorbell to SDQ.
void OffloadNode::post(uint64_t now) {
  const uint32_t which = program_.next();
  journal_.arrives(which, now);
  std::vector<uint64_t> words = encode_(node_, which);
  uint64_t cpu = timing_.post;
  if (workload_.from_memory) {
    const uint64_t address = 0x80000000 + uint64_t{which} * 8192;
    bells_.push_back({now + cpu + timing_.pio, {address, static_cast<uint32_t>(words.size())}});
    memory_.push_back({address, std::move(words)});
  } else {
    const uint64_t start = now + cpu + timing_.pio;
    cpu += (words.size() - 1) / k_line_words * timing_.line;
    pio_.push_back({std::move(words), start, 0});
  }
  journal_.spends(cpu);
  program_.post(now + cpu);
}

void OffloadNode::run_program(uint64_t now) {
  while (!finishes_.empty() && finishes_.front().ready <= now) {
    const Finish& finish = finishes_.front();
    const bool is_interrupt = workload_.completion == Completion::interrupt;
    const uint64_t known = now + (is_interrupt ? timing_.interrupt : timing_.poll);
    journal_.spends(is_interrupt ? timing_.interrupt : timing_.poll);
    journal_.completes(finish.which, known, finish.result);
    program_.complete(known);
    finishes_.pop_front();
  }
  while (program_.due() <= now) post(now);
}

uint64_t OffloadNode::pio_ready() const {
  if (pio_.empty()) return UINT64_MAX;
  return pio_.front().start + pio_.front().next / k_line_words * timing_.line;
}

/// A completion is a burst of writes that ends with its status word.
void OffloadNode::take_write(const nic::MemoryWrite& write, uint64_t now) {
  writes_.push_back(write);
  if (!write.is_last) return;
  const uint64_t status = write.data >> 48 & 0xff;
  const auto epoch = static_cast<uint32_t>(write.data);
  const auto id = static_cast<uint32_t>(write.data >> 32 & 0xffff);
  const uint64_t which = uint64_t{epoch - workload_.first_epoch} * workload_.communicators + id;
  if (status != nic::k_status_done || which >= workload_.repeats) {
    journal_.goes_wrong();
    return;
  }
  journal_.reports(static_cast<uint32_t>(which), now);
  Finish finish{0, static_cast<uint32_t>(which), {}};
  const size_t first = workload_.completion == Completion::memory_write ? 0 : 1;
  for (size_t i = first; i + 1 < writes_.size(); ++i) finish.result.push_back(writes_[i].data);
  finishes_.push_back(std::move(finish));
  finishes_.back().ready = UINT64_MAX;
}

void OffloadNode::finish_write(uint64_t now) {
  const uint64_t seen = host_.write(now, static_cast<uint32_t>(8 * writes_.size()));
  writes_.clear();
  if (!finishes_.empty() && finishes_.back().ready == UINT64_MAX) finishes_.back().ready = seen;
}

// ---- the arbiters

bool OffloadNode::grant_memory(uint32_t who, uint64_t now, const nic::Outputs& outputs, nic::Inputs& inputs) {
  switch (who) {
    case 0:
      if (writes_.empty() || !writes_.back().is_last) return false;
      finish_write(now);
      return true;
    case 1: {
      if (outputs.rd == nullptr) return false;
      inputs.rd_ready = true;
      const auto stored = std::find_if(memory_.begin(), memory_.end(), [&](const Stored& entry) {
        return entry.address == outputs.rd->address;
      });
      const uint64_t ready = host_.read(now, 8 * outputs.rd->words);
      reads_.push_back({ready, std::move(stored->words), 0});
      memory_.erase(stored);
      return true;
    }
    case 2:
      if (!background_.wants_read(now)) return false;
      background_.read(now, host_);
      return true;
    default: {
      const Message* bulk = network_.front(node_, MessageClass::bulk, now);
      if (bulk == nullptr) return false;
      host_.write(now, bulk->bytes);
      network_.pop(node_, MessageClass::bulk, now);
      return true;
    }
  }
}

void OffloadNode::arbitrate_memory(uint64_t now, const nic::Outputs& outputs, nic::Inputs& inputs) {
  // A completion is collected only after the previous one has been granted.
  inputs.wr_ready = writes_.empty() || !writes_.back().is_last;
  for (uint32_t i = 0; i < k_memory_users && host_.is_free(now); ++i) {
    const uint32_t who = (memory_turn_ + i) % k_memory_users;
    if (!grant_memory(who, now, outputs, inputs)) continue;
    memory_turn_ = (who + 1) % k_memory_users;
    break;
  }
  if (inputs.wr_ready && outputs.wr != nullptr) take_write(*outputs.wr, now);
}

bool OffloadNode::grant_network(uint32_t who, uint64_t now, const nic::Outputs& outputs,
                                nic::Inputs& inputs) {
  const auto may = [&](MessageClass of) { return network_.can_inject(node_, of, now); };
  if (who == 0) {
    if (outputs.txp == nullptr || !may(MessageClass::response)) return false;
    inputs.txp_ready = true;
    network_.inject(message_of(*outputs.txp, node_), MessageClass::response, now);
  } else if (who == 1) {
    if (outputs.txq == nullptr || !may(MessageClass::request)) return false;
    inputs.txq_ready = true;
    network_.inject(message_of(*outputs.txq, node_), MessageClass::request, now);
  } else {
    const Message* bulk = background_.packet(now);
    if (bulk == nullptr || !may(MessageClass::bulk)) return false;
    network_.inject(*bulk, MessageClass::bulk, now);
    background_.sent();
  }
  return true;
}

void OffloadNode::arbitrate_network(uint64_t now, const nic::Outputs& outputs, nic::Inputs& inputs) {
  for (uint32_t i = 0; i < k_network_users; ++i) {
    const uint32_t who = (network_turn_ + i) % k_network_users;
    if (!grant_network(who, now, outputs, inputs)) continue;
    network_turn_ = (who + 1) % k_network_users;
    return;
  }
}

// ---- a cycle

uint64_t OffloadNode::step(uint64_t now) {
  run_program(now);
  const nic::Outputs outputs = engine_->outputs();
  nic::Inputs inputs;
  if (pio_ready() <= now) {
    PioBurst& burst = pio_.front();
    pio_word_ = {burst.words[burst.next], burst.next + 1 == burst.words.size()};
    inputs.pio = &pio_word_;
    if (outputs.pio_ready && ++burst.next == burst.words.size()) pio_.pop_front();
  }
  nic::Doorbell bell;
  if (!bells_.empty() && bells_.front().ready <= now) {
    bell = bells_.front().bell;
    inputs.bell = &bell;
    if (outputs.bell_ready) bells_.pop_front();
  }
  if (!reads_.empty() && reads_.front().ready <= now) {
    Read& read = reads_.front();
    read_word_ = {read.words[read.next], read.next + 1 == read.words.size()};
    inputs.rdata = &read_word_;
    if (outputs.rdata_ready && ++read.next == read.words.size()) reads_.pop_front();
  }
  nic::Packet request, response;
  if (const Message* message = network_.front(node_, MessageClass::request, now)) {
    request = message->packet;
    inputs.rxq = &request;
    if (outputs.rxq_ready) network_.pop(node_, MessageClass::request, now);
  }
  if (const Message* message = network_.front(node_, MessageClass::response, now)) {
    response = message->packet;
    inputs.rxp = &response;
    if (outputs.rxp_ready) network_.pop(node_, MessageClass::response, now);
  }
  arbitrate_memory(now, outputs, inputs);
  arbitrate_network(now, outputs, inputs);
  engine_->step(now, inputs);
  return wake(now);
}

uint64_t OffloadNode::wake(uint64_t now) const {
  uint64_t when = std::min(engine_->wake(now), background_.wake(now));
  const auto consider = [&](uint64_t cycle) { when = std::min(when, std::max(cycle, now + 1)); };
  const nic::Outputs outputs = engine_->outputs();
  consider(program_.due());
  if (!finishes_.empty()) consider(finishes_.front().ready);
  // If the engine has no room, the node can wait until the engine changes, which may be a second later.
  if (outputs.pio_ready) consider(pio_ready());
  if (outputs.bell_ready && !bells_.empty()) consider(bells_.front().ready);
  if (outputs.rdata_ready && !reads_.empty()) consider(reads_.front().ready);
  // If the router has no room, the network wakes the node when it has.
  const uint64_t channel = network_.channel_free(node_);
  const bool has_packet =
      outputs.txq != nullptr || outputs.txp != nullptr || background_.packet(now) != nullptr;
  if (has_packet && channel > now) consider(channel);
  const bool has_transaction = outputs.rd != nullptr || (!writes_.empty() && writes_.back().is_last) ||
                               background_.wants_read(now) ||
                               network_.front(node_, MessageClass::bulk, now) != nullptr;
  if (has_transaction) consider(host_.free_at());
  if (outputs.wr != nullptr) consider(now + 1);
  return when;
}

}  // namespace tutti::offload::model
