#include "topology/node_map.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <type_traits>

namespace tutti::topology {
namespace {

static_assert(std::is_trivially_copyable_v<NodeIdentity>, "travels over MPI as bytes");

NodeIdentity identity(const char* host) {
  NodeIdentity made{.boot_id = "b", .shm_device = 1, .shm_inode = 2, .pid_namespace = 3};
  std::strcpy(made.host, host);
  return made;
}

TEST(NodeIdentity, ThisProcessSharesANodeWithItself) {
  const NodeIdentity me = this_node_identity();
  EXPECT_TRUE(share_node(me, this_node_identity()));
  EXPECT_STRNE(me.host, "");
  EXPECT_STRNE(me.boot_id, "");
  EXPECT_NE(me.shm_inode, 0u);
  EXPECT_NE(me.pid_namespace, 0u);
}

TEST(NodeIdentity, AnyDifferenceSeparates) {
  const NodeIdentity a = identity("a");
  EXPECT_TRUE(share_node(a, identity("a")));
  EXPECT_FALSE(share_node(a, identity("b")));
  NodeIdentity other = a;
  other.boot_id[0] = 'c';
  EXPECT_FALSE(share_node(a, other));
  other = a, other.shm_device = 9;
  EXPECT_FALSE(share_node(a, other));
  other = a, other.shm_inode = 9;
  EXPECT_FALSE(share_node(a, other));
  other = a, other.pid_namespace = 9;
  EXPECT_FALSE(share_node(a, other));
}

TEST(NodeIdentity, AnotherHostNameOfThisMachineIsAnotherNode) {
  int channel[2];
  ASSERT_EQ(pipe(channel), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWUTS) != 0 || sethostname("elsewhere", 9) != 0) _exit(1);
    const NodeIdentity there = this_node_identity();
    _exit(write(channel[1], &there, sizeof there) == sizeof there ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (status != 0) GTEST_SKIP() << "needs the right to make a namespace";
  NodeIdentity there;
  ASSERT_EQ(read(channel[0], &there, sizeof there), static_cast<ssize_t>(sizeof there));
  EXPECT_STREQ(there.host, "elsewhere");
  EXPECT_FALSE(share_node(this_node_identity(), there));
}

TEST(NodeMap, NumbersNodesByTheirLowestRank) {
  const NodeIdentity ids[] = {identity("z"), identity("a"), identity("z"), identity("m"), identity("a")};
  EXPECT_EQ(node_of_each_rank(ids), (std::vector<int32_t>{0, 1, 0, 2, 1}));
  EXPECT_TRUE(node_of_each_rank({}).empty());
}

TEST(NodeMap, NodesOfOneKernelAreOneMachine) {
  NodeIdentity ids[] = {identity("a"), identity("b"), identity("c"), identity("c")};
  for (size_t rank : {0, 1}) std::string("kernel").copy(ids[rank].boot_id, sizeof ids[rank].boot_id - 1);
  ids[2].boot_id[0] = ids[3].boot_id[0] = '\0';  // cannot be read
  EXPECT_EQ(machine_of_each_rank(ids), (std::vector<int32_t>{0, 0, 1, 1}));
}

TEST(NodeMap, ReadsAPrescribedMap) {
  const auto nodes = parse_nodes("0,0,1,12", 4);
  ASSERT_TRUE(nodes.is_ok()) << nodes.status().message();
  EXPECT_EQ(*nodes, (std::vector<int32_t>{0, 0, 1, 12}));
}

TEST(NodeMap, RejectsMalformedMapsInOneLine) {
  for (const char* text :
       {"", "0,", ",0", "0,,1", "0;1", "0,x", "0,-1", "0, 1", "0,99999999999", "0", "0,1,2"}) {
    const auto nodes = parse_nodes(text, 2);
    ASSERT_FALSE(nodes.is_ok()) << text;
    EXPECT_EQ(nodes.status().code(), base::Code::invalid_argument);
    EXPECT_EQ(nodes.status().message().find('\n'), std::string::npos);
    EXPECT_NE(nodes.status().message().find("TUTTI_NODES"), std::string::npos) << nodes.status().message();
  }
}

TEST(NodeMap, APrescribedMapMaySplitMachinesButNotJoinThem) {
  const NodeIdentity ids[] = {identity("a"), identity("a"), identity("b")};
  EXPECT_TRUE(check_nodes(std::vector<int32_t>{0, 1, 2}, ids).is_ok());
  EXPECT_TRUE(check_nodes(std::vector<int32_t>{0, 0, 1}, ids).is_ok());
  const base::Status joined = check_nodes(std::vector<int32_t>{0, 1, 1}, ids);
  EXPECT_EQ(joined.code(), base::Code::invalid_argument);
  EXPECT_NE(joined.message().find("ranks 1 (on a) and 2 (on b)"), std::string::npos) << joined.message();
  EXPECT_EQ(check_nodes(std::vector<int32_t>{0}, ids).code(), base::Code::invalid_argument);
}

}  // namespace
}  // namespace tutti::topology
