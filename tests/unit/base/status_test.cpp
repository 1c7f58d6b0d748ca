#include "base/status.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <set>

namespace tutti::base {
namespace {

TEST(Status, DefaultIsSuccess) {
  const Status status;
  EXPECT_TRUE(status.is_ok());
  EXPECT_TRUE(static_cast<bool>(status));
  EXPECT_EQ(status.code(), Code::ok);
  EXPECT_EQ(status.native(), 0);
  EXPECT_EQ(status.message(), "");
}

TEST(Status, KeepsCodeMessageAndNativeError) {
  const Status status(Code::mpi, "no", 17);
  EXPECT_FALSE(status);
  EXPECT_EQ(status.code(), Code::mpi);
  EXPECT_EQ(status.native(), 17);
  EXPECT_EQ(status.message(), "no");
}

TEST(Status, NamedConstructorsHaveTheirCode) {
  EXPECT_EQ(Status::invalid_argument("x").code(), Code::invalid_argument);
  EXPECT_EQ(Status::not_supported("x").code(), Code::not_supported);
  EXPECT_EQ(Status::not_found("x").code(), Code::not_found);
  EXPECT_EQ(Status::internal("x").code(), Code::internal);
}

TEST(Status, SystemErrorsSayWhatErrnoMeans) {
  const Status status = Status::system("cannot open it", ENOENT);
  EXPECT_EQ(status.code(), Code::system);
  EXPECT_EQ(status.native(), ENOENT);
  EXPECT_EQ(status.message(), "cannot open it: No such file or directory");
}

TEST(Code, EveryCodeHasAName) {
  std::set<std::string_view> names;
  for (int code = 0; code <= static_cast<int>(Code::internal); ++code)
    names.insert(to_string(static_cast<Code>(code)));
  EXPECT_EQ(names.size(), static_cast<size_t>(Code::internal) + 1);
  EXPECT_FALSE(names.contains("unknown"));
}

TEST(Result, HoldsAValueOrAStatus) {
  Result<int> good = 4;
  ASSERT_TRUE(good);
  EXPECT_TRUE(good.status().is_ok());
  *good += 1;
  EXPECT_EQ(good.value(), 5);
  const Result<int> bad = Status::not_found("gone");
  EXPECT_FALSE(bad.is_ok());
  EXPECT_EQ(bad.status().code(), Code::not_found);
  EXPECT_EQ(bad.status().message(), "gone");
}

TEST(Result, GivesAwayWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  ASSERT_TRUE(result);
  const std::unique_ptr<int> owned = std::move(result).value();
  EXPECT_EQ(*owned, 3);
}

}  // namespace
}  // namespace tutti::base
