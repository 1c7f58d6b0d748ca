#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "tests/support/transport/fault_endpoint.hpp"
#include "tests/support/transport/loopback.hpp"

namespace tutti::transport {
namespace {

using base::Code;
using base::Status;

constexpr uint32_t k_messages = 200;

/// Sends 0, 1, 2, … from rank 0 to rank 1 through faulty endpoints; returns the cookies in the order of their
/// ends.
std::vector<uint64_t> stream(const Faults& faults, std::vector<uint32_t>* received, int* refusals) {
  LoopbackFabric fabric(2, {.eager_bytes = 0, .waiting_count = 3});
  FaultEndpoint sender(fabric.endpoint(0), faults), receiver(fabric.endpoint(1), faults);
  std::vector<uint32_t> sent(k_messages);
  received->assign(k_messages, UINT32_MAX);
  std::vector<uint64_t> ended;
  uint32_t next_send = 0, next_recv = 0;
  for (int round = 0; round < 100000 && ended.size() < k_messages; ++round) {
    if (next_send < k_messages) {
      sent[next_send] = next_send;
      const Status status =
          sender.send(Peer::rank(1), 3, std::as_bytes(std::span(&sent[next_send], 1)), next_send);
      if (is_try_again(status)) ++*refusals;
      if (status) ++next_send;
    }
    if (next_recv < k_messages &&
        receiver.recv(Peer::rank(0), 3, std::as_writable_bytes(std::span(&(*received)[next_recv], 1)),
                      next_recv))
      ++next_recv;
    std::array<Completion, 4> done;
    sender.poll(done);
    const size_t count = receiver.poll(done);
    for (size_t i = 0; i < count; ++i) ended.push_back(done[i].cookie);
  }
  return ended;
}

TEST(FaultEndpoint, DelaysReordersAndRefusesButKeepsMessagesInOrder) {
  std::vector<uint32_t> received;
  int refusals = 0;
  const auto ended = stream({.seed = 5, .refuse_percent = 20, .delay_percent = 30, .hold_percent = 30},
                            &received, &refusals);
  ASSERT_EQ(ended.size(), k_messages);
  for (uint32_t i = 0; i < k_messages; ++i) EXPECT_EQ(received[i], i);
  EXPECT_FALSE(std::is_sorted(ended.begin(), ended.end())) << "completions come in another order";
  EXPECT_GT(refusals, 10);
}

TEST(FaultEndpoint, TheSameSeedGivesTheSameFaults) {
  std::vector<uint32_t> received;
  int refusals = 0;
  const Faults faults{.seed = 9, .refuse_percent = 10, .delay_percent = 20, .hold_percent = 20};
  const auto once = stream(faults, &received, &refusals), again = stream(faults, &received, &refusals);
  EXPECT_EQ(once, again);
  EXPECT_NE(once, stream({.seed = 10, .refuse_percent = 10, .delay_percent = 20, .hold_percent = 20},
                         &received, &refusals));
}

TEST(FaultEndpoint, WithoutFaultsItIsTransparent) {
  std::vector<uint32_t> received;
  int refusals = 0;
  const auto ended = stream({}, &received, &refusals);
  ASSERT_EQ(ended.size(), k_messages);
  EXPECT_TRUE(std::is_sorted(ended.begin(), ended.end()));
  EXPECT_EQ(refusals, 0);
}

TEST(FaultEndpoint, FromTheChosenTransferOnAllFail) {
  LoopbackFabric fabric(2);
  FaultEndpoint endpoint(fabric.endpoint(0), {.failing_transfer = 2});
  for (const uint64_t cookie : {1, 2, 3}) ASSERT_TRUE(endpoint.send(Peer::rank(1), 0, {}, cookie));
  std::array<Completion, 4> done;
  ASSERT_EQ(endpoint.poll(done), 3u);
  EXPECT_EQ(done[0].code, Code::ok);
  for (const size_t i : {1, 2}) {
    EXPECT_EQ(done[i].cookie, i + 1);
    EXPECT_EQ(done[i].code, Code::system);
    EXPECT_EQ(done[i].native, FaultEndpoint::k_injected_error);
  }
  EXPECT_EQ(fabric.waiting_count(), 1u) << "what failed moved nothing";
}

TEST(FaultEndpoint, ATransferMayFailToStart) {
  LoopbackFabric fabric(2);
  FaultEndpoint endpoint(fabric.endpoint(0), {.failing_transfer = 1, .fails_at_start = true});
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(endpoint.send(Peer::rank(1), 0, {}, 1).native(), FaultEndpoint::k_injected_error);
  std::array<Completion, 4> done;
  EXPECT_EQ(endpoint.poll(done), 0u);
}

/// Wherever the receive stands: delayed, started or held.
TEST(FaultEndpoint, ACancelledReceiveEndsOnce) {
  for (uint64_t seed = 1; seed < 50; ++seed) {
    LoopbackFabric fabric(2);
    FaultEndpoint endpoint(fabric.endpoint(0), {.seed = seed, .delay_percent = 50, .hold_percent = 50});
    std::array<std::byte, 8> target{};
    for (const uint64_t cookie : {1, 2}) ASSERT_TRUE(endpoint.recv(Peer::rank(1), 3, target, cookie));
    std::array<Completion, 4> done;
    for (uint64_t polls = 0; polls < seed % 4; ++polls) ASSERT_EQ(endpoint.poll(done), 0u);
    endpoint.cancel(1);
    endpoint.cancel(1);
    std::vector<uint64_t> ended;
    for (int polls = 0; polls < 100; ++polls)
      if (endpoint.poll(done) > 0) {
        ended.push_back(done[0].cookie);
        EXPECT_EQ(done[0].native, ECANCELED);
      }
    EXPECT_EQ(ended, std::vector<uint64_t>{1});
    EXPECT_EQ(fabric.waiting_count(), 1u) << "the other receive is left";
  }
}

}  // namespace
}  // namespace tutti::transport
