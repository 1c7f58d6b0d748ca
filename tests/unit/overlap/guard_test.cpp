// A guarded buffer: data that has not arrived is never visible, and no memory beside it is affected.

#include "overlap/guard/guard.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "owner.hpp"
#include "tests/support/sanitizer.hpp"

namespace tutti::overlap::guard::test {
namespace {

/// Mapped memory, full of `fill`.
class Mapped {
 public:
  explicit Mapped(uint64_t bytes, int fill = 1, int flags = MAP_PRIVATE | MAP_ANONYMOUS)
      : bytes_(bytes),
        data_(static_cast<std::byte*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0))) {
    if (fill >= 0) std::memset(data_, fill, bytes);
  }
  ~Mapped() { unmap(); }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  void unmap() {
    if (data_ != nullptr) munmap(data_, bytes_);
    data_ = nullptr;
  }
  std::byte* data() const { return data_; }

 private:
  uint64_t bytes_;
  std::byte* data_;
};

int at(const std::byte* data, uint64_t place) {
  return static_cast<int>(reinterpret_cast<const volatile unsigned char*>(data)[place]);
}

std::unique_ptr<Guard> close(std::byte* buffer, uint64_t bytes, std::vector<Part> uses, Mechanism mechanism) {
  auto guard = Guard::close(buffer, bytes, uses, mechanism);
  EXPECT_TRUE(guard.is_ok()) << guard.status().message();
  return guard ? std::move(*guard) : nullptr;
}

class GuardTest : public EveryMechanism {
 protected:
  /// The owner brings `value` into a part, after a while.
  void bring_later(Guard& guard, Part part, int value) {
    owner_.later([&guard, part, value] {
      pause_shortly();
      std::memset(guard.owners_buffer() + part.offset, value, part.bytes);
      guard.end(part);
    });
  }
  /// The work of a call before it returns.
  static void await_edges(const Guard& guard) {
    while (!guard.are_edges_open()) std::this_thread::yield();
  }

  Owner owner_;
};

TEST_P(GuardTest, ALoadWaits) {
  const Mapped memory(64 * k_page);
  const Part all{0, 64 * k_page};
  const auto guard = close(memory.data(), all.bytes, {all}, GetParam());
  ASSERT_NE(guard, nullptr);
  bring_later(*guard, all, 2);
  EXPECT_EQ(at(memory.data(), 5 * k_page + 17), 2);
  EXPECT_EQ(at(memory.data(), all.bytes - 1), 2);
  owner_.drain();
}

TEST_P(GuardTest, AStoreWaitsAndStays) {
  const Mapped memory(64 * k_page);
  const Part all{0, 64 * k_page};
  const auto guard = close(memory.data(), all.bytes, {all}, GetParam());
  ASSERT_NE(guard, nullptr);
  bring_later(*guard, all, 2);
  memory.data()[k_page] = std::byte{9};
  owner_.drain();
  EXPECT_EQ(at(memory.data(), k_page), 9);
  EXPECT_EQ(at(memory.data(), k_page + 1), 2);
}

TEST_P(GuardTest, ThreadsThatWereThereAndNewOnesWait) {
  const Mapped memory(64 * k_page);
  const Part all{0, 64 * k_page};
  std::atomic<bool> is_closed{false};
  std::atomic<int> found{-1};
  std::thread old([&] {
    while (!is_closed) std::this_thread::yield();
    found = at(memory.data(), 3 * k_page);
  });
  const auto guard = close(memory.data(), all.bytes, {all}, GetParam());
  ASSERT_NE(guard, nullptr);
  is_closed = true;
  int found_by_new = -1;
  std::thread fresh([&] { found_by_new = at(memory.data(), 40 * k_page); });
  bring_later(*guard, all, 2);
  old.join();
  fresh.join();
  EXPECT_EQ(found, 2);
  EXPECT_EQ(found_by_new, 2);
  owner_.drain();
}

TEST_P(GuardTest, WhatLiesBesideTheBufferIsNeverClosed) {
  for (const uint64_t skip : {uint64_t{1}, uint64_t{16}, k_page - 1}) {
    Mapped memory(70 * k_page);
    std::byte* const buffer = memory.data() + skip;
    const uint64_t bytes = 64 * k_page + 100;
    const Part all{0, bytes};
    const auto guard = close(buffer, bytes, {all}, GetParam());
    ASSERT_NE(guard, nullptr);
    EXPECT_FALSE(guard->are_edges_open());
    memory.data()[skip - 1] = std::byte{7};
    buffer[bytes] = std::byte{8};
    bring_later(*guard, all, 2);
    await_edges(*guard);
    EXPECT_EQ(at(buffer, 0), 2);
    EXPECT_EQ(at(buffer, bytes - 1), 2);
    EXPECT_EQ(at(buffer, bytes / 2), 2);
    owner_.drain();
    EXPECT_EQ(at(memory.data(), skip - 1), 7);
    EXPECT_EQ(at(buffer, bytes), 8);
  }
}

