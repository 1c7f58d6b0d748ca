// Calls of the C library that are given closed memory, and signals that have to do with it.

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include "overlap/guard/faults.hpp"
#include "owner.hpp"
#include "tests/support/sanitizer.hpp"

namespace tutti::overlap::guard::test {
namespace {

constexpr uint64_t k_bytes = 32 * k_page;
constexpr Part k_all{0, k_bytes};
constexpr int k_new = 2;

/// One buffer that is closed, and is opened with new contents a little later.
class CallsTest : public EveryMechanism {
 protected:
  void SetUp() override {
    EveryMechanism::SetUp();
    if (IsSkipped()) return;
    data_ = static_cast<std::byte*>(
        mmap(nullptr, k_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::memset(data_, 1, k_bytes);
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_), 0);
    close_buffer(data_);
  }

  void TearDown() override {
    if (data_ == nullptr) return;
    owner_.drain();
    guard_.reset();
    munmap(data_, k_bytes);
    ::close(ends_[0]);
    ::close(ends_[1]);
  }

  void close_buffer(std::byte* buffer) {
    auto guard = Guard::close(buffer, k_bytes, {&k_all, 1}, GetParam());
    ASSERT_TRUE(guard.is_ok()) << guard.status().message();
    guard_ = std::move(*guard);
    owner_.later([this] {
      pause_shortly();
      std::memset(guard_->owners_buffer(), k_new, k_bytes);
      guard_->end(k_all);
    });
  }

  void close_again() {
    owner_.drain();
    close_buffer(data_);
  }
  /// Closed as it is, and opened without anything new.
  void close_kept() {
    auto guard = Guard::close(data_, k_bytes, {&k_all, 1}, GetParam());
    ASSERT_TRUE(guard.is_ok()) << guard.status().message();
    guard_ = std::move(*guard);
    owner_.later([this] {
      pause_shortly();
      guard_->end(k_all);
    });
  }

  /// The output at the other end must be new data.
  void expect_new(ssize_t sent) {
    ASSERT_EQ(sent, static_cast<ssize_t>(k_page)) << std::strerror(errno);
    unsigned char found[k_page];
    for (size_t have = 0; have < k_page;) {
      const ssize_t count = read(ends_[1], found + have, k_page - have);
      ASSERT_GT(count, 0);
      have += static_cast<size_t>(count);
    }
    for (const unsigned char byte : found) ASSERT_EQ(byte, k_new);
  }
  /// The input from the other end must stay.
  void expect_kept(const std::function<ssize_t()>& take) {
    unsigned char sent[k_page];
    std::memset(sent, 7, sizeof sent);
    ASSERT_EQ(write(ends_[1], sent, sizeof sent), static_cast<ssize_t>(sizeof sent));
    ASSERT_EQ(take(), static_cast<ssize_t>(k_page)) << std::strerror(errno);
    owner_.drain();
    EXPECT_EQ(data_[2 * k_page], std::byte{7});
    EXPECT_EQ(data_[3 * k_page - 1], std::byte{7});
    EXPECT_EQ(data_[3 * k_page], std::byte{k_new});
  }
  std::byte* place() const { return data_ + 2 * k_page; }

