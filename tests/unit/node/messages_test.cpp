// Messages between ranks of a node under load: threads and processes, in one copy and through shared memory.

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "base/random.hpp"
#include "node/shared_mailbox.hpp"
#include "support.hpp"
#include "tests/support/patience.hpp"

namespace tutti::node::test {
namespace {

using transport::Completion;
using transport::Peer;

struct Load {
  const char* name;
  RankKind kind;
  bool one_copy;
  uint32_t rank_count;
  uint32_t message_count;  // per ordered pair
  uint64_t longest_bytes;  // with a busy machine every handful of chunks costs a time slice
  RegionShape shape;
};

constexpr RegionShape k_tiny{
    .slots = 2, .blocks = 3, .block_bytes = 256, .memory_bytes = 0, .counter_start = k_wraps_soon};

const Load k_loads[] = {
    {"ThreadsOneCopy", RankKind::thread, true, 4, 120, 1'500'000, {.counter_start = k_wraps_soon}},
    {"ThreadsThroughShared", RankKind::thread, false, 4, 120, 200'000, {.counter_start = k_wraps_soon}},
    {"ThreadsTiny", RankKind::thread, false, 5, 30, 12'000, k_tiny},
    {"ProcessesOneCopy", RankKind::process, true, 4, 120, 1'500'000, {.counter_start = k_wraps_soon}},
    {"ProcessesThroughShared", RankKind::process, false, 4, 120, 200'000, {.counter_start = k_wraps_soon}},
    {"ProcessesTiny", RankKind::process, false, 5, 30, 12'000, k_tiny},
    {"ManyRanks", RankKind::thread, true, 17, 6, 1'500'000, {.slots = 2}},
};

class Messages : public ::testing::TestWithParam<Load> {};

/// Sizes that meet every way a message can travel, both sides of each limit, and empty ones.
uint64_t size_of(const Load& load, uint32_t from, uint32_t to, uint32_t message) {
  const uint64_t random = base::mixed((uint64_t{from} << 40) + (uint64_t{to} << 20) + message);
  const uint64_t size = random >> 16;
  switch (random % 8) {
    case 0:
      return 0;
    case 1:
      return k_inline_bytes + size % 2;
    case 2:
      return 8192 + size % 2;
    case 3:
      return size % std::min<uint64_t>(100'000, load.longest_bytes);
    case 4:
      return random % 32 == 4 ? load.longest_bytes : size % 9000;
    default:
      return size % 300;
  }
}

/// One rank of the exchange: every rank sends `message_count` messages to every other one, a few at a time.
class Exchange {
 public:
  Exchange(const Load& load, const Arena& arena, uint32_t me)
      : load_(load), me_(me), rank_(arena, me, load.rank_count, load.shape, load.one_copy), random_(me) {
    for (uint32_t peer = 0; peer < load.rank_count; ++peer) {
      if (peer != me) lanes_.push_back({.peer = peer});
    }
  }

  void run() {
    ASSERT_TRUE(rank_.region().status().is_ok()) << rank_.region().status().message();
    const uint64_t expected = 2 * uint64_t{load_.message_count} * lanes_.size();
    support::Patience patience(50);
    for (uint64_t ended = 0; ended < expected;) {
      for (Lane& lane : lanes_) start(lane);
      Completion done[5];
      const size_t count = rank_.endpoint().poll(done);
      for (size_t i = 0; i < count; ++i) end(done[i]);
      ended += count;
      delay(count);
      ASSERT_FALSE(patience.is_over()) << ended << " of " << expected << " transfers ended";
      ASSERT_FALSE(::testing::Test::HasFailure());
    }
    Completion none;
    EXPECT_EQ(rank_.endpoint().poll({&none, 1}), 0u);
  }

 private:
  static constexpr uint32_t k_window = 3;

  struct Transfer {
    uint32_t message = 0;
    std::vector<std::byte> data;
    bool active = false;
  };
  struct Lane {
    uint32_t peer;
    uint32_t sent = 0, posted = 0;
    Transfer sends[k_window], receives[k_window];
  };

  uint64_t cookie(const Lane& lane, uint32_t direction, uint32_t place) const {
    return (static_cast<uint64_t>(&lane - lanes_.data()) << 8) | (direction << 4) | place;
  }

  std::vector<std::byte> content(uint32_t from, uint32_t to, uint32_t message) const {
    return pattern(size_of(load_, from, to, message),
                   (uint64_t{from} << 40) + (uint64_t{to} << 20) + message);
  }

  static Transfer* idle(Transfer (&transfers)[k_window]) {
    for (Transfer& t : transfers) {
      if (!t.active) return &t;
    }
    return nullptr;
  }

  void start(Lane& lane) {
    const Peer peer = Peer::local(static_cast<Rank>(lane.peer));
    if (Transfer* t = idle(lane.sends); t != nullptr && lane.sent < load_.message_count) {
      if (t->data.empty() || t->message != lane.sent) t->data = content(me_, lane.peer, lane.sent);
      t->message = lane.sent;
      const auto place = static_cast<uint32_t>(t - lane.sends);
      const base::Status status = rank_.endpoint().send(peer, lane.sent, t->data, cookie(lane, 0, place));
      if (status) ++lane.sent, t->active = true;
      ASSERT_TRUE(status || transport::is_try_again(status)) << status.message();
    }
    if (Transfer* t = idle(lane.receives); t != nullptr && lane.posted < load_.message_count) {
      t->data.assign(size_of(load_, lane.peer, me_, lane.posted), std::byte{0x5a});
      t->message = lane.posted;
      const auto place = static_cast<uint32_t>(t - lane.receives);
      const base::Status status = rank_.endpoint().recv(peer, lane.posted, t->data, cookie(lane, 1, place));
      if (status) ++lane.posted, t->active = true;
      ASSERT_TRUE(status || transport::is_try_again(status)) << status.message();
    }
  }

  void end(const Completion& done) {
    Lane& lane = lanes_[done.cookie >> 8];
    const bool received = (done.cookie >> 4 & 1) != 0;
    Transfer& t = (received ? lane.receives : lane.sends)[done.cookie & 15];
    ASSERT_TRUE(t.active);
    EXPECT_EQ(done.code, base::Code::ok);
    if (received) {
      EXPECT_TRUE(t.data == content(lane.peer, me_, t.message))
          << lane.peer << " -> " << me_ << " #" << t.message;
    } else {
      std::fill(t.data.begin(), t.data.end(),
                std::byte{0xee});  // the sender may do what it likes with it now
      t.data.clear();
    }
    t.active = false;
  }

  /// Rank 0 is slow; the others pause now and then.
  void delay(size_t count) {
    if (count == 0) {
      sched_yield();
    } else if (random_() % (me_ == 0 ? 10 : 200) == 0) {
      usleep(random_() % 500);
    }
  }

  const Load& load_;
  uint32_t me_;
  LocalRank rank_;
  std::mt19937 random_;
  std::vector<Lane> lanes_;
};

TEST_P(Messages, ArriveWholeAndInOrder) {
  const Load& load = GetParam();
  run_ranks(
      load.kind, load.rank_count, [&](const Arena& arena, uint32_t me) { Exchange(load, arena, me).run(); },
      [](const Arena& arena) { EXPECT_EQ(arena.region_count(), 0u); });
}

INSTANTIATE_TEST_SUITE_P(Node, Messages, ::testing::ValuesIn(k_loads),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace tutti::node::test
