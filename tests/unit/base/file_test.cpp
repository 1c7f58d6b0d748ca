#include "base/file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

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

}  // namespace
}  // namespace tutti::base
