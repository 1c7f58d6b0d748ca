// The engine's side towards the host: queues, refusals, completions; and wake().

#include <gtest/gtest.h>

#include <bit>

#include "engine_driver.hpp"
#include "offload/rounds.hpp"

namespace tutti::offload::nic {
namespace {

Descriptor alone(uint32_t epoch, Completion completion) {
  Descriptor descriptor;
  descriptor.epoch = epoch;
  descriptor.completion = completion;
  descriptor.completion_address = 0x1000;
  return descriptor;
}

TEST(EngineHost, FetchesDescriptorsFromMemory) {
  Driver driver;
  for (uint32_t epoch = 0; epoch < 12; ++epoch)
    driver.ring(alone(epoch, Completion::queue_entry), 0x100000 + epoch * 0x1000);
  driver.run(1000);
  EXPECT_EQ(driver.engine.counters().completions, 12u);
  EXPECT_TRUE(driver.engine.is_empty());
}

TEST(EngineHost, TheChipsQueueGoesFirst) {
  Driver driver;
  driver.configuration.contexts = 4;
  driver.ring(alone(5, Completion::queue_entry), 0x100000);
  driver.post(alone(4, Completion::queue_entry));
  driver.run(200);
  ASSERT_EQ(driver.writes.size(), 4u);
  EXPECT_EQ(static_cast<uint32_t>(driver.writes[1].write.data), 4u);
  EXPECT_EQ(static_cast<uint32_t>(driver.writes[3].write.data), 5u);
}

TEST(EngineHost, CompletionQueueTurnsAndItsPhase) {
  EngineConfiguration configuration;
  configuration.cq_mask = 3;
  Driver driver(configuration);
  for (uint32_t epoch = 0; epoch < 9; ++epoch) driver.post(alone(epoch, Completion::queue_entry));
  driver.run(500);
  ASSERT_EQ(driver.writes.size(), 18u);
  for (uint32_t i = 0; i < 9; ++i) {
    const MemoryWrite& status = driver.writes[2 * i + 1].write;
    EXPECT_EQ(status.address, configuration.cq_base + 128 * (i % 4));
    EXPECT_EQ(status.data, status_word(i, 0, 1, i / 4 % 2 == 0));
    EXPECT_EQ(driver.writes[2 * i].write.address, status.address + 8);
  }
}

TEST(EngineHost, MemoryWritesAndInterrupts) {
  Driver driver;
  driver.post(alone(0, Completion::memory_write));
  driver.post(alone(1, Completion::interrupt));
  driver.run(200);
  ASSERT_EQ(driver.writes.size(), 3u);
  EXPECT_EQ(driver.writes[0].write, (MemoryWrite{0x1000, status_word(0, 0, 1, true), true}));
  ASSERT_EQ(driver.irqs.size(), 1u);
  EXPECT_EQ(driver.irqs[0], driver.writes[2].cycle) << "irq is a register beside WR";
}

struct Bad {
  Refusal why;
  std::vector<uint64_t> words;
};

std::vector<Bad> bad_descriptors() {
  Descriptor sound = alone(0, Completion::queue_entry);
  sound.nodes = 3;
  sound.rounds = dissemination(3, 0, 3, pattern::DisseminationShape::symmetric).value();
  const std::vector<uint64_t> words = encode(sound).value();
  const auto with = [&](size_t index, uint64_t flip) {
    std::vector<uint64_t> changed = words;
    changed[index] ^= flip;
    return changed;
  };
  std::vector<uint64_t> shorter(words.begin(), words.end() - 1), longer = words;
  longer.push_back(0);
  Descriptor far = sound;
  far.barrier_id = 16;
  std::vector<uint64_t> wrong_round = with(5, uint64_t{0x10} << 8);  // 18 receives
  return {{Refusal::format, with(0, 1)},
          {Refusal::format, with(0, uint64_t{1} << 63)},
          {Refusal::format, with(1, 7 << 24)},
          {Refusal::limits, with(1, 0x40 << 16)},
          {Refusal::limits, encode(far).value()},
          {Refusal::limits, wrong_round},
          {Refusal::length, shorter},
          {Refusal::length, longer},
          {Refusal::length, with(1, 1)},
          {Refusal::checksum, with(6, 2)},
          {Refusal::checksum, with(3, uint64_t{1} << 40)}};
}

TEST(EngineHost, RefusesBadDescriptorsAndGoesOn) {
  Driver driver;
  uint32_t count = 0;
  for (const Bad& bad : bad_descriptors()) {
    const size_t before = driver.writes.size();
    driver.post_words(bad.words);
    driver.run(100);
    ASSERT_EQ(driver.writes.size(), before + 2) << count;
    EXPECT_EQ(driver.writes.back().write.data >> 48 & 0xff, static_cast<uint64_t>(bad.why)) << count;
    ++count;
  }
  EXPECT_EQ(driver.engine.counters().refused, count);
  driver.post(alone(0, Completion::queue_entry));
  driver.run(100);
  EXPECT_EQ(driver.engine.counters().completions, 1u);
  driver.post(alone(0, Completion::queue_entry));
  driver.run(100);
  EXPECT_EQ(driver.writes.back().write.data >> 48 & 0xff, static_cast<uint64_t>(Refusal::epoch));
}

TEST(EngineHost, WakeTellsWhenSomethingHappens) {
  // Two engines get the same, but one is stepped only when it has inputs, or when it asked to be.
  EngineConfiguration configuration;
  configuration.timeout_cycles = 300;
  Engine every(configuration), some(configuration);
  Descriptor own;
  own.nodes = 4;
  own.rounds = dissemination(4, 0, 2, pattern::DisseminationShape::forward).value();
  const auto words = encode(own).value();
  uint64_t next = 0, skipped = 0;
  for (uint64_t now = 0; now < 5000; ++now) {
    Inputs in;
    Word word;
    Packet packet;
    if (now < words.size()) {
      word = {words[now], now + 1 == words.size()};
      in.pio = &word;
    }
    if (now == 777 || now == 1777) {
      const uint8_t round = now == 777 ? 0 : 1;
      packet = notification(own, round, own.rounds[round].receives[0]);
      in.rxq = &packet;
    }
    in.txq_ready = in.txp_ready = in.wr_ready = now % 50 == 0;
    const Outputs out = every.outputs(), same = some.outputs();
    ASSERT_EQ(out.txq == nullptr, same.txq == nullptr) << now;
    if (out.txq != nullptr) {
      ASSERT_EQ(*out.txq, *same.txq) << now;
    }
    ASSERT_EQ(out.wr == nullptr, same.wr == nullptr) << now;
    const bool has_input = in.pio != nullptr || in.rxq != nullptr || in.txq_ready;
    every.step(now, in);
    if (has_input || now >= next) {
      some.step(now, in);
      next = some.wake(now);
    } else {
      ++skipped;
    }
  }
  EXPECT_GT(skipped, 4000u);
  EXPECT_EQ(every.counters(), some.counters());
  EXPECT_EQ(every.counters().completions, 1u);
  EXPECT_GT(every.counters().resends, 3u);
}

Descriptor allreduce(Operator op, ElementType type, uint8_t count, uint8_t own_position) {
  Descriptor descriptor;
  descriptor.kind = Kind::allreduce;
  descriptor.completion_address = 0x77;
  descriptor.op = op;
  descriptor.type = type;
  descriptor.element_count = count;
  descriptor.nodes = 3;
  descriptor.rank = own_position;
  for (uint32_t i = 0; i < count; ++i) descriptor.operand[i] = std::bit_cast<uint64_t>(1e16);
  Round round;
  for (uint32_t rank = 0; rank < 3; ++rank)
    if (rank != own_position) {
      round.sends.push_back(rank);
      round.receives.push_back(rank);
    }
  round.action = Action::combine;
  round.own_position = own_position;
  descriptor.rounds = {round};
  return descriptor;
}

TEST(EngineHost, CombinesInRankOrderWhateverTheOrderOfArrival) {
  // 1e16 + 1 = 1e16 but 1 + 1 = 2 counts: the order shows in the bits.
  for (const uint8_t own : {0, 1, 2})
    for (const bool reversed : {false, true}) {
      Driver driver;
      const Descriptor descriptor = allreduce(Operator::sum, ElementType::float64, 2, own);
      driver.post(descriptor);
      driver.run(60);
      std::vector<uint32_t> sources = descriptor.rounds[0].receives;
      if (reversed) std::swap(sources[0], sources[1]);
      for (const uint32_t source : sources) {
        Packet packet = notification(descriptor, 0, source);
        for (int i = 0; i < 2; ++i) packet.payload[i] = std::bit_cast<uint64_t>(1.0 + i);
        driver.request(packet);
      }
      driver.run(100);
      ASSERT_EQ(driver.writes.size(), 4u);
      const double a = own == 2 ? (1.0 + 1.0) + 1e16 : own == 1 ? (1.0 + 1e16) + 1.0 : (1e16 + 1.0) + 1.0;
      EXPECT_EQ(driver.writes[1].write.data, std::bit_cast<uint64_t>(a)) << int{own} << reversed;
      EXPECT_EQ(driver.writes[0].write.data, 0x77u);
      EXPECT_EQ(driver.writes[2].write.address, driver.configuration.cq_base + 24);
    }
}

TEST(EngineHost, OperatorsTakeTheirCycles) {
  const auto time = [](Operator op, ElementType type, uint8_t count, uint8_t own) {
    Driver driver;
    const Descriptor descriptor = allreduce(op, type, count, own);
    driver.post(descriptor);
    driver.run(80);
    for (const uint32_t source : descriptor.rounds[0].receives)
      driver.request(notification(descriptor, 0, source));
    const uint64_t start = driver.now;
    driver.run(200);
    return driver.writes.at(0).cycle - start;
  };
  // Between a count of 1 and 5, every pass takes 4 cycles more; this is the number of passes.
  for (const uint8_t own : {0, 1, 2}) {
    const uint64_t passes = own == 0 ? 2 : 3;
    EXPECT_EQ(
        time(Operator::sum, ElementType::int64, 5, own) - time(Operator::sum, ElementType::int64, 1, own),
        4 * passes);
  }
  // A float64 sum takes 3 cycles more than a whole one, a comparison one more; a copy always one.
  EXPECT_EQ(time(Operator::sum, ElementType::float64, 3, 0) - time(Operator::sum, ElementType::int64, 3, 0),
            6u);
  EXPECT_EQ(time(Operator::max, ElementType::float64, 3, 0) - time(Operator::max, ElementType::int64, 3, 0),
            2u);
  EXPECT_EQ(time(Operator::sum, ElementType::float64, 3, 1) - time(Operator::sum, ElementType::int64, 3, 1),
            6u);
}

}  // namespace
}  // namespace tutti::offload::nic
