#pragma once
// Ranks of one node for tests: real processes, or threads of this one.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "node/arena.hpp"
#include "node/local_endpoint.hpp"
#include "node/one_copy.hpp"
#include "node/region.hpp"

namespace tutti::node::test {

/// Start value of counters that must wrap during a test.
inline constexpr uint32_t k_wraps_soon = UINT32_MAX - 20;

/// A name for an arena that no other test uses.
std::string fresh_name();

/// An arena of this process alone, or a failed test.
std::unique_ptr<Arena> make_arena(uint32_t process_count, uint64_t bytes = 8 << 20);

enum class RankKind { thread, process };

/// Calls body(arena, rank) on `rank_count` ranks at the same time and waits for them. Threads share one
/// Arena; processes are forked and attach by name. A failed expectation of a process fails the test; a
/// process that hangs is ended after a minute. After all of them, `last` looks at the arena.
void run_ranks(RankKind kind, uint32_t rank_count, const std::function<void(const Arena&, uint32_t)>& body,
               const std::function<void(const Arena&)>& last = {});

/// Runs `body` in a forked child, with a limit of one minute; true if no expectation failed.
bool succeeds_in_child(const std::function<void()>& body);

/// Tries in a forked child whether this process may do something; nothing is reported.
bool may(const std::function<bool()>& attempt);

/// World ranks 0 … count-1.
std::vector<Rank> ranks_up_to(uint32_t count);

/// One rank with everything that it needs to exchange messages over the region of communicator 1.
class LocalRank {
 public:
  LocalRank(const Arena& arena, uint32_t me, uint32_t rank_count, const RegionShape& shape = {},
            bool one_copy = true);

  Region& region() { return region_; }
  OneCopy& one_copy() { return one_copy_; }
  LocalEndpoint& endpoint() { return endpoint_; }

  /// Polls until a transfer has ended, for at most half a minute; its completion.
  transport::Completion wait();

 private:
  std::vector<Rank> ranks_;
  OneCopy one_copy_;
  Region region_;
  LocalEndpoint endpoint_;
};

/// Bytes that tell from which message and place they come.
std::vector<std::byte> pattern(uint64_t bytes, uint64_t seed);

}  // namespace tutti::node::test
