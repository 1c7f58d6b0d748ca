// Tests which processes may read a rank's memory under Yama: those started by the job's launcher, and no other.

#include "node/readers.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <map>
#include <vector>

namespace tutti::node {
namespace {

/// 1 is init, 10 a login, 20 a launcher with proxies 30 and 31, 99 another job of the login.
int32_t known_parent(int32_t pid) {
  static const std::map<int32_t, int32_t> parents = {{10, 1},  {20, 10}, {30, 20}, {31, 20}, {40, 30},
                                                     {41, 30}, {42, 31}, {99, 10}, {1, 0}};
  const auto at = parents.find(pid);
  return at == parents.end() ? 0 : at->second;
}

int32_t ancestor_of(std::vector<int32_t> pids) {
  return nearest_common_ancestor(pids, known_parent);
}

TEST(Readers, AreWhatTheNearestCommonAncestorHasStarted) {
  EXPECT_EQ(ancestor_of({40, 41}), 30) << "one proxy";
  EXPECT_EQ(ancestor_of({41, 0, 40, 41}), 30) << "not announced, or threads of one process";
  EXPECT_EQ(ancestor_of({40, 41, 42}), 20) << "two proxies of one launcher";
  EXPECT_EQ(ancestor_of({40, 99}), 10);
  EXPECT_EQ(ancestor_of({40, 30}), 30) << "a rank that has started the other";
  EXPECT_EQ(ancestor_of({40}), 40);
  EXPECT_EQ(ancestor_of({}), 0);
}

TEST(Readers, AreNoneWhereNoAncestorIsKnown) {
  EXPECT_EQ(ancestor_of({40, 777}), 0) << "another pid namespace";
  EXPECT_EQ(nearest_common_ancestor(std::array{5, 6}, [](int32_t pid) { return pid == 5 ? 6 : 5; }), 5)
      << "ends although it goes in a circle";
}

TEST(Readers, ParentsComeFromTheKernel) {
  EXPECT_EQ(parent_of(getpid()), getppid());
  EXPECT_EQ(parent_of(INT32_MAX), 0);
  std::array<pid_t, 2> children{};
  for (pid_t& child : children) {
    child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      pause();
      _exit(0);
    }
  }
  EXPECT_EQ(nearest_common_ancestor(std::array{children[0], children[1]}, parent_of), getpid());
  for (const pid_t child : children) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  permit_readers(std::array{getpid(), getppid()});  // with or without Yama
}

}  // namespace
}  // namespace tutti::node
