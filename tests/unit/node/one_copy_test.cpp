// One-copy reads: permissions between ranks, and the fate of messages if the kernel refuses.

#include "node/one_copy.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>

#include "node/arena_control.hpp"
#include "support.hpp"

namespace tutti::node::test {
namespace {

using base::Code;
using transport::Peer;

/// Afterwards the kernel answers process_vm_readv of this process with EPERM, as in many containers.
void forbid_process_vm_readv() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{.len = std::size(program), .filter = program};
  ASSERT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

/// Sends `count` long messages each way between ranks 0 and 1, calling `between` after the first.
void exchange(LocalRank& rank, uint32_t me, uint32_t count, const std::function<void()>& between = {}) {
  const Peer peer = Peer::local(static_cast<Rank>(1 - me));
  for (uint32_t i = 0; i < count; ++i) {
    const auto data = pattern(300'000, 2 * i + me);
    std::vector<std::byte> got(data.size());
    ASSERT_TRUE(rank.endpoint().send(peer, i, data, 1).is_ok());
    ASSERT_TRUE(rank.endpoint().recv(peer, i, got, 2).is_ok());
    for (int ended = 0; ended < 2; ++ended) ASSERT_EQ(rank.wait().code, Code::ok);
    EXPECT_TRUE(got == pattern(data.size(), 2 * i + 1 - me)) << "message " << i;
    if (i == 0 && between) between();
  }
}

TEST(OneCopy, ProcessesReadEachOther) {
  run_ranks(RankKind::process, 2, [](const Arena& arena, uint32_t me) {
    LocalRank rank(arena, me, 2);
    exchange(rank, me, 5);
    EXPECT_EQ(rank.one_copy().reach(1 - me), Reach::readable);
  });
}

TEST(OneCopy, ThreadsOfAProcessNeedNoSystemCall) {
  run_ranks(RankKind::thread, 2, [](const Arena& arena, uint32_t me) {
    LocalRank rank(arena, me, 2);
    exchange(rank, me, 5);
    EXPECT_EQ(rank.one_copy().reach(1 - me), Reach::same_process);
  });
}

TEST(OneCopy, ASettingForbidsIt) {
  run_ranks(RankKind::process, 2, [](const Arena& arena, uint32_t me) {
    LocalRank rank(arena, me, 2, {}, false);
    exchange(rank, me, 5);
    EXPECT_EQ(rank.one_copy().reach(1 - me), Reach::none);
  });
}

TEST(OneCopy, AFilterOfSystemCallsLeadsThroughSharedMemory) {
  run_ranks(RankKind::process, 2, [](const Arena& arena, uint32_t me) {
    forbid_process_vm_readv();
    LocalRank rank(arena, me, 2);
    exchange(rank, me, 5);
    EXPECT_EQ(rank.one_copy().reach(1 - me), Reach::none);
  });
}

TEST(OneCopy, OneSideMayReadAndTheOtherNot) {
  run_ranks(RankKind::process, 2, [](const Arena& arena, uint32_t me) {
    if (me == 0) forbid_process_vm_readv();
    LocalRank rank(arena, me, 2);
    exchange(rank, me, 5);
    EXPECT_EQ(rank.one_copy().reach(1 - me), me == 0 ? Reach::none : Reach::readable);
  });
}

TEST(OneCopy, AFilterInstalledLaterIsNoticed) {
  run_ranks(RankKind::process, 2, [](const Arena& arena, uint32_t me) {
    LocalRank rank(arena, me, 2);
    exchange(rank, me, 5, [&] {
      EXPECT_EQ(rank.one_copy().reach(1 - me), Reach::readable);
      forbid_process_vm_readv();
    });
    EXPECT_EQ(rank.one_copy().reach(1 - me), Reach::none);
  });
}

TEST(OneCopy, AnotherUserNamespaceLeadsThroughSharedMemory) {
  // ThreadSanitizer brings a thread of its own, with which a process cannot leave its user namespace.
  if (!may([] { return unshare(CLONE_NEWUSER) == 0; })) GTEST_SKIP() << "needs user namespaces";
  run_ranks(RankKind::process, 2, [](const Arena& arena, uint32_t me) {
    ASSERT_EQ(unshare(CLONE_NEWUSER), 0);  // a namespace each, as in two rootless containers
    LocalRank rank(arena, me, 2);
    exchange(rank, me, 5);
    EXPECT_EQ(rank.one_copy().reach(1 - me), Reach::none);
  });
}

TEST(OneCopy, AProcessIdAloneProvesNothing) {
  auto arena = make_arena(3);
  OneCopy mine(*arena, 0);
  // Number 1 claims to be process 1 of another pid namespace; here that id belongs to a different process.
  ProcessRecord& stranger = arena->process(1);
  stranger.pid = getppid();
  stranger.probe_address = arena->process(0).probe_address;
  stranger.probe_value = 12345;
  stranger.published = 1;
  EXPECT_EQ(mine.reach(1), Reach::none);
  // Number 2 has the same id as this process, but is not this process.
  ProcessRecord& twin = arena->process(2);
  twin.pid = getpid();
  twin.probe_address = arena->process(0).probe_address;
  twin.probe_value = 12345;
  twin.published = 1;
  EXPECT_EQ(mine.reach(2), Reach::none);
}

TEST(OneCopy, APeerThatHasGoneIsOutOfReach) {
  const std::string name = fresh_name();
  auto arena = Arena::create(name, 2, Arena::default_bytes(2));
  ASSERT_TRUE(arena.is_ok());
  OneCopy mine(**arena, 0);
  EXPECT_TRUE(succeeds_in_child([&] { const OneCopy theirs(**arena, 1); }));
  EXPECT_EQ(mine.reach(1), Reach::none);
}

}  // namespace
}  // namespace tutti::node::test
