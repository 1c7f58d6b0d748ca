// Tests which calls a program needs.

#include "actors/process/coverage.hpp"

#include <gtest/gtest.h>

#include <array>

#include "actors/process/program_check.hpp"

namespace tutti::actors {
namespace {

TEST(Coverage, SymbolsAndTheirCalls) {
  EXPECT_EQ(call_of_symbol("MPI_Send"), "send");
  EXPECT_EQ(call_of_symbol("PMPI_Send"), "send");
  EXPECT_EQ(call_of_symbol("mpi_send_"), "send");
  EXPECT_EQ(call_of_symbol("pmpi_win_create_"), "win_create");
  EXPECT_EQ(call_of_symbol("mpi_send_f08_"), "send");
  EXPECT_EQ(call_of_symbol("MPIX_Bcast_init"), "bcast_init");
  EXPECT_EQ(call_of_symbol("printf"), "");
  EXPECT_EQ(call_of_symbol("p"), "");
  EXPECT_EQ(call_of_symbol(""), "");
  EXPECT_EQ(call_of_symbol("mpi_"), "");
}

TEST(Coverage, ProgramsThatCannotBe) {
  EXPECT_EQ(check_program("/nowhere").code(), base::Code::system);
  EXPECT_EQ(check_program("/etc/passwd").code(), base::Code::invalid_argument);
  EXPECT_TRUE(check_program("/bin/true"));
}

TEST(Coverage, NothingIsSaidOfProgramsWithoutSuchCalls) {
  const std::array<std::string_view, 1> covered = {"Send"};
  EXPECT_EQ(uncovered_text({}, covered), "");
  EXPECT_EQ(uncovered_text({{.file = "/bin/true", .begin = 0}}, covered), "");
}

}  // namespace
}  // namespace tutti::actors
