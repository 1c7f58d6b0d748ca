// Tests what a stand-in process passes on.

#include "actors/process/launched.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

namespace tutti::actors {
namespace {

TEST(Launched, ArrivesAsItWasSent) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  auto mine = launched_here({"true", "", "an argument", std::string(100'000, 'x')});
  ASSERT_TRUE(mine) << mine.status().message();
  mine->rank = 3;
  mine->environment = {"A=b", "EMPTY="};
  std::thread sender([&] { EXPECT_TRUE(send_launched(ends[0], *mine)); });
  auto other = receive_launched(ends[1]);
  sender.join();
  ASSERT_TRUE(other) << other.status().message();
  EXPECT_EQ(other->rank, 3);
  EXPECT_EQ(other->program, mine->program);
  EXPECT_EQ(other->arguments, mine->arguments);
  EXPECT_EQ(other->environment, mine->environment);
  for (const int file : other->files) EXPECT_GE(file, 0);
  mine->close_files();
  other->close_files();
  close(ends[0]);
  close(ends[1]);
}

TEST(Launched, AnEndThatIsGone) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  close(ends[0]);
  EXPECT_EQ(receive_launched(ends[1]).status().code(), base::Code::system);
  close(ends[1]);
}

TEST(Launched, ProgramsThatAreNotThere) {
  EXPECT_EQ(launched_here({"nowhere-to-be-found"}).status().code(), base::Code::not_found);
  EXPECT_EQ(launched_here({"/etc"}).status().code(), base::Code::not_found);
}

}  // namespace
}  // namespace tutti::actors
