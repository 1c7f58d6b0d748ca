#include "mpi/native/library_version.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tutti::mpi {
namespace {

std::string in_words(std::string_view text) {
  const LibraryVersion version = parse_library_version(text);
  return std::string(version.name) + ' ' + std::to_string(version.major) + '.' +
         std::to_string(version.minor) + '.' + std::to_string(version.patch);
}

TEST(LibraryVersion, IsReadFromWhatEachMpiSays) {
  EXPECT_EQ(
      in_words("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022"),
      "Open MPI 4.1.4");
  EXPECT_EQ(in_words("Open MPI v5.0.7, package: Debian OpenMPI, ident: 5.0.7"), "Open MPI 5.0.7");
  EXPECT_EQ(in_words("Open MPI v5.1.0a1, package: Open MPI"), "Open MPI 5.1.0");
  EXPECT_EQ(
      in_words(
          "MPICH Version:      4.0.2\nMPICH Release date: Thu Apr  7 12:34:45 CDT 2022\nMPICH ABI: 14:2:2"),
      "MPICH 4.0.2");
  EXPECT_EQ(in_words("MPICH Version:\t4.2.1"), "MPICH 4.2.1");
  EXPECT_EQ(in_words("MPICH Version:      4.3.0b1\n"), "MPICH 4.3.0");
  EXPECT_EQ(in_words("Intel(R) MPI Library 2021.5 for Linux* OS\n"), "Intel MPI 2021.5.0");
  EXPECT_EQ(in_words("MVAPICH2 Version      :\t2.3.7\nMVAPICH2 Release date : Wed March 02"),
            "MVAPICH 2.3.7");
  EXPECT_EQ(in_words("MPI VERSION    : CRAY MPICH version 8.1.12.9 (ANL base 3.4a2)\nMPI BUILD INFO : Wed"),
            "Cray MPICH 8.1.12");
}

TEST(LibraryVersion, IsNotInventedWhereNoneIsSaid) {
  EXPECT_EQ(in_words(""), "an unknown MPI 0.0.0");
  EXPECT_EQ(in_words("MPICH"), "MPICH 0.0.0");
  EXPECT_EQ(in_words("MPICH Version: unreleased development copy\nMPICH ABI: 0:0"), "MPICH 0.0.0");
  EXPECT_EQ(in_words("Open MPI v99999999999.1"), "Open MPI 0.0.0");
  EXPECT_EQ(in_words("Some MPI 7.1"), "an unknown MPI 0.0.0");
}

}  // namespace
}  // namespace tutti::mpi
