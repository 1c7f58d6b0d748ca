#include "mpi/bootstrap/pmi_wire.hpp"

#include <gtest/gtest.h>

namespace tutti::mpi {
namespace {

std::string got(std::string_view line) {
  const auto result = pmi_get_result(line);
  if (!result) return "error";
  const std::optional<std::string>& value = *result;
  return value ? "'" + *value + "'" : "nothing";
}

TEST(PmiWire, AValueEndsAtABlank) {
  constexpr std::string_view k_line = "cmd=my_kvsname kvsname=kvs_1_0_123_host\n";
  EXPECT_EQ(pmi_value(k_line, "cmd"), "my_kvsname");
  EXPECT_EQ(pmi_value(k_line, "kvsname"), "kvs_1_0_123_host");
  EXPECT_EQ(pmi_value(k_line, "kvs"), std::nullopt);
  EXPECT_EQ(pmi_value("cmd=a value= rc=0\n", "value"), "");
  EXPECT_EQ(pmi_value("cmd=a value=b=c\n", "value"), "b=c");
}

TEST(PmiWire, AnAnswerHasItsNameAndNoError) {
  EXPECT_TRUE(
      check_pmi_answer("cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n", "response_to_init"));
  EXPECT_TRUE(check_pmi_answer("cmd=my_kvsname kvsname=a\n", "my_kvsname"));
  EXPECT_FALSE(check_pmi_answer("cmd=response_to_init rc=-1\n", "response_to_init"));
  EXPECT_FALSE(check_pmi_answer("cmd=maxes\n", "response_to_init"));
  EXPECT_FALSE(check_pmi_answer("", "response_to_init"));
}

TEST(PmiWire, AKeyIsThereOrNot) {
  EXPECT_EQ(got("cmd=get_result rc=0 msg=success value=0.1.0-ab12\n"), "'0.1.0-ab12'");
  EXPECT_EQ(got("cmd=get_result rc=0 value=a\n"), "'a'");
  EXPECT_EQ(got("cmd=get_result rc=-1 msg=key_tutti-3_not_found value=unknown\n"), "nothing");
  EXPECT_EQ(got("cmd=get_result rc=0 found=FALSE\n"), "nothing");
}

TEST(PmiWire, WhatIsNoAnswerSaysNothing) {
  for (const char* line : {"", "\n", "cmd=barrier_out\n", "get_result rc=-1\n", "0.1.0"})
    EXPECT_EQ(got(line), "error") << line;
}

}  // namespace
}  // namespace tutti::mpi