TEST_P(GuardTest, AUnitOpensWithTheLastOfItsUses) {
  const Mapped memory(512 * k_page);
  const uint64_t half = 256 * k_page + 1000;  // in the middle of a unit
  const Part first{0, half}, second{half, 512 * k_page - half};
  const auto guard = close(memory.data(), 512 * k_page, {first, second, second}, GetParam());
  ASSERT_NE(guard, nullptr);
  bring_later(*guard, first, 2);
  EXPECT_EQ(at(memory.data(), k_page), 2) << "the first part does not wait for the second";
  owner_.later([&] { guard->end(second); });
  bring_later(*guard, second, 3);
  EXPECT_EQ(at(memory.data(), half), 3);
  EXPECT_EQ(at(memory.data(), half - 1), 2);
  owner_.drain();
}

TEST_P(GuardTest, WhatNoTaskUsesIsThePrograms) {
  const Mapped memory(256 * k_page);
  const uint64_t far = 192 * k_page;
  const Part used{far, 64 * k_page};
  const auto guard = close(memory.data(), 256 * k_page, {used}, GetParam());
  ASSERT_NE(guard, nullptr);
  EXPECT_EQ(at(memory.data(), 0), 1);
  memory.data()[k_page] = std::byte{5};
  bring_later(*guard, used, 2);
  EXPECT_EQ(at(memory.data(), far), 2);
  EXPECT_EQ(at(memory.data(), k_page), 5);
  owner_.drain();
}

TEST_P(GuardTest, WhatLiesBesideAUseIsOpen) {
  const Mapped memory(64 * k_page);  // of which a unit holds 16 pages at least
  const Part used{8 * k_page + 100, 20 * k_page}, later{40 * k_page, 3 * k_page + 1};
  const auto guard = close(memory.data(), 64 * k_page, {later, used}, GetParam());
  ASSERT_NE(guard, nullptr);
  for (const uint64_t page : {0, 7, 29, 39, 44, 63}) {
    EXPECT_EQ(at(memory.data(), page * k_page), 1) << page;
    memory.data()[page * k_page + 5] = std::byte{9};
  }
  bring_later(*guard, later, 3);
  EXPECT_EQ(at(memory.data(), later.offset), 3);
  EXPECT_EQ(at(memory.data(), later.offset + later.bytes), 1);
  bring_later(*guard, used, 2);
  EXPECT_EQ(at(memory.data(), used.offset + k_page), 2);
  owner_.drain();
  EXPECT_EQ(at(memory.data(), used.offset), 2);
  EXPECT_EQ(at(memory.data(), used.offset - 1), 1);
  for (const uint64_t page : {0, 7, 29, 39, 44, 63}) EXPECT_EQ(at(memory.data(), page * k_page + 5), 9);
}

/// Another operation may have its data there, and what arrives for that must not wait for this one.
TEST_P(GuardTest, APageThatAGapSharesIsNeverClosed) {
  const Mapped memory(64 * k_page);
  const uint64_t gap = 10 * k_page + 100, gap_bytes = 3000;  // within a page
  const Part before{0, gap}, behind{gap + gap_bytes, 20 * k_page};
  const auto guard = close(memory.data(), 64 * k_page, {behind, before}, GetParam());
  ASSERT_NE(guard, nullptr);
  EXPECT_FALSE(guard->are_edges_open()) << "the page has data of both parts";
  for (uint64_t i = 0; i < gap_bytes; ++i) memory.data()[gap + i] = std::byte{7};
  bring_later(*guard, before, 2);
  EXPECT_EQ(at(memory.data(), 9 * k_page), 2);
  EXPECT_FALSE(guard->are_edges_open());
  bring_later(*guard, behind, 3);
  await_edges(*guard);
  EXPECT_EQ(at(memory.data(), gap - 1), 2);
  EXPECT_EQ(at(memory.data(), gap + gap_bytes), 3);
  for (uint64_t i = 0; i < gap_bytes; ++i) ASSERT_EQ(at(memory.data(), gap + i), 7);
  owner_.drain();
}

