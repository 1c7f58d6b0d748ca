// Output files: whole or untouched, whatever stands in their place and whatever goes wrong.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>

#include "base/file.hpp"
#include "tests/support/temporary.hpp"

namespace tutti::base {
namespace {

namespace fs = std::filesystem;

/// A folder that lives as long as the test.
class ReplaceFile : public testing::Test {
 protected:
  ReplaceFile() { fs::create_directories(folder_); }
  ~ReplaceFile() override { fs::remove_all(folder_); }
  fs::path path(const std::string& name) const { return folder_ / name; }
  static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }
  static std::string read(const fs::path& file) {
    const auto text = read_file(file);
    return text ? *text : text.status().message();
  }
  static unsigned mode(const fs::path& file) {
    struct stat about {};
    return stat(file.c_str(), &about) == 0 ? about.st_mode & 07777u : ~0u;
  }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

 private:
  fs::path folder_ = support::temporary_path("replace_file");
};

constexpr int k_cannot = 77;

/// The body's return value, or k_cannot; in a forked child, because it changes the process.
int in_child(const std::function<int()>& body) {
  fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const int result = body();
    _exit(testing::Test::HasFailure() ? 1 : result);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

constexpr uid_t k_somebody = 54321;

/// Runs `body` as a user without privileges; k_cannot if this process cannot become one.
int as_somebody(const std::function<int()>& body) {
  return in_child([&] { return setgid(k_somebody) == 0 && setuid(k_somebody) == 0 ? body() : k_cannot; });
}

TEST_F(ReplaceFile, LeavesTheOldOrTheNew) {
  ASSERT_TRUE(replace_file(path("file"), "first"));
  fs::permissions(path("file"), fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_TRUE(replace_file(path("file"), std::string(100000, 'x')));
  EXPECT_EQ(read(path("file")).size(), 100000u);
  EXPECT_EQ(mode(path("file")), 0600u);
  EXPECT_EQ(files(), 1u) << "nothing is left beside it";
  EXPECT_TRUE(check_replaceable(path("file")));
  EXPECT_TRUE(check_replaceable(path("new")));
  const std::string none = path("none") / "file";
  for (const Status& status : {replace_file(none, "x"), check_replaceable(none)})
    EXPECT_EQ(status.message(), "cannot write " + none + ": No such file or directory");
}

TEST_F(ReplaceFile, ANewFileFollowsTheUmask) {
  for (const mode_t mask : {022, 077, 002}) {
    const mode_t before = umask(mask);
    const Status status = replace_file(path("file"), "text");
    umask(before);
    ASSERT_TRUE(status) << status.message();
    EXPECT_EQ(mode(path("file")), 0666u & ~mask);
    fs::remove(path("file"));
  }
}

TEST_F(ReplaceFile, NewContentGetsNoPrivileges) {
  write(path("file"), "old");
  ASSERT_EQ(chmod(path("file").c_str(), 06755), 0);
  ASSERT_TRUE(replace_file(path("file"), "new"));
  EXPECT_EQ(mode(path("file")), 0755u);
}

TEST_F(ReplaceFile, AFileTooLargeLeavesTheOldOne) {
  write(path("file"), "old");
  const int result = in_child([&] {
    const rlimit small{.rlim_cur = 1000, .rlim_max = 1000};
    if (setrlimit(RLIMIT_FSIZE, &small) != 0) return k_cannot;
    EXPECT_EQ(replace_file(path("file"), std::string(2000, 'x')).native(), EFBIG);
    return 0;
  });
  EXPECT_EQ(result, 0) << "SIGXFSZ ends nobody";
  EXPECT_EQ(read(path("file")), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(ReplaceFile, AFullDiskLeavesTheOldFile) {
  const int result = in_child([&] {
    if (unshare(geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0) return k_cannot;
    static_cast<void>(mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr));
    fs::create_directory(path("disk"));
    if (mount("tmpfs", path("disk").c_str(), "tmpfs", 0, "size=64k") != 0) return k_cannot;
    const fs::path file = path("disk") / "file";
    write(file, "old");
    EXPECT_EQ(replace_file(file, std::string(100'000, 'x')).message(),
              "cannot write " + file.string() + ": No space left on device");
    EXPECT_EQ(read(file), "old");
    EXPECT_EQ(std::distance(fs::directory_iterator(path("disk")), fs::directory_iterator()), 1);
    EXPECT_TRUE(replace_file(file, "new"));
    EXPECT_EQ(read(file), "new");
    return umount(path("disk").c_str());
  });
  if (result == k_cannot) GTEST_SKIP() << "needs a mount namespace";
  EXPECT_EQ(result, 0);
}

TEST_F(ReplaceFile, LinksStayLinks) {
  fs::create_directories(path("elsewhere"));
  write(path("elsewhere") / "file", "old");
  fs::create_symlink(path("elsewhere") / "file", path("absolute"));
  fs::create_symlink("absolute", path("link"));
  EXPECT_EQ(output_path(path("link")).value(), path("elsewhere") / "file");
  ASSERT_TRUE(replace_file(path("link"), "new"));
  EXPECT_TRUE(fs::is_symlink(path("link")) && fs::is_symlink(path("absolute")));
  EXPECT_EQ(read(path("elsewhere") / "file"), "new");
  fs::create_symlink("missing", path("dangling"));
  ASSERT_TRUE(replace_file(path("dangling"), "text"));
  EXPECT_EQ(read(path("missing")), "text");
  fs::create_symlink("circle", path("circle"));
  EXPECT_EQ(replace_file(path("circle"), "text").native(), ELOOP);
}

TEST_F(ReplaceFile, AnotherUsersLinkIsNotFollowedWhereEveryoneMayWrite) {
  write(path("victim"), "old");
  fs::create_directory(path("everyones"));
  ASSERT_EQ(chmod(path("everyones").c_str(), 01777), 0);
  const fs::path link = path("everyones") / "report.json";
  fs::create_symlink(path("victim"), link);
  EXPECT_TRUE(replace_file(link, "mine")) << "links of this user are";
  if (lchown(link.c_str(), k_somebody, k_somebody) != 0) GTEST_SKIP() << "needs root";
  for (const Status& status : {replace_file(link, "new"), check_replaceable(link)})
    EXPECT_EQ(status.message(), "cannot write " + link.string() + ": " + link.string() +
                                    " is a link of another user in a folder where everyone may write");
  EXPECT_EQ(read(path("victim")), "mine");
}

TEST_F(ReplaceFile, WhatOneMayNotWriteIsNotReplaced) {
  fs::permissions(path(""), fs::perms::all);
  write(path("read_only"), "old");
  fs::permissions(path("read_only"), fs::perms::owner_read | fs::perms::others_read);
  fs::create_directory(path("everyones"));
  ASSERT_EQ(chmod(path("everyones").c_str(), 01777), 0);
  const fs::path sticky = path("everyones") / "file";
  write(sticky, "old");
  fs::permissions(sticky, fs::perms::all);
  fs::permissions(path("").parent_path().parent_path(), fs::perms::others_exec, fs::perm_options::add);
  const int result = as_somebody([&] {
    for (const fs::path& file : {path("read_only"), sticky})
      for (const Status& status : {replace_file(file, "new"), check_replaceable(file)})
        EXPECT_EQ(status.message(),
                  "cannot write " + file.string() +
                      (file == sticky ? ": Operation not permitted" : ": Permission denied"));
    EXPECT_TRUE(replace_file(path("own"), "text")) << "the folder would allow it";
    return 0;
  });
  if (result == k_cannot) GTEST_SKIP() << "needs root";
  EXPECT_EQ(result, 0);
  EXPECT_EQ(read(path("read_only")), "old");
  EXPECT_EQ(read(sticky), "old");
}

TEST_F(ReplaceFile, WritesIntoWhatIsNoFile) {
  const fs::path pipe = path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), S_IRUSR | S_IWUSR), 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  EXPECT_TRUE(replace_file(pipe, "text"));
  EXPECT_TRUE(fs::is_fifo(pipe));
  std::array<char, 8> got{};
  EXPECT_EQ(::read(reader, got.data(), got.size()), 4);
  EXPECT_STREQ(got.data(), "text");
  EXPECT_TRUE(check_replaceable(pipe));
  close(reader);
  for (const Status& status : {replace_file("/", "x"), check_replaceable("/")})
    EXPECT_EQ(status.message(), "cannot write /: Is a directory");
  EXPECT_TRUE(check_replaceable("/dev/full"));
  EXPECT_EQ(replace_file("/dev/full", "text").message(), "cannot write /dev/full: No space left on device");
  EXPECT_TRUE(replace_file("/dev/null", "text"));
}

/// Like `tutti ... --out /dev/stdout > file` between other output of a script.
TEST_F(ReplaceFile, DescriptorsAreWrittenWhereTheyStand) {
  const int fd = open(path("file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(::write(fd, "before ", 7), 7);
  fs::create_symlink("/dev/fd/" + std::to_string(fd), path("link"));
  ASSERT_TRUE(replace_file(path("link"), "text "));
  ASSERT_TRUE(replace_file("/proc/self/fd/" + std::to_string(fd), "again "));
  ASSERT_EQ(::write(fd, "after", 5), 5);
  close(fd);
  EXPECT_EQ(read(path("file")), "before text again after");
  EXPECT_EQ(check_replaceable("/dev/fd/" + std::to_string(fd)).native(), EBADF);
}

TEST_F(ReplaceFile, APipeWithoutAReaderIsAnError) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  close(ends[0]);
  EXPECT_EQ(replace_file("/dev/fd/" + std::to_string(ends[1]), "text").native(), EPIPE);
  close(ends[1]);
}

}  // namespace
}  // namespace tutti::base
