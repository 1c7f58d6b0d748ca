#include "offload/descriptor_words.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "offload/malformed.hpp"

namespace tutti::offload {

using base::Result;
using base::Status;

namespace {

constexpr size_t k_checksum_word = 3;
constexpr uint64_t k_low_half = 0xffffffff;

/// `count` bits of a word, starting at bit `first`.
constexpr uint64_t bits(uint64_t word, unsigned first, unsigned count) {
  return (word >> first) & ((uint64_t{1} << count) - 1);
}

constexpr size_t peer_words(size_t peers) {
  return (peers + 1) / 2;
}

constexpr std::array<uint32_t, 256> crc_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < table.size(); ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? k_crc_polynomial : 0);
    table[i] = crc;
  }
  return table;
}

void append_peers(std::vector<uint64_t>& words, std::span<const NodeId> peers) {
  for (size_t i = 0; i < peers.size(); i += 2)
    words.push_back(peers[i] | (i + 1 < peers.size() ? uint64_t{peers[i + 1]} << 32 : 0));
}

void append_round(std::vector<uint64_t>& words, const Round& round) {
  words.push_back(uint64_t{round.sends.size()} | uint64_t{round.receives.size()} << 8 |
                  uint64_t{static_cast<uint8_t>(round.action)} << 16 | uint64_t{round.own_position} << 24);
  append_peers(words, round.sends);
  append_peers(words, round.receives);
}

/// Takes words off the front; stops at the first missing or invalid one.
class Reader {
 public:
  explicit Reader(std::span<const uint64_t> words) : rest_(words) {}

  bool has(size_t count) const { return rest_.size() >= count; }
  bool is_at_end() const { return rest_.empty(); }
  uint64_t take() {
    const uint64_t word = rest_.front();
    rest_ = rest_.subspan(1);
    return word;
  }

 private:
  std::span<const uint64_t> rest_;
};

Result<std::vector<NodeId>> read_peers(Reader& reader, size_t count) {
  std::vector<NodeId> peers;
  peers.reserve(count + 1);
  for (size_t i = 0; i < peer_words(count); ++i) {
    const uint64_t word = reader.take();
    peers.push_back(static_cast<NodeId>(word & k_low_half));
    peers.push_back(static_cast<NodeId>(word >> 32));
  }
  if (count % 2 == 0) return peers;
  if (peers.back() != 0) return Status::invalid_argument("bits behind the last rank are not 0");
  peers.pop_back();
  return peers;
}

Result<Round> read_round(Reader& reader) {
  if (!reader.has(1)) return Status::invalid_argument("the descriptor ends before it");
  const uint64_t word = reader.take();
  const size_t sends = bits(word, 0, 8), receives = bits(word, 8, 8);
  if (bits(word, 32, 32) != 0) return Status::invalid_argument("reserved bits are not 0");
  if (sends > k_most_peers || receives > k_most_peers)
    return Status::invalid_argument(
        fmt::format("{} sends and {} receives, not at most {} each", sends, receives, k_most_peers));
  if (!reader.has(peer_words(sends) + peer_words(receives)))
    return Status::invalid_argument("the descriptor ends within it");
  auto to = read_peers(reader, sends);
  if (!to) return to.status();
  auto from = read_peers(reader, receives);
  if (!from) return from.status();
  return Round{.sends = std::move(*to),
               .receives = std::move(*from),
               .action = static_cast<Action>(bits(word, 16, 8)),
               .own_position = static_cast<uint8_t>(bits(word, 24, 8))};
}

/// Checks that these words are an undamaged descriptor.
Status check_frame(std::span<const uint64_t> words) {
  if (words.size() < k_header_words)
    return malformed("{} words are shorter than the header of {}", words.size(), k_header_words);
  if (bits(words[0], 0, 32) != k_descriptor_magic)
    return malformed("starts with {:#010x}, not with {:#010x} (\"TBAR\")", bits(words[0], 0, 32),
                     k_descriptor_magic);
  if (bits(words[0], 32, 8) != k_descriptor_version)
    return malformed("version {}; known is {}", bits(words[0], 32, 8), k_descriptor_version);
  if (bits(words[1], 0, 16) != words.size())
    return malformed("says that it has {} words, but has {}", bits(words[1], 0, 16), words.size());
  const uint32_t said = static_cast<uint32_t>(words[k_checksum_word] >> 32), is = checksum(words);
  if (said != is) return malformed("checksum {:#010x}, but its words have {:#010x}", said, is);
  if (bits(words[0], 56, 8) != 0) return malformed("flags {:#x}; none is known", bits(words[0], 56, 8));
  return {};
}

