#include "support.hpp"

#include <sched.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>

#include "base/random.hpp"
#include "node/arena_control.hpp"
#include "tests/support/patience.hpp"

namespace tutti::node::test {

std::string fresh_name() {
  std::random_device random;
  return arena_name(uint64_t{random()} << 32 | random(), 0);
}

std::unique_ptr<Arena> make_arena(uint32_t process_count, uint64_t bytes) {
  auto arena = Arena::create(fresh_name(), process_count, bytes);
  EXPECT_TRUE(arena.is_ok()) << arena.status().message();
  if (!arena) return nullptr;
  (*arena)->unlink();
  return std::move(*arena);
}

namespace {

/// Never returns. What the child has inherited is not destroyed: it belongs to the parent.
[[noreturn]] void run_child(const std::function<void()>& body) {
  alarm(60);
  body();
  const bool failed = ::testing::Test::HasFailure();
  fflush(nullptr);
  _exit(failed ? 1 : 0);
}

bool has_succeeded(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void run_threads(const Arena& arena, uint32_t rank_count,
                 const std::function<void(const Arena&, uint32_t)>& body) {
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < rank_count; ++rank) threads.emplace_back([&, rank] { body(arena, rank); });
  for (std::thread& thread : threads) thread.join();
}

/// Announces this rank and waits for the others, as the ranks of a job do when they agree on the arena.
void meet(const Arena& arena, uint32_t me, uint32_t rank_count) {
  OneCopy::announce(arena, me);
  support::Patience patience(30);
  for (uint32_t rank = 0; rank < rank_count && !patience.is_over();) {
    if (arena.process(rank).pid.load() != 0)
      ++rank;
    else
      sched_yield();
  }
}

void run_processes(const std::string& name, uint32_t rank_count,
                   const std::function<void(const Arena&, uint32_t)>& body) {
  fflush(nullptr);
  std::vector<pid_t> children;
  for (uint32_t rank = 0; rank < rank_count; ++rank) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      run_child([&] {
        auto own = Arena::attach(name);
        ASSERT_TRUE(own.is_ok()) << own.status().message();
        meet(**own, rank, rank_count);
        body(**own, rank);
      });
    }
    children.push_back(child);
  }
  for (uint32_t rank = 0; rank < rank_count; ++rank) {
    EXPECT_TRUE(has_succeeded(children[rank])) << "rank " << rank << " failed or hung";
  }
}

}  // namespace

bool succeeds_in_child(const std::function<void()>& body) {
  fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) run_child(body);
  return has_succeeded(child);
}

bool may(const std::function<bool()>& attempt) {
  const pid_t child = fork();
  if (child == 0) _exit(attempt() ? 0 : 1);
  return has_succeeded(child);
}

void run_ranks(RankKind kind, uint32_t rank_count, const std::function<void(const Arena&, uint32_t)>& body,
               const std::function<void(const Arena&)>& last) {
  const std::string name = fresh_name();
  auto arena = Arena::create(name, rank_count, 8 << 20);
  ASSERT_TRUE(arena.is_ok()) << arena.status().message();
  if (kind == RankKind::thread) {
    run_threads(**arena, rank_count, body);
  } else {
    run_processes(name, rank_count, body);
  }
  if (last) last(**arena);
}
std::vector<Rank> ranks_up_to(uint32_t count) {
  std::vector<Rank> ranks(count);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

LocalRank::LocalRank(const Arena& arena, uint32_t me, uint32_t rank_count, const RegionShape& shape,
                     bool one_copy)
    : ranks_(ranks_up_to(rank_count)),
      one_copy_(arena, me, one_copy),
      region_(Region::acquire(arena, {.communicator = 1, .members = ranks_}, {.index = me, .process = me},
                              shape)),
      endpoint_(region_, one_copy_, ranks_) {}

transport::Completion LocalRank::wait() {
  support::Patience patience(30);
  transport::Completion done;
  while (endpoint_.poll({&done, 1}) == 0) {
    if (patience.is_over()) {
      ADD_FAILURE() << "no transfer ended within half a minute";
      return {.cookie = UINT64_MAX};
    }
    sched_yield();
  }
  return done;
}

std::vector<std::byte> pattern(uint64_t bytes, uint64_t seed) {
  std::vector<std::byte> data(bytes);
  const uint64_t start = base::mixed(seed);
  for (uint64_t at = 0; at < bytes; at += 8) {
    const uint64_t word = start + at * 0x9e3779b97f4a7c15;
    std::memcpy(data.data() + at, &word, std::min<uint64_t>(8, bytes - at));
  }
  return data;
}

}  // namespace tutti::node::test
