#pragma once
// Files of a test. ctest runs the tests of one program as processes of their own, side by side.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace tutti::support {

/// A path that no other running test uses. What is there when the program ends is removed.
inline std::filesystem::path temporary_path(const std::string& name) {
  struct Folder {
    Folder() {
      std::string pattern = std::filesystem::path(testing::TempDir()) / "tutti_XXXXXX";
      if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder like " + pattern);
      path = pattern;
    }
    ~Folder() {
      std::error_code ignored;
      if (getpid() == owner) std::filesystem::remove_all(path, ignored);  // not by a process that was forked
    }
    std::filesystem::path path;
    pid_t owner = getpid();
  };
  static const Folder folder;
  return folder.path / name;
}

}  // namespace tutti::support
