#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <cerrno>
#include <csignal>

#include "node/arena_control.hpp"
#include "support.hpp"

namespace {
bool g_has_timer = false;  // of a profiler, which comes again and again
int g_interruptions = 0;
}  // namespace

/// Acts like kernels before 6.18 with shared memory: a signal that the thread takes restarts the whole call.
extern "C" int posix_fallocate(int fd, off_t offset, off_t bytes) {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  constexpr int k_most_interruptions = 1000;
  if (g_has_timer && sigismember(&blocked, SIGPROF) == 0)
    return ++g_interruptions < k_most_interruptions ? EINTR : EIO;
  return fallocate(fd, 0, offset, bytes) == 0 ? 0 : errno;
}

namespace tutti::node::test {
namespace {

using base::Code;

bool exists(const std::string& name) {
  return access(("/dev/shm" + name).c_str(), F_OK) == 0;
}

TEST(Arena, ProcessesSeeTheSameBytesAndNothingStaysBehind) {
  const std::string name = fresh_name();
  auto first = Arena::create(name, 2, Arena::default_bytes(2));
  ASSERT_TRUE(first.is_ok()) << first.status().message();
  std::byte* const last = (*first)->at((*first)->bytes() - 1);
  EXPECT_TRUE(succeeds_in_child([&] {
    auto second = Arena::attach(name);
    ASSERT_TRUE(second.is_ok()) << second.status().message();
    EXPECT_EQ((*second)->process_count(), 2u);
    EXPECT_EQ((*second)->bytes(), Arena::default_bytes(2));
    *(*second)->at((*second)->bytes() - 1) = std::byte{42};
  }));
  EXPECT_EQ(*last, std::byte{42});
  (*first)->unlink();
  EXPECT_FALSE(exists(name));
  EXPECT_EQ(Arena::attach(name).status().code(), Code::not_found);
  *last = std::byte{43};  // still valid for processes that have it
}

TEST(Arena, AProfilersTimerDoesNotKeepItFromItsMemory) {
  g_has_timer = true;
  auto arena = Arena::create(fresh_name(), 2, Arena::k_min_bytes);
  g_has_timer = false;
  EXPECT_TRUE(arena.is_ok()) << arena.status().message();
  EXPECT_EQ(g_interruptions, 0);
}

TEST(Arena, OnlyTheCreatorRemovesTheName) {
  const std::string name = fresh_name();
  {
    auto first = Arena::create(name, 2, Arena::k_min_bytes);
    ASSERT_TRUE(first.is_ok());
    { ASSERT_TRUE(Arena::attach(name).is_ok()); }
    EXPECT_TRUE(exists(name));
    EXPECT_TRUE(succeeds_in_child([&] { (*first)->unlink(); }));  // a fork of the creator is not the creator
    EXPECT_TRUE(exists(name));
  }
  EXPECT_FALSE(exists(name));  // dropped before unlink(): a rank failed to attach
}

TEST(Arena, ANameServesOnce) {
  const std::string name = fresh_name();
  auto first = Arena::create(name, 2, Arena::k_min_bytes);
  ASSERT_TRUE(first.is_ok());
  EXPECT_EQ(Arena::create(name, 2, Arena::k_min_bytes).status().native(), EEXIST);
  EXPECT_TRUE(exists(name));
}

TEST(Arena, NamesDifferByJobAndByNode) {
  EXPECT_NE(arena_name(1, 0), arena_name(2, 0));
  EXPECT_NE(arena_name(1, 0), arena_name(1, 1));
}

TEST(Arena, RejectsSizesOutOfBounds) {
  EXPECT_EQ(Arena::create(fresh_name(), 2, 1000).status().code(), Code::invalid_argument);
  EXPECT_EQ(Arena::create(fresh_name(), 2, Arena::k_max_bytes + 1).status().code(), Code::invalid_argument);
  EXPECT_EQ(Arena::create(fresh_name(), 8000, Arena::k_min_bytes).status().code(), Code::invalid_argument);
}

TEST(Arena, RejectsWhatAnotherVersionMade) {
  const std::string name = fresh_name();
  auto first = Arena::create(name, 2, Arena::k_min_bytes);
  ASSERT_TRUE(first.is_ok());
  (*first)->control().magic = ArenaControl::k_magic + 1;
  EXPECT_EQ(Arena::attach(name).status().code(), Code::invalid_argument);
  ASSERT_EQ(truncate(("/dev/shm" + name).c_str(), 100), 0);
  EXPECT_EQ(Arena::attach(name).status().code(), Code::invalid_argument);
}

TEST(Arena, AFullDevShmIsOneClearError) {
  // A /dev/shm of 1 MiB in a mount namespace of the child's own.
  if (!may([] { return unshare(CLONE_NEWNS) == 0; }))
    GTEST_SKIP() << "needs the right to make mount namespaces";
  EXPECT_TRUE(succeeds_in_child([] {
    ASSERT_EQ(unshare(CLONE_NEWNS), 0);
    ASSERT_EQ(mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
    ASSERT_EQ(mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=1m"), 0);
    const std::string name = fresh_name();
    const base::Status status = Arena::create(name, 2, 8 << 20).status();
    EXPECT_EQ(status.code(), Code::out_of_memory);
    EXPECT_NE(status.message().find("/dev/shm has no 8M free (free space, or --set NODE_MEMORY=2M)"),
              std::string::npos)
        << status.message();
    EXPECT_EQ(status.message().find('\n'), std::string::npos);
    EXPECT_FALSE(exists(name));
    EXPECT_TRUE(Arena::create(name, 2, 512 << 10).is_ok());  // what fits still works
  }));
}

TEST(Arena, AFileSizeLimitIsAnErrorAndNotASignal) {
  EXPECT_TRUE(succeeds_in_child([] {
    const rlimit limit{1 << 20, 1 << 20};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    EXPECT_EQ(Arena::create(fresh_name(), 2, 8 << 20).status().code(), Code::out_of_memory);
  }));
}

TEST(Arena, ADeathInsideTheCriticalSectionEndsAllocationAndHangsNobody) {
  auto arena = make_arena(2);
  const auto members = ranks_up_to(2);
  const RegionKey before{.communicator = 1, .members = members};
  Region held = Region::acquire(*arena, before, {.index = 0, .process = 0});
  ASSERT_TRUE(held.status().is_ok());
  EXPECT_TRUE(succeeds_in_child([&] {
    new ArenaLock(arena->control());  // dies with it
  }));
  const RegionKey after{.communicator = 2, .members = members};
  const Region refused = Region::acquire(*arena, after, {.index = 0, .process = 0});
  EXPECT_EQ(refused.status().code(), Code::internal);
  held.release();
}

}  // namespace
}  // namespace tutti::node::test
