#include "stimulus.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "offload/descriptor_words.hpp"

namespace tutti::rtl {

using offload::nic::EngineConfiguration;
using offload::nic::Inputs;
using offload::nic::Outputs;
using offload::nic::Packet;
using offload::nic::PacketKind;

namespace {

constexpr uint32_t k_ids = 3;             // of good descriptors; strays also use others
constexpr uint32_t k_never_again = 1000;  // number of tries of a packet that is not repeated

}  // namespace

EngineConfiguration random_configuration(uint64_t seed, const EngineConfiguration& sizes) {
  std::mt19937_64 random(seed * 7919 + 1);
  EngineConfiguration configuration = sizes;
  configuration.damq_depth = 1 + static_cast<uint32_t>(seed % configuration.damq_depth);
  configuration.backoff_cycles = 1 + static_cast<uint32_t>(random() % 100);
  configuration.timeout_cycles = 100 + static_cast<uint32_t>(random() % 1000);
  configuration.shift_max = static_cast<uint32_t>(random() % 8);
  configuration.strict = random() % 4 == 0;
  configuration.cq_base = random() << 12;
  configuration.cq_mask = (1u << random() % 4) - 1;
  return configuration;
}

Stimulus::Stimulus(uint64_t seed, uint32_t descriptors, const EngineConfiguration& configuration)
    : random_(seed),
      configuration_(configuration),
      descriptors_(descriptors),
      loss_percent_(static_cast<uint32_t>(below(3) * 10)),
      nack_percent_(static_cast<uint32_t>(below(3) * 20)),
      ready_percent_(static_cast<uint32_t>(20 + below(3) * 40)),
      spread_(static_cast<uint32_t>(50 << below(6))) {
  // Epochs wrap; the first one may be any that is not before 0.
  for (uint32_t id = 0; id < k_ids; ++id)
    epochs_.push_back(percent(50) ? 0x7fffff00 : static_cast<uint32_t>(below(100)));
  uint64_t due = below(20);
  for (uint32_t i = 0; i < descriptors; ++i) {
    plan_descriptor(due);
    if (percent(70)) due += below(spread_);
  }
  plan_strays();
}

uint64_t Stimulus::pattern() {
  switch (below(8)) {
    case 0:
      return std::array<uint64_t, 8>{0,
                                     1,
                                     0x8000000000000000,
                                     0x7ff0000000000000,
                                     0xfff0000000000000,
                                     0x7ff8000000000001,
                                     0x000fffffffffffff,
                                     0x7fefffffffffffff}[below(8)];
    case 1:
      return below(2) << 63 | (below(4) + 1022) << 52 | below(uint64_t{1} << 52);  // near 1
    case 2:
      return below(2) << 63 | below(uint64_t{1} << 53);  // subnormal, or the smallest normal
    case 3:
      return std::bit_cast<uint64_t>(static_cast<double>(below(1000)));
    default:
      return random_();
  }
}

std::vector<uint32_t> Stimulus::draw_ranks(uint32_t count, uint32_t own_rank) {
  std::vector<uint32_t> ranks;
  while (ranks.size() < count) {
    const auto rank = static_cast<uint32_t>(percent(90) ? below(40) : random_());
    if (rank != own_rank && std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) ranks.push_back(rank);
  }
  return ranks;
}

/// Plans a valid or slightly damaged descriptor, and the notifications that it will receive.
void Stimulus::plan_descriptor(uint64_t due) {
  using offload::k_descriptor_magic;
  const auto id = static_cast<uint16_t>(below(k_ids));
  if (percent(5)) epochs_[id] += static_cast<uint32_t>(below(3));  // a gap is allowed
  const uint32_t epoch = epochs_[id]++;
  const auto rank = static_cast<uint32_t>(below(50));
  const uint64_t rounds = percent(5) ? 20 : below(6), elements = percent(50) ? 0 : 1 + below(8);
  const uint64_t type = 1 + below(3), op = 1 + below(type == 3 ? 3 : 5);
  std::vector<uint64_t> words{
      k_descriptor_magic | uint64_t{1} << 32 | (elements > 0 ? 2u : 1u) * (uint64_t{1} << 40) |
          (1 + below(3)) << 48,
      rounds << 16 | (elements > 0 ? op << 24 | type << 32 | elements << 40 : 0) | uint64_t{id} << 48,
      100 | uint64_t{rank} << 32, epoch, random_() & ~uint64_t{7}};
  for (uint64_t i = 0; i < elements; ++i) words.push_back(pattern());
  const bool is_good = percent(90);
  const uint64_t most_peers = percent(15) ? 16 : 4;
  for (uint32_t r = 0; r < rounds; ++r) {
    const uint64_t sends = below(most_peers), receives = below(most_peers);
    const uint64_t action = elements == 0 ? 0 : 1 + below(2);
    words.push_back(sends | receives << 8 | action << 16 | (action == 1 ? below(receives + 1) << 24 : 0));
    const auto to = draw_ranks(static_cast<uint32_t>(sends), rank);
    const auto from = draw_ranks(static_cast<uint32_t>(receives), rank);
    for (const auto* list : {&to, &from})
      for (size_t i = 0; i < list->size(); i += 2)
        words.push_back((*list)[i] | (i + 1 < list->size() ? uint64_t{(*list)[i + 1]} << 32 : 0));
    plan_arrivals(due, id, epoch, r, static_cast<uint32_t>(elements), rank, from);
  }
  words[1] |= words.size();
  words[3] |= uint64_t{offload::checksum(words)} << 32;
  if (!is_good) damage(words, offload::k_header_words + elements);
  // A communicator's descriptors use one queue, or they could overtake each other.
  postings_.push_back({due, id % 2 == 1, std::move(words)});
}

void Stimulus::plan_arrivals(uint64_t due, uint16_t id, uint32_t epoch, uint32_t round, uint32_t elements,
                             uint32_t own_rank, const std::vector<uint32_t>& sources) {
  for (size_t i = 0; i < sources.size(); ++i) {
    Packet packet{.kind = PacketKind::notification,
                  .round = static_cast<uint8_t>(round),
                  .words = static_cast<uint8_t>(elements),
                  .send_index = static_cast<uint8_t>(below(15)),
                  .id = id,
                  .epoch = epoch,
                  .source = sources[i],
                  .destination = own_rank};
    for (uint32_t e = 0; e < elements; ++e) packet.payload[e] = pattern();
    const uint64_t from = due > spread_ ? due - spread_ : 0;
    const uint64_t when = from + below(2 * spread_ + 1);
    requests_.push({when, packet, 0});
    if (percent(10)) requests_.push({when + below(300), packet, 0});  // a duplicate
    unacknowledged_.push_back(packet);
  }
}

/// Damages a descriptor, with a correct checksum or not. The engine must refuse every result: an accepted one
/// could wait forever for notifications that are never sent.
void Stimulus::damage(std::vector<uint64_t>& words, size_t first_round) {
  switch (below(7)) {
    case 0:
      words[below(words.size())] ^= uint64_t{1} << below(64);
      return;
    case 1:
      words.resize(1 + below(words.size() - 1));
      break;
    case 2:
      words.insert(words.end(), 1 + below(20), random_());
      break;
    case 3:
      words[0] ^= uint64_t{1} << below(48);
      break;
    case 4:
      words[1] ^= uint64_t{0x80008000f8} << below(3);
      break;
    case 5:
      words[3] = 0xffffffff;
      break;  // a past epoch
    default:
      words[std::min(first_round, words.size() - 1)] ^= uint64_t{0x80} << 8 * below(4);
      break;
  }
  if (words.size() < 4) return;
  words[3] &= 0xffffffff;
  words[3] |= uint64_t{offload::checksum(words)} << 32;
}

/// Plans packets that belong to no descriptor, or almost to one.
void Stimulus::plan_strays() {
  const uint64_t count = below(12), end = 4 * spread_ + 200;
  for (uint64_t i = 0; i < count; ++i) {
    Packet packet{.kind = static_cast<PacketKind>(percent(80) ? 1 : below(4)),
                  .round = static_cast<uint8_t>(below(32)),
                  .words = static_cast<uint8_t>(below(percent(80) ? 2 : 16)),
                  .send_index = static_cast<uint8_t>(below(16)),
                  .id = static_cast<uint16_t>(percent(80) ? below(20) : below(1 << 16)),
                  .epoch = static_cast<uint32_t>(percent(60) ? epochs_[0] + below(6) - 3 : random_()),
                  .source = static_cast<uint32_t>(below(45)),
                  .destination = static_cast<uint32_t>(below(50))};
    if (!unacknowledged_.empty() && percent(50)) {
      packet = unacknowledged_[below(unacknowledged_.size())];
      const uint64_t what = below(3);
      if (what == 0) packet.source = static_cast<uint32_t>(below(45));
      // With a real packet's source, the answer to the stray would end the repetition of the real packet.
      if (what == 1) {
        packet.words ^= 1;
        packet.source += 1000;
      }
      if (what == 2) packet.round = static_cast<uint8_t>((packet.round + 1) & 31);
    }
    requests_.push({below(end), packet, k_never_again});
    packet.kind = static_cast<PacketKind>(2 + below(2));
    responses_.push({below(end), packet, 0});
  }
}

bool Stimulus::is_over() const {
  return reported_ == descriptors_ && requests_.empty() && responses_.empty() && !rxq_ && !rxp_ &&
         pio_.empty() && postings_.empty() && bells_.empty();
}

Inputs Stimulus::next(uint64_t now, const Outputs& outputs) {
  Inputs inputs;
  host(now, outputs, inputs);
  memory(outputs, inputs);
  network(now, outputs, inputs);
  return inputs;
}

void Stimulus::host(uint64_t now, const Outputs& outputs, Inputs& inputs) {
  while (!postings_.empty() && postings_.front().due <= now) {
    Posting& posting = postings_.front();
    if (posting.from_memory) {
      const auto words = static_cast<uint32_t>(posting.words.size());
      bells_.push_back({{random_() & ~uint64_t{63}, words}, std::move(posting.words)});
    } else {
      for (size_t i = 0; i < posting.words.size(); ++i)
        pio_.push_back({posting.words[i], i + 1 == posting.words.size()});
    }
    postings_.pop_front();
  }
  if (!pio_.empty() && percent(80)) {
    pio_word_ = pio_.front();
    inputs.pio = &pio_word_;
    if (outputs.pio_ready) {
      pio_.pop_front();
      ++transfers_;
    }
  }
  if (!bells_.empty() && percent(50)) {
    bell_ = bells_.front().first;
    inputs.bell = &bell_;
    if (outputs.bell_ready) {
      stored_.push_back(std::move(bells_.front()));
      bells_.pop_front();
      ++transfers_;
    }
  } else if (percent(1)) {
    bell_ = {random_(), 0};  // a doorbell without a descriptor
    inputs.bell = &bell_;
  }
}

void Stimulus::memory(const Outputs& outputs, Inputs& inputs) {
  inputs.rd_ready = percent(ready_percent_);
  if (outputs.rd != nullptr && inputs.rd_ready && !stored_.empty()) {
    const auto& words = stored_.front().second;
    for (size_t i = 0; i < words.size(); ++i) rdata_.push_back({words[i], i + 1 == words.size()});
    stored_.pop_front();
    ++transfers_;
  }
  if (!rdata_.empty() && percent(80)) {
    rdata_word_ = rdata_.front();
    inputs.rdata = &rdata_word_;
    if (outputs.rdata_ready) {
      rdata_.pop_front();
      ++transfers_;
    }
  }
  inputs.wr_ready = percent(ready_percent_);
  if (outputs.wr != nullptr && inputs.wr_ready) {
    ++transfers_;
    if (outputs.wr->is_last) ++reported_;
  }
}

void Stimulus::network(uint64_t now, const Outputs& outputs, Inputs& inputs) {
  const auto offer = [&](std::priority_queue<Timed>& queue, std::optional<Packet>& port, bool is_ready) {
    if (!port && !queue.empty() && queue.top().due <= now) {
      const Timed timed = queue.top();
      queue.pop();
      port = timed.packet;
      // The sender repeats it until it gets an answer; some answers are lost. Notifications for refused
      // descriptors are repeated until the end of the pattern.
      if (timed.packet.kind == PacketKind::notification && timed.tries < k_never_again &&
          reported_ < descriptors_)
        queue.push({now + 300 + below(300), timed.packet, timed.tries + 1});
    }
    if (port && is_ready) ++transfers_;
  };
  offer(requests_, rxq_, outputs.rxq_ready);
  if (rxq_) {
    request_ = *rxq_;
    inputs.rxq = &request_;
    if (outputs.rxq_ready) rxq_.reset();
  }
  offer(responses_, rxp_, outputs.rxp_ready);
  if (rxp_) {
    response_ = *rxp_;
    inputs.rxp = &response_;
    if (outputs.rxp_ready) rxp_.reset();
  }
  inputs.txq_ready = percent(ready_percent_);
  if (outputs.txq != nullptr && inputs.txq_ready) answer(now, *outputs.txq);
  inputs.txp_ready = percent(ready_percent_);
  if (outputs.txp != nullptr && inputs.txp_ready) take_response(*outputs.txp);
}

/// A peer's response to a notification of the engine.
void Stimulus::answer(uint64_t now, const Packet& notification) {
  ++transfers_;
  if (percent(loss_percent_)) return;
  const auto kind = percent(nack_percent_) ? PacketKind::nack : PacketKind::ack;
  const Packet response = response_to(notification, kind);
  responses_.push({now + 1 + below(150), response, 0});
  if (percent(5)) responses_.push({now + 1 + below(600), response, 0});
}

/// The engine's response to a peer: an ACK ends the repetition, if it is not lost.
void Stimulus::take_response(const Packet& response) {
  ++transfers_;
  if (response.kind != PacketKind::ack || percent(loss_percent_)) return;
  std::vector<Timed> kept;
  while (!requests_.empty()) {
    kept.push_back(requests_.top());
    requests_.pop();
  }
  for (const Timed& timed : kept) {
    const bool is_it = timed.tries > 0 && timed.packet.id == response.id &&
                       timed.packet.epoch == response.epoch && timed.packet.round == response.round &&
                       timed.packet.source == response.destination;
    if (!is_it) requests_.push(timed);
  }
}

}  // namespace tutti::rtl
