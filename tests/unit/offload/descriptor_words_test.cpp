#include "offload/descriptor_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "samples.hpp"

namespace tutti::offload {
namespace {

using Words = std::vector<uint64_t>;

/// Words whose checksum is right again.
Words sealed(Words words) {
  words[3] = (words[3] & 0xffffffff) | uint64_t{checksum(words)} << 32;
  return words;
}

std::string refusal(const Words& words) {
  const auto d = decode(words);
  return d ? "accepted" : d.status().message();
}

TEST(DescriptorWords, AreThoseOfTheDocumentation) {
  const Words words = encode(documented()).value();
  // 5 rounds; the checksum is what zlib.crc32 of Python says of these bytes with that field as 0.
  const Words expected{
      0x0001'01'01'52414254,
      0x0007'00'00'00'05'0014,
      0x00000005'00000080,
      0x000f2992'0000002a,
      0xc0ffee,
      0x0202,
      0x00000004'00000006,
      0x00000006'00000004,  //
      0x0202,
      0x00000002'00000008,
      0x00000008'00000002,  //
      0x0202,
      0x0000007c'0000000e,
      0x0000000e'0000007c,  //
      0x0202,
      0x0000006a'00000020,
      0x00000020'0000006a,  //
      0x0101,
      0x00000056,
      0x00000034,
  };
  EXPECT_EQ(words, expected);
}

TEST(DescriptorWords, ReadBackAsTheSame) {
  for (const uint32_t nodes : {1U, 2U, 3U, 5U, 16U, 100U, 4096U, 65'537U, 3'000'000'000U})
    for (const uint32_t radix : {2U, 3U, 4U, 9U, 16U})
      for (const NodeId rank : {0U, nodes / 2, nodes - 1}) {
        if (!dissemination(nodes, rank, radix, pattern::DisseminationShape::forward)) {
          EXPECT_EQ(radix, 2U);  // 2^20 nodes are its limit
          continue;
        }
        for (Descriptor d :
             {barrier_of(nodes, rank, radix), allreduce_of(nodes, rank, std::max(4U, radix), 8)}) {
          d.barrier_id = 0xffff;
          d.epoch = 0xffffffff;
          d.completion = Completion::memory_write;
          d.completion_address = 0xffff'ffff'ffff'fff8;
          const Words words = encode(d).value();
          EXPECT_LE(words.size(), k_most_words);
          EXPECT_EQ(decode(words).value(), d);
          EXPECT_EQ(from_bytes(to_bytes(words)).value(), words);
        }
      }
}

TEST(DescriptorWords, LongestOneFits) {
  Descriptor d{.kind = Kind::allreduce, .nodes = 17, .rank = 16};
  d.op = Operator::max;
  d.type = ElementType::float64;
  d.element_count = 8;
  Round round{.action = Action::combine, .own_position = 15};
  for (NodeId i = 0; i < 15; ++i) round.sends.push_back(i), round.receives.push_back(i);
  d.rounds.assign(20, round);
  const Words words = encode(d).value();
  EXPECT_EQ(words.size(), k_most_words);
  EXPECT_EQ(decode(words).value(), d);
  d.rounds.push_back(round);
  EXPECT_EQ(encode(d).status().message(), "descriptor: 21 rounds, not at most 20");
}

TEST(DescriptorWords, EveryFlippedBitIsSeen) {
  const Words words = encode(documented()).value();
  for (size_t i = 0; i < words.size(); ++i)
    for (unsigned bit = 0; bit < 64; ++bit) {
      Words other = words;
      other[i] ^= uint64_t{1} << bit;
      EXPECT_FALSE(decode(other)) << "bit " << bit << " of word " << i;
    }
}

TEST(DescriptorWords, EveryLengthButTheOwnIsRefused) {
  Words words = encode(documented()).value();
  for (size_t size = 0; size < words.size(); ++size)
    EXPECT_FALSE(decode(std::span(words).first(size))) << size << " words";
  words.push_back(0);
  EXPECT_EQ(refusal(words), "descriptor: says that it has 20 words, but has 21");
  words[1] += 1;
  EXPECT_EQ(refusal(sealed(words)), "descriptor: words behind its last round");
}

struct Damage {
  const char* what;
  std::function<void(Words&)> apply;
  const char* message;
};

TEST(DescriptorWords, DamageUnderARightChecksumIsRefused) {
  constexpr uint64_t k_one_round = uint64_t{1} << 16;
  const Damage damages[] = {
      {"magic", [](Words& w) { w[0] ^= 1; },
       "descriptor: starts with 0x52414255, not with 0x52414254 (\"TBAR\")"},
      {"version", [](Words& w) { w[0] += uint64_t{1} << 32; }, "descriptor: version 2; known is 1"},
      {"flags", [](Words& w) { w[0] |= uint64_t{0x80} << 56; }, "descriptor: flags 0x80; none is known"},
      {"kind", [](Words& w) { w[0] += uint64_t{4} << 40; },
       "descriptor: kind 5 is neither barrier (1) nor allreduce (2)"},
      {"completion", [](Words& w) { w[0] ^= uint64_t{5} << 48; },
       "descriptor: completion kind 4 is not 1, 2 or 3"},
      {"address", [](Words& w) { w[0] ^= uint64_t{3} << 48; },
       "descriptor: completion address 0xc0ffee is not a multiple of 8 above 0"},
      {"more rounds", [](Words& w) { w[1] += k_one_round; },
       "descriptor: round 5: the descriptor ends before it"},
      {"fewer rounds", [](Words& w) { w[1] -= k_one_round; }, "descriptor: words behind its last round"},
      {"too many rounds", [](Words& w) { w[1] += 16 * k_one_round; },
       "descriptor: 21 rounds, not at most 20"},
      {"operator", [](Words& w) { w[1] |= uint64_t{1} << 24; },
       "descriptor: a barrier has no operator, no element type and no elements"},
      {"type", [](Words& w) { w[1] |= uint64_t{1} << 32; },
       "descriptor: a barrier has no operator, no element type and no elements"},
      {"elements", [](Words& w) { w[1] |= uint64_t{9} << 40; }, "descriptor: 9 elements, not at most 8"},
      {"no nodes", [](Words& w) { w[2] = 0; }, "descriptor: a communicator of no nodes"},
      {"rank", [](Words& w) { w[2] = 5 | uint64_t{5} << 32; },
       "descriptor: rank 5 in a communicator of 5 nodes"},
      {"too few nodes", [](Words& w) { w[2] = 100 | uint64_t{5} << 32; },
       "descriptor: round 2: node 124 among the sends, but there are 100 nodes"},
      {"too many sends", [](Words& w) { w[5] += 14; },
       "descriptor: round 0: 16 sends and 2 receives, not at most 15 each"},
      {"ends inside", [](Words& w) { w[17] += 8; }, "descriptor: round 4: the descriptor ends within it"},
      {"reserved", [](Words& w) { w[5] |= uint64_t{1} << 63; },
       "descriptor: round 0: reserved bits are not 0"},
      {"padding", [](Words& w) { w[18] |= uint64_t{1} << 32; },
       "descriptor: round 4: bits behind the last rank are not 0"},
      {"action", [](Words& w) { w[5] |= uint64_t{1} << 16; },
       "descriptor: round 0: combines, but there are no values"},
      {"unknown action", [](Words& w) { w[5] |= uint64_t{3} << 16; },
       "descriptor: round 0: action 3 is not 0, 1 or 2"},
      {"own position", [](Words& w) { w[5] |= uint64_t{1} << 24; },
       "descriptor: round 0: the own value has position 1, but nothing is combined"},
      {"self-send", [](Words& w) { w[6] = 5 | uint64_t{4} << 32; },
       "descriptor: round 0: node 5 itself among its sends"},
      {"twice", [](Words& w) { w[7] = 4 | uint64_t{4} << 32; },
       "descriptor: round 0: node 4 twice among the receives"},
  };
  const Words sound = encode(documented()).value();
  for (const Damage& damage : damages) {
    Words words = sound;
    damage.apply(words);
    EXPECT_EQ(refusal(sealed(words)), damage.message) << damage.what;
  }
  Words words = sound;
  words[4] ^= 1;
  EXPECT_TRUE(refusal(words).starts_with("descriptor: checksum 0x")) << refusal(words);
}

TEST(DescriptorWords, BytesHaveToBeWords) {
  EXPECT_EQ(from_bytes("123456789").status().message(),
            "descriptor: 9 bytes are not a whole number of 64-bit words");
  EXPECT_EQ(from_bytes(std::string("\1\2\0\0\0\0\0\x80", 8)).value(), Words{0x8000000000000201});
}

}  // namespace
}  // namespace tutti::offload