/// Data that a call has put there itself is no gap.
TEST_P(GuardTest, APageThatIsFilledAlreadyInPartIsClosed) {
  const Mapped memory(64 * k_page);
  const Part filled{0, 20 * k_page + 100}, used{filled.bytes, 64 * k_page - filled.bytes};
  auto guard = Guard::close(memory.data(), 64 * k_page, {&used, 1}, GetParam(), {&filled, 1});
  ASSERT_TRUE(guard.is_ok());
  EXPECT_TRUE((*guard)->are_edges_open()) << "there are none";
  bring_later(**guard, used, 2);
  EXPECT_EQ(at(memory.data(), used.offset), 2);
  EXPECT_EQ(at(memory.data(), used.offset - 1), 1);
  owner_.drain();
}

TEST_P(GuardTest, TheOwnerFindsWhatWasThere) {
  const Mapped memory(20 * k_page, 6);
  const Part all{0, 18 * k_page};
  std::byte* const buffer = memory.data() + 100;
  const auto guard = close(buffer, all.bytes, {all}, GetParam());
  ASSERT_NE(guard, nullptr);
  std::atomic<int> different{0};
  owner_.later([&] {
    for (uint64_t i = 0; i < all.bytes; ++i) different += at(guard->owners_buffer(), i) != 6;
    guard->open_all();
  });
  owner_.drain();
  EXPECT_EQ(different, 0);
  for (uint64_t i = 0; i < all.bytes; ++i) ASSERT_EQ(at(buffer, i), 6);
}

TEST_P(GuardTest, MemoryThatWasNeverTouched) {
  const Mapped memory(64 * k_page, -1);
  const Part all{0, 64 * k_page}, some{0, 32 * k_page}, rest{32 * k_page, 32 * k_page};
  const auto guard = close(memory.data(), all.bytes, {some, rest}, GetParam());
  ASSERT_NE(guard, nullptr);
  bring_later(*guard, some, 2);
  owner_.later([&] { guard->end(rest); });  // nothing was brought
  EXPECT_EQ(at(memory.data(), 5), 2);
  EXPECT_EQ(at(memory.data(), rest.offset + 5), 0);
  owner_.drain();
}

TEST_P(GuardTest, OneTooSmallForAPageIsRefused) {
  const Mapped memory(4 * k_page);
  const Part all{0, 2 * k_page - 2};
  const auto guard = Guard::close(memory.data() + 1, all.bytes, {&all, 1}, GetParam());
  EXPECT_EQ(guard.status().code(), base::Code::not_supported);
  EXPECT_EQ(at(memory.data(), k_page), 1);
}

std::byte zeroed[48 * k_page];

TEST_P(GuardTest, HeapAndStaticMemory) {
  for (const bool is_heap : {true, false}) {
    const uint64_t bytes = 40 * k_page;
    std::byte* const block = is_heap ? static_cast<std::byte*>(std::malloc(bytes)) : zeroed + 33;
    std::memset(block, 1, bytes);
    const Part all{0, bytes};
    const auto guard = close(block, bytes, {all}, GetParam());
    ASSERT_NE(guard, nullptr);
    bring_later(*guard, all, 2);
    await_edges(*guard);
    EXPECT_EQ(at(block, bytes / 2), 2);
    owner_.drain();
    if (is_heap) std::free(block);
  }
}

/// Called anew, its frame lies where that of the first call was.
[[gnu::noinline]] bool use_stack(Owner* owner, std::unique_ptr<Guard>* guard, Mechanism mechanism) {
  volatile std::byte frame[96 * 1024];
  auto* const data = const_cast<std::byte*>(frame);
  if (guard == nullptr) {
    for (volatile std::byte& byte : frame) byte = std::byte{4};
    pause_shortly();
    return std::ranges::all_of(frame, [](std::byte byte) { return byte == std::byte{4}; });
  }
  const Part all{0, sizeof frame};
  auto closed = Guard::close(data, sizeof frame, {&all, 1}, mechanism);
  if (!closed) return false;
  *guard = std::move(*closed);
  owner->later([guard] {
    pause_shortly();
    std::memset((*guard)->owners_buffer(), 2, sizeof frame);
    (*guard)->open_all();
  });
  while (!(*guard)->are_edges_open()) std::this_thread::yield();
  return true;
}

TEST_P(GuardTest, AFrameThatIsGoneMayBeUsedAgain) {
  std::unique_ptr<Guard> guard;
  const bool is_closed = use_stack(&owner_, &guard, GetParam());
  EXPECT_EQ(is_closed, stops_kernel(GetParam())) << "the kernel needs the stack";
  EXPECT_TRUE(use_stack(nullptr, nullptr, GetParam()));
  owner_.drain();
}