  Owner owner_;
  std::byte* data_ = nullptr;
  std::unique_ptr<Guard> guard_;
  int ends_[2] = {-1, -1};
};

TEST_P(CallsTest, Write) {
  expect_new(write(ends_[0], place(), k_page));
}
TEST_P(CallsTest, Writev) {
  const iovec parts[2] = {{place(), 100}, {place() + 100, k_page - 100}};
  expect_new(writev(ends_[0], parts, 2));
}
TEST_P(CallsTest, Send) {
  expect_new(send(ends_[0], place(), k_page, 0));
}
TEST_P(CallsTest, Sendto) {
  expect_new(sendto(ends_[0], place(), k_page, 0, nullptr, 0));
}
TEST_P(CallsTest, Sendmsg) {
  iovec part{place(), k_page};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  expect_new(sendmsg(ends_[0], &message, 0));
}
TEST_P(CallsTest, Read) {
  expect_kept([this] { return read(ends_[0], place(), k_page); });
}
TEST_P(CallsTest, Readv) {
  const iovec parts[2] = {{place(), 100}, {place() + 100, k_page - 100}};
  expect_kept([&] { return readv(ends_[0], parts, 2); });
}
TEST_P(CallsTest, Recv) {
  expect_kept([this] { return recv(ends_[0], place(), k_page, 0); });
}
TEST_P(CallsTest, Recvfrom) {
  expect_kept([this] { return recvfrom(ends_[0], place(), k_page, 0, nullptr, nullptr); });
}
TEST_P(CallsTest, Recvmsg) {
  iovec part{place(), k_page};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  expect_kept([&] { return recvmsg(ends_[0], &message, 0); });
}

/// A write that begins in open memory would come out short.
TEST_P(CallsTest, WriteAcrossTheBorder) {
  auto* const both = static_cast<std::byte*>(
      mmap(nullptr, k_bytes + k_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::memset(both, k_new, k_bytes + k_page);
  owner_.drain();
  close_buffer(both + k_page);
  expect_new(write(ends_[0], both + k_page / 2, k_page));
  owner_.drain();
  guard_.reset();
  munmap(both, k_bytes + k_page);
}

TEST_P(CallsTest, FilesOfTheLibrary) {
  FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(std::fwrite(data_, 1, k_bytes, file), k_bytes);
  std::rewind(file);
  for (uint64_t i = 0; i < k_bytes; ++i) ASSERT_EQ(std::fgetc(file), k_new);
  close_again();
  std::rewind(file);
  EXPECT_EQ(std::fread(data_ + k_page, 1, k_page, file), k_page);
  owner_.drain();
  EXPECT_EQ(data_[k_page], std::byte{k_new});
  std::fclose(file);
}

TEST_P(CallsTest, PositionedOnes) {
  FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  const int fd = fileno(file);
  EXPECT_EQ(pwrite(fd, place(), k_page, 10), static_cast<ssize_t>(k_page));
  unsigned char found[k_page];
  EXPECT_EQ(pread(fd, found, k_page, 10), static_cast<ssize_t>(k_page));
  EXPECT_EQ(found[0], k_new);
  close_again();
  EXPECT_EQ(pread(fd, place(), k_page, 10), static_cast<ssize_t>(k_page));
  owner_.drain();
  EXPECT_EQ(place()[0], std::byte{k_new});
  std::fclose(file);
}

TEST_P(CallsTest, OtherProcessesReadsOfItself) {
  unsigned char found[k_page];
  const iovec local{found, k_page}, remote{place(), k_page};
  ASSERT_EQ(process_vm_readv(getpid(), &local, 1, &remote, 1, 0), static_cast<ssize_t>(k_page))
      << std::strerror(errno);
  EXPECT_EQ(found[0], k_new);
  EXPECT_EQ(found[k_page - 1], k_new);
}

TEST_P(CallsTest, ReadsOfItselfByNumber) {
  unsigned char found[4 * k_page];
  const iovec local{found, sizeof found}, remote{place(), sizeof found};
  ASSERT_EQ(syscall(SYS_process_vm_readv, getpid(), &local, 1, &remote, 1, 0), ssize_t{sizeof found});
  EXPECT_EQ(found[0], k_new);
  EXPECT_EQ(found[sizeof found - 1], k_new);
}

/// A message of the queue has its type in front, which lies on an open page here.
TEST_P(CallsTest, QueuesOfMessages) {
  const int queue = msgget(IPC_PRIVATE, 0600);
  if (queue < 0) GTEST_SKIP() << "this machine has no queues of messages";
  constexpr size_t k_text = 100;
  struct Message {
    long type;
    char text[k_text];
  } found{};
  owner_.drain();
  std::byte* const message = data_ + 8 * k_page - sizeof(long);
  constexpr Part k_closed{8 * k_page, 8 * k_page};
  const auto close_text = [&](int value) {
    auto guard = Guard::close(data_, k_bytes, {&k_closed, 1}, GetParam());
    ASSERT_TRUE(guard.is_ok());
    guard_ = std::move(*guard);
    owner_.later([this, value, k_closed] {
      pause_shortly();
      std::memset(guard_->owners_buffer() + k_closed.offset, value, k_closed.bytes);
      guard_->end(k_closed);
    });
  };
  found.type = 1;
  std::memcpy(message, &found.type, sizeof found.type);
  for (const bool is_by_number : {false, true}) {
    close_text(5);
    const long sent =
        is_by_number ? syscall(SYS_msgsnd, queue, message, k_text, 0) : msgsnd(queue, message, k_text, 0);
    EXPECT_EQ(sent, 0) << std::strerror(errno);
    EXPECT_EQ(msgrcv(queue, &found, k_text, 0, IPC_NOWAIT), ssize_t{k_text}) << std::strerror(errno);
    EXPECT_EQ(found.text[k_text - 1], 5);
    owner_.drain();
    std::memset(found.text, 7, k_text);
    ASSERT_EQ(msgsnd(queue, &found, k_text, 0), 0);
    close_text(6);
    EXPECT_EQ(msgrcv(queue, message, k_text, 0, 0), ssize_t{k_text}) << std::strerror(errno);
    owner_.drain();
    EXPECT_EQ(data_[8 * k_page + k_text - 1], std::byte{7}) << "it was received before the data came";
    EXPECT_EQ(data_[8 * k_page + k_text], std::byte{6});
  }
  msgctl(queue, IPC_RMID, nullptr);
}

TEST_P(CallsTest, WhatTheKernelSaysOfFiles) {
  auto* const events = reinterpret_cast<epoll_event*>(place());
  const int set = epoll_create1(EPOLL_CLOEXEC);
  epoll_event wanted{};
  wanted.events = EPOLLOUT;
  ASSERT_EQ(epoll_ctl(set, EPOLL_CTL_ADD, ends_[0], &wanted), 0);
  EXPECT_EQ(epoll_wait(set, events, 8, 0), 1) << std::strerror(errno);
  EXPECT_EQ(events[0].events, static_cast<uint32_t>(EPOLLOUT));
  ::close(set);
  owner_.drain();
  const pollfd file{.fd = ends_[0], .events = POLLOUT, .revents = 0};
  std::memcpy(place(), &file, sizeof file);
  close_kept();
  EXPECT_EQ(poll(reinterpret_cast<pollfd*>(place()), 1, 0), 1) << std::strerror(errno);
  close_again();
  socklen_t bytes = sizeof(int);
  EXPECT_EQ(getsockopt(ends_[0], SOL_SOCKET, SO_TYPE, place(), &bytes), 0) << std::strerror(errno);
  owner_.drain();
  EXPECT_EQ(*reinterpret_cast<int*>(place()), SOCK_STREAM);
  close_buffer(data_);
  EXPECT_GT(readlink("/proc/self/exe", reinterpret_cast<char*>(place()), k_page), 1) << std::strerror(errno);
  EXPECT_EQ(place()[0], std::byte{'/'});
  close_again();
  EXPECT_EQ(fstat(ends_[0], reinterpret_cast<struct stat*>(place())), 0) << std::strerror(errno);
  EXPECT_TRUE(S_ISSOCK(reinterpret_cast<struct stat*>(place())->st_mode));
}

TEST_P(CallsTest, ClocksAndLimits) {
  auto* const time = reinterpret_cast<timespec*>(place());
  EXPECT_EQ(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, time), 0) << std::strerror(errno);
  owner_.drain();
  *time = {0, 1};
  close_kept();
  EXPECT_EQ(nanosleep(time, nullptr), 0) << std::strerror(errno);
  close_again();
  EXPECT_EQ(getrlimit(RLIMIT_NOFILE, reinterpret_cast<rlimit*>(place())), 0) << std::strerror(errno);
}

TEST_P(CallsTest, GetrandomAndSystemCallsByNumber) {
  EXPECT_EQ(getrandom(place(), 16, 0), 16);
  close_again();
  EXPECT_EQ(syscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, place(), 8), 0)
      << "of a number that no table has";
  close_again();
  EXPECT_EQ(syscall(SYS_write, ends_[0], place(), k_page), static_cast<long>(k_page));
}

TEST_P(CallsTest, PathsInClosedMemory) {
  owner_.drain();
  const std::string path = "/dev/null";
  std::memcpy(place(), path.c_str(), path.size() + 1);
  const Part part{2 * k_page, k_page};
  auto guard = Guard::close(data_, k_bytes, {&part, 1}, GetParam());
  ASSERT_TRUE(guard.is_ok());
  owner_.later([&] {
    pause_shortly();
    (*guard)->end(part);
  });
  const auto* const name = reinterpret_cast<const char*>(place());
  const int fd = open(name, O_RDONLY);
  EXPECT_GE(fd, 0) << std::strerror(errno);
  ::close(fd);
  owner_.drain();
}

TEST_P(CallsTest, Mprotect) {
  ASSERT_EQ(mprotect(place(), k_page, PROT_READ), 0);
  EXPECT_EQ(place()[0], std::byte{k_new});
  ASSERT_EQ(mprotect(place(), k_page, PROT_READ | PROT_WRITE), 0);
}

TEST_P(CallsTest, MadviseThrowsNewDataAway) {
  ASSERT_EQ(madvise(data_, k_bytes, MADV_DONTNEED), 0);
  owner_.drain();
  EXPECT_EQ(place()[0], std::byte{0});
}

/// The next owner of the addresses keeps its data.
TEST_P(CallsTest, UnmappedMemoryHasANewOwner) {
  munmap(data_, k_bytes);
  auto* const next = static_cast<std::byte*>(
      mmap(data_, k_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
  ASSERT_EQ(next, data_);
  std::memset(next, 9, k_bytes);
  owner_.drain();
  for (uint64_t i = 0; i < k_bytes; i += 100) ASSERT_EQ(next[i], std::byte{9});
}

TEST_P(CallsTest, MappedOverMemoryHasANewOwner) {
  void* const next =
      mmap(data_, k_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  ASSERT_EQ(next, data_);
  std::memset(next, 9, k_bytes);
  owner_.drain();
  for (uint64_t i = 0; i < k_bytes; i += 100) ASSERT_EQ(data_[i], std::byte{9});
}

TEST_P(CallsTest, MemoryThatMoves) {
  void* const moved = mremap(data_, k_bytes, 2 * k_bytes, MREMAP_MAYMOVE);
  ASSERT_NE(moved, MAP_FAILED);
  EXPECT_EQ(static_cast<std::byte*>(moved)[5], std::byte{k_new});
  data_ = static_cast<std::byte*>(moved);
  munmap(data_ + k_bytes, k_bytes);
}

TEST_P(CallsTest, FreedAndReallocatedBlocks) {
  malloc_trim(0);
  mallopt(M_MMAP_THRESHOLD, k_bytes / 2);  // so that blocks are unmapped, and others mapped in their places
  for (const bool is_freed : {true, false}) {
    owner_.drain();
    constexpr uint64_t k_block_bytes = k_bytes + 2 * k_page;
    auto* block = static_cast<std::byte*>(std::malloc(k_block_bytes));
    std::memset(block, k_new, k_block_bytes);
    const volatile uint64_t closed = number_of(page_of(block)) + k_page;
    close_buffer(reinterpret_cast<std::byte*>(closed));
    if (is_freed) {
      std::free(block);
      auto* const place = reinterpret_cast<std::byte*>(closed);
      void* const next = mmap(place, k_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
      ASSERT_EQ(next, place) << "the block was not unmapped";
      std::memset(next, 9, k_bytes);
      owner_.drain();
      for (uint64_t i = 0; i < k_bytes; ++i) ASSERT_EQ(place[i], std::byte{9});
      munmap(next, k_bytes);
    } else {
      block = static_cast<std::byte*>(std::realloc(block, 4 * k_block_bytes));
      for (uint64_t i = 0; i < k_block_bytes; ++i) ASSERT_EQ(block[i], std::byte{k_new});
      owner_.drain();
      std::free(block);
    }
  }
}

TEST_P(CallsTest, ACommandOfTheShell) {
  EXPECT_EQ(std::system("true"), 0);
  EXPECT_EQ(place()[0], std::byte{k_new});
}

// ------------------------------------------------------------------------------------------------------- signals

volatile sig_atomic_t seen = 0;
std::byte* volatile watched = nullptr;

void look(int) {
  seen = static_cast<int>(watched[0]);
}

TEST_P(CallsTest, AHandlerTouchesClosedMemory) {
  watched = place();
  ASSERT_NE(signal(SIGUSR1, look), SIG_ERR);
  raise(SIGUSR1);
  EXPECT_EQ(seen, k_new);
}

/// The signal comes while the thread waits.
TEST_P(CallsTest, AHandlerTouchesClosedMemoryInTheMiddleOfAWait) {
  watched = data_ + 20 * k_page;
  seen = 0;
  ASSERT_NE(signal(SIGALRM, look), SIG_ERR);
  ualarm(5'000, 0);
  EXPECT_EQ(place()[0], std::byte{k_new});
  while (seen == 0) pause_shortly();
  EXPECT_EQ(seen, k_new);
  signal(SIGALRM, SIG_DFL);
}

TEST_P(CallsTest, AThreadThatBlocksAllSignals) {
  sigset_t all, before;
  sigfillset(&all);
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &all, &before), 0);
  EXPECT_EQ(place()[5], std::byte{k_new});
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
}

sigjmp_buf away;
void leave(int) {
  siglongjmp(away, 1);
}

/// A program gives up waiting, as with a deadline of its own.
TEST_P(CallsTest, AHandlerThatJumpsOutOfTheWait) {
  owner_.drain();
  auto guard = Guard::close(data_, k_bytes, {&k_all, 1}, GetParam());
  ASSERT_TRUE(guard.is_ok());
  ASSERT_NE(signal(SIGALRM, leave), SIG_ERR);
  if (sigsetjmp(away, 1) == 0) {
    ualarm(10'000, 0);
    static_cast<void>(*const_cast<volatile std::byte*>(place()));
    FAIL() << "nobody brought it";
  }
  owner_.later([&] {
    std::memset((*guard)->owners_buffer(), k_new, k_bytes);
    (*guard)->open_all();
  });
  EXPECT_EQ(place()[0], std::byte{k_new});
  owner_.drain();
  signal(SIGALRM, SIG_DFL);
}

/// The program's own faults are its own: their handler runs, or they end it as ever.
TEST_P(CallsTest, FaultsOfTheProgram) {
  owner_.drain();
  const pid_t child = fork();
  if (child == 0) {
    struct sigaction mine {};
    mine.sa_flags = SA_SIGINFO;
    mine.sa_sigaction = [](int, siginfo_t* info, void*) { _exit(info->si_addr == nullptr ? 42 : 43); };
    sigaction(SIGSEGV, &mine, nullptr);
    volatile int* const nowhere = nullptr;
    *nowhere = 1;  // NOLINT: on purpose
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 42) << status;
  const pid_t other = fork();
  if (other == 0) {
    volatile int* const nowhere = nullptr;
    *nowhere = 1;  // NOLINT: on purpose
    _exit(0);
  }
  waitpid(other, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << status;
}

TEST_P(CallsTest, TheProgramFindsItsOwnHandler) {
  struct sigaction mine {
  }, found{};
  mine.sa_handler = look;
  ASSERT_EQ(sigaction(SIGSEGV, &mine, nullptr), 0);
  ASSERT_EQ(sigaction(SIGSEGV, nullptr, &found), 0);
  EXPECT_EQ(found.sa_handler, look);
  EXPECT_EQ(signal(SIGSEGV, SIG_DFL), look);
  EXPECT_EQ(place()[0], std::byte{k_new});
}

INSTANTIATE_TEST_SUITE_P(Every, CallsTest, testing::ValuesIn(k_mechanisms), name_of);

}  // namespace
}  // namespace tutti::overlap::guard::test
