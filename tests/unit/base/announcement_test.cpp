// Words for the command that has started a process.

#include "base/announcement.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tutti::base {
namespace {

TEST(Announcements, EveryProcessCounts) {
  const Announcements announcements;
  ASSERT_TRUE(announcements.are_possible());
  EXPECT_EQ(announcements.count(), 0u);
  constexpr unsigned k_processes = 8;
  for (unsigned i = 0; i < k_processes; ++i)
    if (fork() == 0) {
      announce(announcements.address().c_str());
      _exit(0);
    }
  while (wait(nullptr) > 0) {
  }
  EXPECT_EQ(announcements.count(), k_processes);
}

/// An address of another machine, where its process and descriptor are something else.
TEST(Announcements, WhatIsNotThatMemoryIsLeftAlone) {
  const Announcements announcements;
  const std::string address = announcements.address();
  std::string other_token = address;
  other_token.back() = other_token.back() == '0' ? '1' : '0';
  const int other = memfd_create("tutti-ranks", MFD_CLOEXEC);
  ASSERT_EQ(write(other, "0123456789abcdef", 16), 16);
  const std::string of_other = "/proc/self/fd/" + std::to_string(other) + address.substr(address.rfind(':'));
  for (const std::string& wrong :
       {other_token, of_other, std::string("/dev/null") + address.substr(address.rfind(':')),
        std::string(":"), std::string(), address.substr(0, address.rfind(':'))})
    announce(wrong.c_str());
  announce(nullptr);
  EXPECT_EQ(announcements.count(), 0u);
  EXPECT_EQ(lseek(other, 0, SEEK_END), 16);
  close(other);
}

TEST(Announcements, NothingIsLeftAfterTheEnd) {
  std::string address;
  {
    const Announcements announcements;
    address = announcements.address();
  }
  announce(address.c_str());  // does not fail
}

}  // namespace
}  // namespace tutti::base