TEST_P(GuardTest, InsideOfHugePages) {
  const uint64_t huge = 2 << 20;
  const Mapped memory(3 * huge, -1);
  std::byte* const aligned = page_of(memory.data()) + (huge - number_of(memory.data()) % huge);
  madvise(aligned, huge, MADV_HUGEPAGE);
  std::memset(aligned, 1, huge);
  const Part all{0, huge - 10 * k_page};
  const auto guard = close(aligned + 3 * k_page + 5, all.bytes, {all}, GetParam());
  ASSERT_NE(guard, nullptr);
  bring_later(*guard, all, 2);
  await_edges(*guard);
  EXPECT_EQ(at(aligned, 100 * k_page), 2);
  EXPECT_EQ(at(aligned, 3 * k_page + 4), 1);
  owner_.drain();
}

/// A mechanism refuses memory that it cannot guard, and does not change it.
TEST_P(GuardTest, OtherMemoryIsGuardedOrLeftAlone) {
  for (const int flags : {MAP_SHARED | MAP_ANONYMOUS, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED}) {
    const Mapped memory(32 * k_page, 1, flags);
    const Part all{0, 32 * k_page};
    auto guard = Guard::close(memory.data(), all.bytes, {&all, 1}, GetParam());
    if (!guard) {
      EXPECT_EQ(at(memory.data(), 7), 1);
      continue;
    }
    bring_later(**guard, all, 2);
    EXPECT_EQ(at(memory.data(), 31 * k_page), 2);
    owner_.drain();
  }
}

TEST_P(GuardTest, PagesSharedWithALiveChild) {
  const Mapped memory(32 * k_page);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    char go = 0;
    if (read(ends[0], &go, 1) != 1) _exit(3);
    for (uint64_t page = 0; page < 32; ++page)
      if (at(memory.data(), page * k_page) != 1) _exit(1);
    _exit(0);
  }
  const Part all{0, 32 * k_page};
  {
    auto guard = Guard::close(memory.data(), all.bytes, {&all, 1}, GetParam());
    if (guard) {
      bring_later(**guard, all, 2);
      EXPECT_EQ(at(memory.data(), 9 * k_page), 2);
      owner_.drain();
    } else {
      EXPECT_EQ(at(memory.data(), 9 * k_page), 1);
    }
  }
  EXPECT_EQ(write(ends[1], "g", 1), 1);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << "the child has seen the parent's data";
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_P(GuardTest, ManyInARowLeaveNothingBehind) {
  const Mapped memory(64 * k_page);
  const auto lines = [] {
    FILE* const maps = std::fopen("/proc/self/maps", "r");
    int count = 0;
    for (int c = 0; (c = std::fgetc(maps)) != EOF;) count += c == '\n';
    std::fclose(maps);
    return count;
  };
  const Part all{50, 60 * k_page};
  int before = 0;
  for (int turn = 0; turn < 200; ++turn) {
    if (turn == 10) before = lines();
    const auto guard = close(memory.data() + 20, 63 * k_page, {all}, GetParam());
    ASSERT_NE(guard, nullptr);
    owner_.later([&] {
      std::memset(guard->owners_buffer() + all.offset, turn, all.bytes);
      guard->end(all);
    });
    ASSERT_EQ(at(memory.data(), 30 * k_page), turn);
    owner_.drain();
  }
  EXPECT_LE(lines(), before + 4);
  EXPECT_TRUE(is_everything_open());
}

/// A second thread reads all the time while units open: it may never see what was there before.
TEST_P(GuardTest, NobodySeesAPageInTheMiddle) {
  const uint64_t bytes = 256 * k_page;
  const Mapped memory(bytes, 0);
  std::atomic<int> turn{0};
  std::atomic<int> stale{0};
  std::atomic<bool> is_ending{false};
  std::thread reader([&] {
    for (uint64_t place = 0; !is_ending; place = (place + 37 * k_page + 11) % bytes) {
      const int least = turn;
      if (at(memory.data(), place) < least) ++stale;
    }
  });
  constexpr int k_turns = 60;
  for (int value = 1; value <= k_turns; ++value) {
    const Part first{0, bytes / 2}, second{bytes / 2, bytes / 2};
    const auto guard = close(memory.data(), bytes, {first, second}, GetParam());
    ASSERT_NE(guard, nullptr);
    turn = value;
    for (const Part part : {second, first}) {
      owner_.later([&guard, part, value] {
        std::memset(guard->owners_buffer() + part.offset, value, part.bytes);
        guard->end(part);
      });
    }
    owner_.drain();
  }
  is_ending = true;
  reader.join();
  EXPECT_EQ(stale, 0);
}

INSTANTIATE_TEST_SUITE_P(Every, GuardTest, testing::ValuesIn(k_mechanisms), name_of);

}  // namespace
}  // namespace tutti::overlap::guard::test
