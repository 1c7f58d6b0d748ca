// Waking an agent that sleeps: every ring is heard, and ringing for one that is awake costs no system call.

#include "agent/agent_doorbell.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

namespace tutti::agent {
namespace {

std::string some_name() {
  static int count = 0;
  return "tutti-test-" + std::to_string(getpid()) + '-' + std::to_string(++count);
}

bool is_rung(const AgentDoorbell& bell, int timeout_ms) {
  pollfd file{.fd = bell.file(), .events = POLLIN, .revents = 0};
  return poll(&file, 1, timeout_ms) == 1;
}

struct Pair {
  const std::string name = some_name();
  const sockaddr_un address = doorbell_address(name);
  AgentDoorbellFlag flag{};
  AgentDoorbell bell = AgentDoorbell::open(name, flag).value();
  DoorbellSender ringer = DoorbellSender::open().value();
};

TEST(AgentDoorbell, RingsOnlyForOneWhoSleeps) {
  Pair pair;
  pair.ringer.ring(pair.address, pair.flag);
  EXPECT_FALSE(is_rung(pair.bell, 0));
  pair.bell.prepare();
  pair.ringer.ring(pair.address, pair.flag);
  EXPECT_TRUE(is_rung(pair.bell, 1000));
  pair.ringer.ring(pair.address, pair.flag);  // has been woken
  pair.bell.cancel();
  EXPECT_FALSE(is_rung(pair.bell, 0));
}

TEST(AgentDoorbell, ANameBelongsToOneProcess) {
  Pair pair;
  AgentDoorbellFlag flag{};
  EXPECT_FALSE(AgentDoorbell::open(pair.name, flag));
}

TEST(AgentDoorbell, WhoeverCannotBeReachedIsToldSo) {
  Pair pair;
  EXPECT_TRUE(pair.ringer.send(pair.address));
  EXPECT_FALSE(pair.ringer.send(doorbell_address(some_name())));
}

TEST(AgentDoorbell, AFullQueueOfRingsIsNoError) {
  Pair pair;
  for (int ring = 0; ring < 5000; ++ring) ASSERT_TRUE(pair.ringer.send(pair.address));
  pair.bell.cancel();
  EXPECT_FALSE(is_rung(pair.bell, 0));
}

TEST(AgentDoorbell, NoRingIsLost) {
  Pair pair;
  constexpr int k_rounds = 3000;
  std::atomic<int> work{0}, seen{0};
  std::thread ringer([&] {
    for (int round = 1; round <= k_rounds; ++round) {
      work = round;
      pair.ringer.ring(pair.address, pair.flag);
      while (seen < round) std::this_thread::yield();
    }
  });
  int lost = 0;
  while (seen < k_rounds) {
    pair.bell.prepare();
    if (work == seen && !is_rung(pair.bell, 10'000)) ++lost;
    pair.bell.cancel();
    seen = work.load();
  }
  ringer.join();
  EXPECT_EQ(lost, 0);
}

}  // namespace
}  // namespace tutti::agent
