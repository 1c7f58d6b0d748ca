#include "base/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary.hpp"

namespace tutti::base {
namespace {

namespace fs = std::filesystem;

TEST(ReadFile, GivesEveryByte) {
  const fs::path path = support::temporary_path("read_file");
  for (const size_t bytes : {size_t{0}, size_t{1}, size_t{16384}, size_t{100000}}) {
    std::string content(bytes, 'x');
    if (bytes > 1) content[bytes / 2] = '\0';
    std::ofstream(path, std::ios::binary) << content;
    const auto got = read_file(path);
    ASSERT_TRUE(got) << got.status().message();
    EXPECT_EQ(*got, content);
  }
  fs::remove(path);
}

TEST(ReadFile, SaysWhyNot) {
  EXPECT_EQ(read_file("/nonexistent/file").status().message(),
            "/nonexistent/file: No such file or directory");
  EXPECT_EQ(read_file("/").status().message(), "/: Is a directory");
}

TEST(ReadFile, DoesNotWaitForAPipe) {
  const fs::path path = support::temporary_path("read_file_pipe");
  ASSERT_EQ(mkfifo(path.c_str(), S_IRUSR | S_IWUSR), 0);
  const auto got = read_file(path);
  fs::remove(path);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.status().code(), Code::invalid_argument);
  EXPECT_EQ(got.status().message(), path.string() + ": is not a regular file");
}

TEST(ReplaceFile, LeavesTheOldOrTheNew) {
  const fs::path folder = support::temporary_path("replace_file");
  fs::create_directory(folder);
  const std::string name = folder / "file";
  ASSERT_TRUE(replace_file(name, "first"));
  fs::permissions(name, fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_TRUE(replace_file(name, std::string(100000, 'x')));
  EXPECT_EQ(read_file(name).value().size(), 100000u);
  EXPECT_EQ(fs::status(name).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1)
      << "nothing is left beside it";
  EXPECT_NE(replace_file(folder / "none" / "file", "x").message().find("cannot write beside"),
            std::string::npos);
  EXPECT_TRUE(check_replaceable(name));
  EXPECT_TRUE(check_replaceable(folder / "new"));
  EXPECT_EQ(check_replaceable(folder / "none" / "file").message(),
            "cannot write " + (folder / "none" / "file").string() + ": No such file or directory");
  fs::remove_all(folder);
}

TEST(ReplaceFile, LinksStayLinks) {
  const fs::path folder = support::temporary_path("replace_link");
  fs::create_directories(folder / "elsewhere");
  const fs::path target = folder / "elsewhere" / "file", link = folder / "link";
  std::ofstream(target) << "old";
  fs::create_symlink(target, link);
  ASSERT_TRUE(replace_file(link, "new"));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_file(target).value(), "new");
  fs::remove_all(folder);
}

TEST(ReplaceFile, WritesIntoWhatIsNoFile) {
  const fs::path path = support::temporary_path("replace_pipe");
  ASSERT_EQ(mkfifo(path.c_str(), S_IRUSR | S_IWUSR), 0);
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  EXPECT_TRUE(replace_file(path, "text"));
  EXPECT_TRUE(fs::is_fifo(path));
  std::array<char, 8> got{};
  EXPECT_EQ(read(reader, got.data(), got.size()), 4);
  EXPECT_STREQ(got.data(), "text");
  EXPECT_TRUE(check_replaceable(path));
  close(reader);
  fs::remove(path);
  for (const Status& status : {replace_file("/", "x"), check_replaceable("/")})
    EXPECT_EQ(status.message(), "cannot write /: Is a directory");
}

}  // namespace
}  // namespace tutti::base
