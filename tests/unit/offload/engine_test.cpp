#include "offload/nic/engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine_driver.hpp"
#include "offload/rounds.hpp"

namespace tutti::offload::nic {
namespace {

Descriptor barrier(uint32_t nodes, uint32_t rank, uint32_t radix = 3, uint32_t epoch = 0, uint16_t id = 0) {
  Descriptor descriptor;
  descriptor.nodes = nodes;
  descriptor.rank = rank;
  descriptor.epoch = epoch;
  descriptor.barrier_id = id;
  descriptor.completion_address = 0xc00c1e;
  const auto shape =
      radix % 2 == 1 ? pattern::DisseminationShape::symmetric : pattern::DisseminationShape::forward;
  descriptor.rounds = dissemination(nodes, rank, radix, shape).value();
  return descriptor;
}

constexpr uint64_t k_post = 60;  // cycles in which a short descriptor is certainly dispatched

TEST(Engine, SendsARoundOnlyWhenTheRoundsBeforeHaveArrived) {
  Driver driver;
  const Descriptor own = barrier(9, 4);  // two rounds: 3, 5 and 1, 7
  driver.post(own);
  driver.run(k_post);
  ASSERT_EQ(driver.sent.size(), 2u);
  EXPECT_EQ(driver.sent[0].packet.destination, own.rounds[0].sends[0]);
  EXPECT_EQ(driver.sent[1].packet.destination, own.rounds[0].sends[1]);
  driver.request(notification(own, 0, own.rounds[0].receives[1]));
  driver.run(50);
  EXPECT_EQ(driver.sent.size(), 2u) << "one of two has not arrived";
  driver.request(notification(own, 0, own.rounds[0].receives[0]));
  driver.run(50);
  ASSERT_EQ(driver.sent.size(), 4u);
  EXPECT_EQ(driver.sent[2].packet.round, 1);
  EXPECT_TRUE(driver.writes.empty()) << "not complete";
  for (const uint32_t source : own.rounds[1].receives) driver.request(notification(own, 1, source));
  driver.run(50);
  ASSERT_EQ(driver.writes.size(), 2u);
  EXPECT_EQ(driver.writes[0].write.data, own.completion_address);
  EXPECT_EQ(driver.writes[1].write,
            (MemoryWrite{driver.configuration.cq_base, status_word(0, 0, 1, true), true}));
  EXPECT_FALSE(driver.engine.is_empty()) << "what it sent has not been acknowledged";
  driver.acknowledge_all();
  driver.run(20);
  EXPECT_TRUE(driver.engine.is_empty());
}

TEST(Engine, AnArrivalLeavesAsTheNextRoundThreeCyclesLater) {
  Driver driver;
  const Descriptor own = barrier(4, 0, 2);
  driver.post(own);
  driver.run(k_post);
  driver.request(notification(own, 0, own.rounds[0].receives[0]));
  const uint64_t arrival = driver.now;
  driver.run(20);
  ASSERT_EQ(driver.sent.size(), 2u);
  EXPECT_EQ(driver.sent[1].cycle, arrival + 3) << "RXQ, SE, TE, and then it stands in TXQ";
  ASSERT_EQ(driver.answered.size(), 1u);
  EXPECT_EQ(driver.answered[0].cycle, arrival + 2);
}

TEST(Engine, KeepsEarlyNotificationsAndUsesThemLater) {
  Driver driver;
  const Descriptor own = barrier(9, 4);
  for (const uint8_t round : {1, 0})
    for (const uint32_t source : own.rounds[round].receives) driver.request(notification(own, round, source));
  driver.run(20);
  ASSERT_EQ(driver.answered.size(), 4u);
  for (const Seen& seen : driver.answered) EXPECT_EQ(seen.packet.kind, PacketKind::ack);
  EXPECT_EQ(driver.engine.counters().early, 4u);
  driver.post(own);
  driver.run(k_post + 20);
  EXPECT_EQ(driver.sent.size(), 4u);
  EXPECT_EQ(driver.writes.size(), 2u);
  driver.acknowledge_all();
  driver.run(20);
  EXPECT_TRUE(driver.engine.is_empty());
}

TEST(Engine, AnEarlyNotificationOfTheWrongLengthDoesNotKeepTheRealOneOut) {
  Driver driver;
  const Descriptor own = barrier(2, 1, 2);
  const Packet real = notification(own, 0, own.rounds[0].receives[0]);
  Packet wrong = real;
  wrong.words = 1;
  driver.request(wrong);
  driver.request(real);
  driver.request(real);  // as when its answer was lost
  driver.run(20);
  EXPECT_EQ(driver.engine.counters().early, 2u);
  EXPECT_EQ(driver.engine.counters().duplicates, 1u);
  driver.post(own);
  driver.run(k_post + 20);
  EXPECT_EQ(driver.writes.size(), 2u) << "complete";
  EXPECT_EQ(driver.engine.counters().strays, 1u);
}

TEST(Engine, RefusesWhatHasNoRoomButNeverTheRoundThatItWaitsFor) {
  EngineConfiguration configuration;
  configuration.damq_depth = 1;
  Driver driver(configuration);
  const Descriptor own = barrier(9, 4);
  for (const uint32_t source : own.rounds[1].receives) driver.request(notification(own, 1, source));
  driver.run(20);
  ASSERT_EQ(driver.answered.size(), 2u);
  EXPECT_EQ(driver.answered[0].packet.kind, PacketKind::ack);
  EXPECT_EQ(driver.answered[1].packet.kind, PacketKind::nack);
  driver.post(own);
  driver.run(k_post);
  for (const uint32_t source : own.rounds[0].receives) driver.request(notification(own, 0, source));
  driver.run(20);
  ASSERT_EQ(driver.answered.size(), 4u);
  EXPECT_EQ(driver.answered[2].packet.kind, PacketKind::ack);
  EXPECT_EQ(driver.answered[3].packet.kind, PacketKind::ack);
  EXPECT_TRUE(driver.writes.empty());
  driver.request(notification(own, 1, own.rounds[1].receives[1]));  // the retry
  driver.run(20);
  EXPECT_EQ(driver.writes.size(), 2u);
}

TEST(Engine, BacksOffByTheFormula) {
  EngineConfiguration configuration;
  configuration.backoff_cycles = 100;
  configuration.shift_max = 2;
  Driver driver(configuration);
  driver.post(barrier(2, 1, 2));
  driver.run(k_post);
  ASSERT_EQ(driver.sent.size(), 1u);
  for (uint32_t k = 0; k < 5; ++k) {
    driver.respond(response_to(driver.sent.back().packet, PacketKind::nack));
    const uint64_t handled = driver.now + 1;                       // by T1, a cycle after RXP took it
    const uint64_t due = handled + (100u << std::min(k, 2u)) + 1;  // rank 1 mod 16
    driver.run(600);
    ASSERT_EQ(driver.sent.size(), k + 2u);
    EXPECT_EQ(driver.sent.back().cycle, due + 2) << "T3 begins the pass, T2 sends, TXQ shows it";
    EXPECT_EQ(driver.sent.back().packet, driver.sent.front().packet);
  }
}

TEST(Engine, AnAckEndsTheBackOff) {
  EngineConfiguration configuration;
  configuration.backoff_cycles = 100;
  Driver driver(configuration);
  driver.post(barrier(2, 1, 2));
  driver.run(k_post);
  driver.respond(response_to(driver.sent.back().packet, PacketKind::nack));
  driver.run(10);
  driver.respond(response_to(driver.sent.back().packet, PacketKind::ack));
  driver.run(20000);
  EXPECT_EQ(driver.sent.size(), 1u);
}

TEST(Engine, SendsAgainWhatIsNotAnswered) {
  EngineConfiguration configuration;
  configuration.timeout_cycles = 500;
  configuration.shift_max = 1;
  Driver driver(configuration);
  driver.post(barrier(2, 0, 2));
  driver.run(k_post);
  const uint64_t first = driver.sent.at(0).cycle;  // it entered TXQ a cycle before
  driver.run(5000);
  ASSERT_GE(driver.sent.size(), 4u);
  EXPECT_EQ(driver.sent[1].cycle - first, 501u);
  EXPECT_EQ(driver.sent[2].cycle - driver.sent[1].cycle, 1001u) << "twice as long";
  EXPECT_EQ(driver.sent[3].cycle - driver.sent[2].cycle, 1001u) << "at most shift_max times";
  const size_t count = driver.sent.size();
  driver.respond(response_to(driver.sent[0].packet, PacketKind::ack));
  driver.run(5000);
  EXPECT_LE(driver.sent.size(), count + 1) << "one may have been on its way";
}

TEST(Engine, AcknowledgesDuplicatesAndIgnoresThem) {
  Driver driver;
  const Descriptor own = barrier(9, 4);
  const Packet early = notification(own, 1, own.rounds[1].receives[0]);
  driver.request(early);
  driver.request(early);
  driver.run(20);
  EXPECT_EQ(driver.engine.counters().early, 1u);
  driver.post(own);
  driver.run(k_post);
  const Packet current = notification(own, 0, own.rounds[0].receives[0]);
  driver.request(current);
  driver.request(current);
  driver.request(notification(own, 0, own.rounds[0].receives[1]));
  driver.run(20);
  driver.request(current);  // of a round that is over
  driver.run(20);
  EXPECT_EQ(driver.engine.counters().duplicates, 3u);
  EXPECT_TRUE(driver.writes.empty());
  driver.request(notification(own, 1, own.rounds[1].receives[1]));
  driver.run(20);
  EXPECT_EQ(driver.writes.size(), 2u);
  driver.acknowledge_all();
  driver.run(20);
  ASSERT_TRUE(driver.engine.is_empty());
  driver.request(current);  // of an epoch that is over
  driver.run(20);
  EXPECT_EQ(driver.engine.counters().duplicates, 4u);
  EXPECT_EQ(driver.answered.back().packet.kind, PacketKind::ack);
  EXPECT_EQ(driver.engine.counters().nacks, 0u);
  EXPECT_EQ(driver.answered.size(), 8u) << "everything is answered";
}

TEST(Engine, DropsStrays) {
  Driver driver;
  const Descriptor own = barrier(9, 4);
  driver.post(own);
  driver.run(k_post);
  driver.request(notification(own, 0, 8));  // a rank that is not awaited
  Packet other_id = notification(own, 0, 3);
  other_id.id = 999;
  driver.request(other_id);
  Packet late_round = notification(own, 0, 3);
  late_round.round = 5;
  driver.request(late_round);
  Packet with_payload = notification(own, 0, own.rounds[0].receives[0]);
  with_payload.words = 1;
  driver.request(with_payload);
  driver.run(20);
  EXPECT_EQ(driver.engine.counters().strays, 4u);
  EXPECT_TRUE(driver.answered.empty());
}

TEST(Engine, CarriesSeveralBarriersAtOnce) {
  Driver driver;
  const Descriptor first = barrier(3, 0, 3, 7, 1), next = barrier(3, 0, 3, 8, 1),
                   other = barrier(3, 0, 3, 0, 2);
  for (const Descriptor& own : {first, next, other}) driver.post(own);
  driver.run(120);
  EXPECT_EQ(driver.sent.size(), 6u);
  // The later epoch completes first, and still retires after the earlier one.
  for (const uint32_t source : next.rounds[0].receives) driver.request(notification(next, 0, source));
  driver.run(20);
  ASSERT_EQ(driver.writes.size(), 2u);
  EXPECT_EQ(driver.writes[1].write.data, status_word(8, 1, 1, true));
  driver.acknowledge_all();
  driver.run(20);
  const Packet duplicate = notification(next, 0, next.rounds[0].receives[0]);
  driver.request(duplicate);
  driver.run(20);
  EXPECT_EQ(driver.engine.counters().duplicates, 1u);
  for (const Descriptor& own : {first, other})
    for (const uint32_t source : own.rounds[0].receives) driver.request(notification(own, 0, source));
  driver.run(40);
  EXPECT_EQ(driver.writes.size(), 6u);
  EXPECT_TRUE(driver.engine.is_empty());
}

TEST(Engine, WaitsForAFreeContext) {
  EngineConfiguration configuration;
  configuration.contexts = 1;
  Driver driver(configuration);
  driver.post(barrier(2, 0, 2, 0));
  driver.post(barrier(2, 0, 2, 1));
  driver.run(100);
  EXPECT_EQ(driver.sent.size(), 1u);
  driver.request(notification(barrier(2, 0, 2, 0), 0, 1));
  driver.acknowledge_all();
  driver.run(60);
  ASSERT_EQ(driver.sent.size(), 2u);
  EXPECT_EQ(driver.sent[1].packet.epoch, 1u);
}

TEST(Engine, EpochsWrap) {
  Driver driver;
  for (const uint32_t epoch : {0x7fffffffu, 0xfffffffeu, 0xffffffffu, 0u, 1u}) {
    const Descriptor own = barrier(2, 0, 2, epoch);
    driver.post(own);
    driver.run(k_post);
    driver.request(notification(own, 0, 1));
    driver.acknowledge_all();
    driver.run(40);
    ASSERT_TRUE(driver.engine.is_empty()) << epoch;
    driver.request(notification(own, 0, 1));
    driver.run(20);
  }
  EXPECT_EQ(driver.engine.counters().completions, 5u);
  EXPECT_EQ(driver.engine.counters().duplicates, 5u);
  EXPECT_EQ(driver.engine.counters().refused, 0u);
}

TEST(Engine, StrictWaitsForResponses) {
  EngineConfiguration configuration;
  configuration.strict = true;
  Driver driver(configuration);
  const Descriptor own = barrier(4, 0, 2);
  driver.post(own);
  driver.run(k_post);
  driver.request(notification(own, 0, own.rounds[0].receives[0]));
  driver.run(40);
  EXPECT_EQ(driver.sent.size(), 1u);
  driver.acknowledge_all();
  driver.run(20);
  EXPECT_EQ(driver.sent.size(), 2u);
}

TEST(Engine, RequestsWaitForRoomForResponses) {
  Driver driver;
  driver.txp_ready = false;
  const Descriptor own = barrier(16, 0, 16);
  for (const uint32_t source : own.rounds[0].receives) driver.request(notification(own, 0, source));
  driver.run(100);
  EXPECT_EQ(driver.engine.counters().acks, driver.configuration.txp_depth);
  driver.txp_ready = true;
  driver.run(100);
  EXPECT_EQ(driver.answered.size(), 15u);
}

TEST(Engine, ABarrierOfOneIsComplete) {
  Driver driver;
  driver.post(barrier(1, 0, 2));
  driver.run(k_post);
  EXPECT_EQ(driver.writes.size(), 2u);
  EXPECT_TRUE(driver.engine.is_empty());
}

}  // namespace
}  // namespace tutti::offload::nic
