#include "node/doorbell.hpp"

#include <thread>

#include "base/clock.hpp"
#include "support.hpp"

namespace tutti::node::test {
namespace {

using transport::Peer;

// Sleeps that nothing would end in time.
constexpr uint64_t k_minutes_ns = 300'000'000'000, k_soon_ns = 60'000'000'000;

class DoorbellTest : public ::testing::Test {
 protected:
  void start(const RegionShape& shape = {}, bool one_copy = true) {
    for (uint32_t i = 0; i < 2; ++i)
      ranks_.push_back(std::make_unique<LocalRank>(*arena_, i, 2, shape, one_copy));
    bell_.emplace(ranks_[0]->region());
  }
  LocalEndpoint& sleeper() { return ranks_[0]->endpoint(); }
  LocalEndpoint& other() { return ranks_[1]->endpoint(); }
  /// Whether the other rank's actions end the sleep, after bell_->prepare().
  template <class Act>
  bool ends_sleep(Act act) {
    std::thread thread(act);
    const uint64_t begin_ns = base::monotonic_ns();
    bell_->sleep(k_minutes_ns);
    const bool has_ended = base::monotonic_ns() - begin_ns < k_soon_ns;
    thread.join();
    return has_ended;
  }

  std::unique_ptr<Arena> arena_ = make_arena(2);
  std::vector<std::unique_ptr<LocalRank>> ranks_;
  std::optional<Doorbell> bell_;
};

TEST_F(DoorbellTest, AMessageEndsTheSleep) {
  start();
  const auto data = pattern(8, 1);
  bell_->prepare();
  EXPECT_TRUE(ends_sleep([&] { EXPECT_TRUE(other().send(Peer::local(0), 0, data, 1).is_ok()); }));
}

TEST_F(DoorbellTest, AMessageBetweenTheLastLookAndTheSleepEndsItAtOnce) {
  start();
  const auto data = pattern(8, 1);
  bell_->prepare();
  EXPECT_TRUE(other().send(Peer::local(0), 0, data, 1).is_ok());
  EXPECT_TRUE(ends_sleep([] {}));
}

TEST_F(DoorbellTest, TheReceiversLastLookAtALongMessageWakesItsSender) {
  start();
  const auto data = pattern(100'000, 1);
  std::vector<std::byte> got(data.size());
  ASSERT_TRUE(sleeper().send(Peer::local(1), 0, data, 1).is_ok());
  ASSERT_TRUE(other().recv(Peer::local(0), 0, got, 2).is_ok());
  bell_->prepare();
  EXPECT_TRUE(ends_sleep([&] {
    transport::Completion done;
    other().poll({&done, 1});
  }));
}

TEST_F(DoorbellTest, ChunksWakeBothSides) {
  start({}, false);
  const auto data = pattern(1'000'000, 1);
  std::vector<std::byte> got(data.size());
  transport::Completion done;
  ASSERT_TRUE(sleeper().send(Peer::local(1), 0, data, 1).is_ok());
  ASSERT_TRUE(other().recv(Peer::local(0), 0, got, 2).is_ok());
  int sleeps = 0;
  for (bool is_sent = false; !is_sent; ++sleeps) {
    bell_->prepare();
    if (sleeper().poll({&done, 1}) == 1) is_sent = true;
    if (is_sent) break;
    ASSERT_TRUE(ends_sleep([&] { EXPECT_LE(other().poll({&done, 1}), 1u); })) << "asked for, or taken";
  }
  EXPECT_GT(sleeps, 10) << "a message of many rounds of chunks";
  bell_->cancel();
  EXPECT_EQ(got, data);
}

// Tests processes, which have the region at different addresses.
TEST(DoorbellBetweenProcesses, Rings) {
  run_ranks(RankKind::process, 2, [](const Arena& arena, uint32_t me) {
    LocalRank rank(arena, me, 2);
    if (me == 0) {
      std::vector<std::byte> got(8);
      Doorbell bell(rank.region());
      ASSERT_TRUE(rank.endpoint().recv(Peer::local(1), 0, got, 1).is_ok());
      for (;;) {
        transport::Completion done;
        bell.prepare();
        if (rank.endpoint().poll({&done, 1}) == 1) break;
        bell.sleep(k_minutes_ns);  // the child has a minute to live
      }
      bell.cancel();
      EXPECT_EQ(got, pattern(8, 7));
    } else {
      usleep(20'000);
      EXPECT_TRUE(rank.endpoint().send(Peer::local(0), 0, pattern(8, 7), 1).is_ok());
    }
  });
}

}  // namespace
}  // namespace tutti::node::test
