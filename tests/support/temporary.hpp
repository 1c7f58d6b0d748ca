#pragma once
// Files of a test. ctest runs the tests of one program as processes of their own, side by side.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace tutti::support {

/// A path that no other running test uses.
inline std::filesystem::path temporary_path(const std::string& name) {
  return std::filesystem::path(testing::TempDir()) / ("tutti_" + std::to_string(getpid()) + "_" + name);
}

}  // namespace tutti::support
