#include "offload/model/software_node.hpp"

#include <algorithm>
#include <utility>

namespace tutti::offload::model {

using network::Message;
using network::MessageClass;

namespace {

constexpr uint32_t k_completion_bytes = 64;  // the NIC writes the payload within its completion entry

}  // namespace

SoftwareNode::SoftwareNode(const Timing& timing, const Workload& workload, uint32_t node,
                           std::vector<Round> rounds, network::Network& network, Journal& journal)
    : timing_(timing),
      workload_(workload),
      node_(node),
      rounds_(std::move(rounds)),
      network_(network),
      journal_(journal),
      program_(timing, workload, node),
      host_(timing),
      background_(timing, workload, node) {
  for (auto& received : received_) received.assign(rounds_.size(), 0);
}

// ---- the CPU: one action at a time, sends first, since other nodes wait for them

void SoftwareNode::send(uint64_t now) {
  const uint64_t cost = timing_.send + (workload_.through_mpi ? timing_.mpi_send : 0);
  cpu_free_ = now + cost;
  journal_.spends(cost);
  Message message;
  message.source = node_;
  message.destination = rounds_[round_].sends[sent_++];
  message.bytes = 16 + timing_.message_bytes;  // addresses and key, like the engine's header
  message.packet.epoch = which_;
  message.packet.round = static_cast<uint8_t>(round_);
  outgoing_.push_back({cpu_free_ + timing_.pio, message});
}

void SoftwareNode::receive(uint64_t now) {
  const uint64_t cost = timing_.receive + (workload_.through_mpi ? timing_.mpi_receive : 0);
  cpu_free_ = now + cost;
  journal_.spends(cost);
  ++received_[arrived_.front().which % 2][arrived_.front().round];
  arrived_.pop_front();
}

/// Advances over all rounds that have nothing left to do.
void SoftwareNode::end_rounds(uint64_t now) {
  auto& received = received_[which_ % 2];
  while (round_ < rounds_.size() && sent_ == rounds_[round_].sends.size() &&
         received[round_] == rounds_[round_].receives.size()) {
    ++round_;
    sent_ = 0;
  }
  if (round_ < rounds_.size()) return;
  std::fill(received.begin(), received.end(), 0);
  is_inside_ = false;
  journal_.reports(which_, std::max(now, cpu_free_));
  journal_.completes(which_, std::max(now, cpu_free_), {});
  program_.complete(std::max(now, cpu_free_));
}

/// False when there is nothing to do at this time.
bool SoftwareNode::act(uint64_t now) {
  if (!is_inside_) {
    if (program_.due() > now) return false;
    which_ = program_.next();
    round_ = sent_ = 0;
    is_inside_ = true;
    journal_.arrives(which_, now);
    program_.post(now);
    end_rounds(now);
    return true;
  }
  if (sent_ < rounds_[round_].sends.size()) {
    send(now);
  } else {
    if (arrived_.empty() || arrived_.front().ready > now) return false;
    receive(now);
  }
  end_rounds(now);
  return true;
}

void SoftwareNode::run_cpu(uint64_t now) {
  while (cpu_free_ <= now && act(now)) {
  }
}

// ---- the NIC, with the same arbiters as OffloadNode

void SoftwareNode::run_nic(uint64_t now) {
  for (uint32_t i = 0; i < 3 && host_.is_free(now); ++i) {
    const uint32_t who = (memory_turn_ + i) % 3;
    const Message* request = network_.front(node_, MessageClass::request, now);
    const Message* bulk = network_.front(node_, MessageClass::bulk, now);
    if (who == 0 && request != nullptr) {
      arrived_.push_back(
          {host_.write(now, k_completion_bytes), request->packet.epoch, request->packet.round});
      network_.pop(node_, MessageClass::request, now);
    } else if (who == 1 && background_.wants_read(now)) {
      background_.read(now, host_);
    } else if (who == 2 && bulk != nullptr) {
      host_.write(now, bulk->bytes);
      network_.pop(node_, MessageClass::bulk, now);
    } else {
      continue;
    }
    memory_turn_ = (who + 1) % 3;
    break;
  }
  for (uint32_t i = 0; i < 2; ++i) {
    const uint32_t who = (network_turn_ + i) % 2;
    if (who == 0 && !outgoing_.empty() && outgoing_.front().ready <= now &&
        network_.can_inject(node_, MessageClass::request, now)) {
      network_.inject(outgoing_.front().message, MessageClass::request, now);
      outgoing_.pop_front();
    } else if (who == 1 && background_.packet(now) != nullptr &&
               network_.can_inject(node_, MessageClass::bulk, now)) {
      network_.inject(*background_.packet(now), MessageClass::bulk, now);
      background_.sent();
    } else {
      continue;
    }
    network_turn_ = (who + 1) % 2;
    break;
  }
}

uint64_t SoftwareNode::step(uint64_t now) {
  run_cpu(now);
  run_nic(now);
  return wake(now);
}

uint64_t SoftwareNode::wake(uint64_t now) const {
  uint64_t when = background_.wake(now);
  const auto consider = [&](uint64_t cycle) { when = std::min(when, std::max(cycle, now + 1)); };
  if (!is_inside_)
    consider(std::max(program_.due(), cpu_free_));
  else if (sent_ < rounds_[round_].sends.size())
    consider(cpu_free_);
  else if (!arrived_.empty())
    consider(std::max(arrived_.front().ready, cpu_free_));
  const uint64_t channel = network_.channel_free(node_);
  if (!outgoing_.empty() && outgoing_.front().ready > now) consider(outgoing_.front().ready);
  const bool has_packet =
      (!outgoing_.empty() && outgoing_.front().ready <= now) || background_.packet(now) != nullptr;
  if (has_packet && channel > now) consider(channel);
  if (background_.wants_read(now) || network_.front(node_, MessageClass::request, now) != nullptr ||
      network_.front(node_, MessageClass::bulk, now) != nullptr)
    consider(host_.free_at());
  return when;
}

}  // namespace tutti::offload::model
