#include "topology/cpu_use.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "topology/cgroup_quota.hpp"

namespace tutti::topology {
namespace {

namespace fs = std::filesystem;

/// A folder in place of "/".
class Machine {
 public:
  Machine() {
    std::string name = (fs::temp_directory_path() / "tutti-machine-XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  ~Machine() { fs::remove_all(root_); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  void write(const std::string& name, const std::string& text) const {
    const fs::path path = root_ + name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
  }
  const std::string& root() const { return root_; }
  std::vector<uint32_t> limits() const {
    std::vector<uint32_t> found;
    for (const CpuQuota& quota : own_cpu_quotas(root_)) found.push_back(quota.milli_cpus);
    return found;
  }

 private:
  std::string root_;
};

using Limits = std::vector<uint32_t>;

TEST(CpuQuotas, OfVersionTwoTheInnermostFirst) {
  const Machine machine;
  machine.write("/proc/self/cgroup", "0::/batch/job 7/step");
  machine.write("/proc/self/mountinfo",
                "31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate");
  machine.write("/sys/fs/cgroup/batch/cpu.max", "max 100000");
  machine.write("/sys/fs/cgroup/batch/job 7/cpu.max", "400000 100000");
  machine.write("/sys/fs/cgroup/batch/job 7/step/cpu.max", "75000 50000");
  EXPECT_EQ(machine.limits(), (Limits{1500, 4000}));
  const auto quotas = own_cpu_quotas(machine.root());
  EXPECT_NE(quotas[0].group, quotas[1].group);
  EXPECT_EQ(own_cpu_quotas(machine.root()), quotas) << "a group has one number";
}

TEST(CpuQuotas, OfVersionOne) {
  const Machine machine;
  machine.write("/proc/self/cgroup", "9:memory:/elsewhere\n4:cpu,cpuacct:/job\n1:cpuset:/set\n0::/");
  machine.write("/proc/self/mountinfo",
                "31 23 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
                "32 23 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct");
  machine.write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1");
  machine.write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");
  machine.write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "100000");
  machine.write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000");
  EXPECT_EQ(machine.limits(), (Limits{1000}));
}

// Docker with version 1 shows the host's name of the group, and mounts that group itself.
TEST(CpuQuotas, InAContainerWhoseGroupIsMounted) {
  const Machine machine;
  machine.write("/proc/self/cgroup", "4:cpu:/docker/abc/inner");
  machine.write("/proc/self/mountinfo",
                "32 23 0:29 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu");
  machine.write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000");
  machine.write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
  machine.write("/sys/fs/cgroup/cpu/inner/cpu.cfs_quota_us", "50000");
  machine.write("/sys/fs/cgroup/cpu/inner/cpu.cfs_period_us", "100000");
  EXPECT_EQ(machine.limits(), (Limits{500, 2000}));
}

TEST(CpuQuotas, OfGroupsOutsideOfTheNamespaceOnlyTheVisible) {
  const Machine machine;
  machine.write("/proc/self/cgroup", "0::/../sibling");
  machine.write("/proc/self/mountinfo", "32 23 0:29 / /sys/fs/cgroup ro - cgroup2 cgroup rw");
  machine.write("/sys/fs/cgroup/cpu.max", "100000 100000");
  EXPECT_EQ(machine.limits(), (Limits{1000}));
}

TEST(CpuQuotas, WithoutGroupsOrWithNonsenseThereAreNone) {
  const Machine machine;
  EXPECT_TRUE(machine.limits().empty());
  machine.write("/proc/self/cgroup", "\n:\n0::/a\nnonsense");
  EXPECT_TRUE(machine.limits().empty());
  machine.write("/proc/self/mountinfo", "- -\n32 23 0:29 / /m rw - cgroup2 c rw");
  machine.write("/m/a/cpu.max", "lots 0");
  machine.write("/m/cpu.max", "100000 0");
  EXPECT_TRUE(machine.limits().empty());
}

TEST(CpuUse, TravelsAsWords) {
  const CpuUse use{
      .units = {0, 1, 2, 7, 64, 65, 1023},
      .quotas = {{.group = 0x123456789abcdef0, .milli_cpus = 1500}, {.group = 2, .milli_cpus = 4000}},
      .threads = 4};
  EXPECT_EQ(decode_cpu_use(encode(use)), use);
  EXPECT_EQ(encode(use).size(), 2u + 2 * 3 + 4 * 2);
  EXPECT_EQ(decode_cpu_use(encode({})), CpuUse{});
}

TEST(CpuUse, OfThisProcess) {
  setenv("OMP_NUM_THREADS", "3,2", 1);
  const CpuUse use = own_cpu_use();
  unsetenv("OMP_NUM_THREADS");
  EXPECT_FALSE(use.units.empty());
  EXPECT_EQ(use.threads, 3u);
  EXPECT_EQ(own_cpu_use().threads, 1u);
}

TEST(CoreOfUnit, TheKernelNamesHardwareThreads) {
  const Machine machine;
  machine.write("/sys/devices/system/cpu/smt/active", "1");
  machine.write("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,2");
  machine.write("/sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "1,3");
  machine.write("/sys/devices/system/cpu/cpu4/topology/thread_siblings_list", "4-5");
  const std::vector<uint32_t> units = {0, 1, 2, 3, 5};
  EXPECT_EQ(read_core_of_unit(units, machine.root()), (std::vector<uint32_t>{0, 1, 0, 1, 4, 5}))
      << "unit 5 has no file";
  machine.write("/sys/devices/system/cpu/smt/active", "0");
  EXPECT_EQ(read_core_of_unit(units, machine.root()), (std::vector<uint32_t>{0, 1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace tutti::topology
