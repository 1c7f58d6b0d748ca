#include "topology/cores.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tutti::topology {
namespace {

TEST(Cores, CountsTheAffinityMask) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(usable_cpu_count(), static_cast<uint32_t>(CPU_COUNT(&before)));

  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(usable_cpu_count(), 1u);
  const uint64_t fingerprint = usable_cpu_fingerprint();
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(usable_cpu_fingerprint() == fingerprint, CPU_COUNT(&before) == 1);
}

TEST(Cores, PhysicalCoresAreAtMostTheProcessingUnits) {
  const base::Result<uint32_t> cores = usable_core_count();
  ASSERT_TRUE(cores.is_ok()) << cores.status().message();
  EXPECT_GE(*cores, 1u);
  EXPECT_LE(*cores, usable_cpu_count());
}

TEST(Cores, ABoundProcessHasOneCore) {
  const pid_t child = fork();
  if (child == 0) {
    cpu_set_t mine;
    if (sched_getaffinity(0, sizeof mine, &mine) != 0) _exit(1);
    int first = 0;
    while (!CPU_ISSET(first, &mine)) ++first;
    CPU_ZERO(&mine);
    CPU_SET(first, &mine);
    if (sched_setaffinity(0, sizeof mine, &mine) != 0) _exit(1);
    // Not through usable_core_count()'s memory of an earlier call: this child's parent may have asked before.
    execl("/proc/self/exe", "cores", "--gtest_filter=Cores.DISABLED_SeesOneCore",
          "--gtest_also_run_disabled_tests", nullptr);
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

/// Run by ABoundProcessHasOneCore in a process that is bound to one processing unit.
TEST(Cores, DISABLED_SeesOneCore) {
  const base::Result<uint32_t> cores = usable_core_count();
  ASSERT_TRUE(cores.is_ok()) << cores.status().message();
  EXPECT_EQ(*cores, 1u);
}

}  // namespace
}  // namespace tutti::topology