Descriptor header_of(std::span<const uint64_t> words) {
  return {.kind = static_cast<Kind>(bits(words[0], 40, 8)),
          .completion = static_cast<Completion>(bits(words[0], 48, 8)),
          .barrier_id = static_cast<uint16_t>(bits(words[1], 48, 16)),
          .epoch = static_cast<uint32_t>(words[3] & k_low_half),
          .nodes = static_cast<uint32_t>(words[2] & k_low_half),
          .rank = static_cast<NodeId>(words[2] >> 32),
          .completion_address = words[4],
          .op = static_cast<Operator>(bits(words[1], 24, 8)),
          .type = static_cast<ElementType>(bits(words[1], 32, 8)),
          .element_count = static_cast<uint8_t>(bits(words[1], 40, 8))};
}

}  // namespace

uint32_t checksum(std::span<const uint64_t> words) {
  static constexpr auto k_table = crc_table();
  uint32_t crc = ~uint32_t{0};
  for (size_t i = 0; i < words.size(); ++i) {
    const uint64_t word = i == k_checksum_word ? words[i] & k_low_half : words[i];
    for (unsigned byte = 0; byte < 8; ++byte)
      crc = (crc >> 8) ^ k_table[(crc ^ bits(word, 8 * byte, 8)) & 0xff];
  }
  return ~crc;
}

Result<std::vector<uint64_t>> encode(const Descriptor& d) {
  if (auto status = check(d); !status) return status;
  std::vector<uint64_t> words(k_header_words);
  words[0] = k_descriptor_magic | uint64_t{k_descriptor_version} << 32 |
             uint64_t{static_cast<uint8_t>(d.kind)} << 40 |
             uint64_t{static_cast<uint8_t>(d.completion)} << 48;
  words[1] = uint64_t{d.rounds.size()} << 16 | uint64_t{static_cast<uint8_t>(d.op)} << 24 |
             uint64_t{static_cast<uint8_t>(d.type)} << 32 | uint64_t{d.element_count} << 40 |
             uint64_t{d.barrier_id} << 48;
  words[2] = d.nodes | uint64_t{d.rank} << 32;
  words[3] = d.epoch;
  words[4] = d.completion_address;
  words.insert(words.end(), d.operand.begin(), d.operand.begin() + d.element_count);
  for (const Round& round : d.rounds) append_round(words, round);
  words[1] |= words.size();
  words[k_checksum_word] |= uint64_t{checksum(words)} << 32;
  return words;
}

Result<Descriptor> decode(std::span<const uint64_t> words) {
  if (auto status = check_frame(words); !status) return status;
  Descriptor d = header_of(words);
  const size_t rounds = bits(words[1], 16, 8);
  if (rounds > k_most_rounds) return malformed("{} rounds, not at most {}", rounds, k_most_rounds);
  if (d.element_count > k_most_elements)
    return malformed("{} elements, not at most {}", d.element_count, k_most_elements);
  Reader reader(words.subspan(k_header_words));
  if (!reader.has(d.element_count)) return malformed("ends within its {} operand words", d.element_count);
  for (size_t i = 0; i < d.element_count; ++i) d.operand[i] = reader.take();
  for (size_t r = 0; r < rounds; ++r) {
    auto round = read_round(reader);
    if (!round) return malformed("round {}: {}", r, round.status().message());
    d.rounds.push_back(std::move(*round));
  }
  if (!reader.is_at_end()) return malformed("words behind its last round");
  if (auto status = check(d); !status) return status;
  return d;
}

std::string to_bytes(std::span<const uint64_t> words) {
  std::string bytes;
  bytes.reserve(8 * words.size());
  for (const uint64_t word : words)
    for (unsigned byte = 0; byte < 8; ++byte) bytes.push_back(static_cast<char>(bits(word, 8 * byte, 8)));
  return bytes;
}

Result<std::vector<uint64_t>> from_bytes(std::string_view bytes) {
  if (bytes.size() % 8 != 0)
    return malformed("{} bytes are not a whole number of 64-bit words", bytes.size());
  std::vector<uint64_t> words(bytes.size() / 8);
  for (size_t i = 0; i < bytes.size(); ++i)
    words[i / 8] |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * (i % 8));
  return words;
}

}  // namespace tutti::offload
