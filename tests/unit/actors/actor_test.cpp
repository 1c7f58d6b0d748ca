// Programs as threads: each has variables, streams and an end of its own.

#include "actors/loader/actor.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "actors/loader/link_namespace.hpp"
#include "base/file.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/temporary.hpp"

namespace tutti::actors {
namespace {

std::string program(const std::string& name) {
  return std::string(TUTTI_PROGRAMS) + "/" + name;
}

std::string output_of(int rank) {
  return support::temporary_path("rank" + std::to_string(rank)).string();
}

base::Result<ProgramCopy> copy_of(const ProgramImage& image,
                                  CopyChanges changes = {.first_libraries = {TUTTI_GUEST}, .libraries = {}}) {
  auto copy = ProgramCopy::make(image, changes);
  if (!copy) ADD_FAILURE() << copy.status().message();
  return copy;
}

/// Runs a program as `count` threads at once; `arguments` after its name, and the name of its output before them.
std::vector<int> run(const std::string& name, int count, const std::vector<std::string>& arguments,
                     bool has_output = true) {
  const auto image = ProgramImage::read(program(name));
  if (!image || !image->can_run_as_thread()) {
    ADD_FAILURE() << image.status().message() << image->can_run_as_thread().message();
    return {};
  }
  const auto copy = copy_of(*image);
  std::deque<Actor> actors;
  for (int rank = 0; rank < count; ++rank) {
    ActorOptions options{.arguments = {name},
                         .environment = {"RANK_NAME=r" + std::to_string(rank), "PATH=/bin"}};
    if (has_output) options.arguments.push_back(output_of(rank));
    options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
    actors.emplace_back(*copy, options);
  }
  for (Actor& actor : actors) {
    const base::Status status = actor.loaded();
    if (!status) ADD_FAILURE() << status.message();
  }
  std::vector<int> ends;
  for (Actor& actor : actors) actor.begin();
  for (Actor& actor : actors) ends.push_back(actor.wait());
  return ends;
}

/// The debug information of a program may be many times as large as its loaded part.
TEST(ProgramCopy, HasWhatIsLoadedAlone) {
  constexpr uintmax_t k_debugger_bytes = uintmax_t{1} << 30;
  const std::filesystem::path large = support::temporary_path("large");
  std::filesystem::copy_file(program("actor_endings"), large,
                             std::filesystem::copy_options::overwrite_existing);
  const uintmax_t bytes = std::filesystem::file_size(large);
  std::filesystem::resize_file(large, bytes + k_debugger_bytes);
  const auto image = ProgramImage::read(large.string());
  ASSERT_TRUE(image) << image.status().message();
  const auto copy = copy_of(*image);
  ASSERT_TRUE(copy);
  EXPECT_LT(std::filesystem::file_size(copy->file_name()), bytes + (uintmax_t{1} << 20));
}

TEST(Actor, VariablesOfC) {
  for (const int status : run("actor_variables_c", 4, {TUTTI_PLUGIN, "-a", "value"})) EXPECT_EQ(status, 3);
  for (int rank = 0; rank < 4; ++rank) {
    const std::string name = "r" + std::to_string(rank) + "!";
    EXPECT_EQ(base::read_file(output_of(rank)).value(),
              "own 345 constructed 5\nlinked 108 12\nplugin 108\noptions 1 optind 3\n" + name + " 7 1\nend " +
                  name + "\ndestroyed\n");
  }
}

TEST(Actor, VariablesOfCpp) {
  if (test::k_knows_all_threads)
    GTEST_SKIP() << "the program begins a thread by a C library that is not ours";
  for (const int status : run("actor_variables_cpp", 4, {TUTTI_PLUGIN})) EXPECT_EQ(status, 4);
  for (int rank = 0; rank < 4; ++rank)
    EXPECT_EQ(base::read_file(output_of(rank)).value(),
              "numbers 4 counts 1 thrown 3\nthreads 104 107\nplugin 104 r" + std::to_string(rank) +
                  "\ndestroyed in function\ndestroyed in file\n");
}

#ifdef TUTTI_HAS_FORTRAN
TEST(Actor, VariablesOfFortran) {
  for (const int status : run("actor_variables_fortran", 4, {})) EXPECT_EQ(status, 6);
  for (int rank = 0; rank < 4; ++rank)
    EXPECT_EQ(base::read_file(output_of(rank)).value(),
              "saved 1 common 1 module 6 grown 21\nsaved 2 common 1 module 6 grown 21\n"
              "saved 3 common 1 module 6 grown 21\n");
}
#endif

TEST(Actor, AsManyAsThereAreNamespaces) {
  for (const int status : run("actor_endings", k_most_namespaces, {"exit"}, false)) EXPECT_EQ(status, 5);
}

TEST(Actor, TheseTestsRunAsContainersDo) {
  EXPECT_STREQ(std::getenv("GLIBC_TUNABLES"), k_loader_tunables);
}

TEST(Actor, OneMoreIsRefused) {
  const auto image = ProgramImage::read(program("actor_endings"));
  const auto copy = copy_of(*image);
  std::deque<Actor> actors;
  for (int i = 0; i <= k_most_namespaces; ++i)
    actors.emplace_back(*copy, ActorOptions{.arguments = {"x"}, .environment = {}});
  int refused = 0;
  for (Actor& actor : actors) {
    const base::Status status = actor.loaded();
    if (status) continue;
    ++refused;
    EXPECT_NE(status.message().find("namespace"), std::string::npos) << status.message();
  }
  EXPECT_EQ(refused, 1);
}

TEST(Actor, Endings) {
  EXPECT_EQ(run("actor_endings", 1, {"return"}, false).front(), 44);
  EXPECT_EQ(run("actor_endings", 1, {"exit"}, false).front(), 5);
  EXPECT_EQ(run("actor_endings", 1, {"_exit"}, false).front(), 6);
  EXPECT_EQ(run("actor_endings", 1, {"fork"}, false).front(), 8);
}

/// Endings that natively end the process inside the C library.
TEST(Actor, OtherEndings) {
  EXPECT_EQ(run("actor_endings", 1, {"errx"}, false).front(), 11);
  EXPECT_EQ(run("actor_endings", 1, {"argp"}, false).front(), 0);
  EXPECT_EQ(run("actor_endings", 1, {"quick_exit", output_of(0)}, false).front(), 10);
  EXPECT_EQ(base::read_file(output_of(0)).value(), "quick");
  EXPECT_EQ(run("actor_endings", 1, {"on_exit", output_of(1)}, false).front(), 9);
  EXPECT_EQ(base::read_file(output_of(1)).value(), "handled");
  EXPECT_EQ(run("actor_endings", 1, {"exec"}, false).front(), 13);
}

TEST(Actor, EndsWithItsLastThread) {
  if (test::k_knows_all_threads)
    GTEST_SKIP() << "the program begins a thread by a C library that is not ours";
  EXPECT_EQ(run("actor_endings", 1, {"pthread_exit", output_of(0)}, false).front(), 0);
  EXPECT_EQ(base::read_file(output_of(0)).value(), "late");
}

TEST(Actor, ItsThreadsEndWithIt) {
  if (test::k_knows_all_threads)
    GTEST_SKIP() << "the program begins a thread by a C library that is not ours";
  EXPECT_EQ(run("actor_endings", 1, {"detached", output_of(0)}, false).front(), 12);
  const size_t written = base::read_file(output_of(0)).value().size();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(base::read_file(output_of(0)).value().size(), written);
}

TEST(Actor, DestructorsMayWait) {
  if (test::k_knows_all_threads)
    GTEST_SKIP() << "the program begins a thread by a C library that is not ours";
  EXPECT_EQ(run("actor_endings", 1, {"destructor", output_of(0)}, false).front(), 14);
  EXPECT_EQ(base::read_file(output_of(0)).value(), "destroyed");
}

TEST(Actor, WaitsForItsOwnChildren) {
  for (const int status : run("actor_endings", 4, {"children"}, false)) EXPECT_EQ(status, 0);
}

TEST(Actor, OpensLibrariesForAllAndItself) {
  const std::string done = output_of(0);
  for (const int status : run("actor_opening", 3, {done, TUTTI_PLUGIN}, false)) EXPECT_EQ(status, 21);
}

int end_of_early_exit() {
  const auto image = ProgramImage::read(program("actor_early_exit"));
  const auto copy = copy_of(*image);
  std::promise<int> ended;
  Actor actor(*copy, {.arguments = {"x"}, .environment = {"RANK_NAME=r0"}, .ended = [&ended](int status) {
                        ended.set_value(status);
                      }});
  _exit(ended.get_future().get());  // the actor's thread has the loader's lock for ever
}

TEST(ActorDeathTest, AConstructorEndsIt) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(end_of_early_exit(), testing::ExitedWithCode(15), "");
}

TEST(ActorDeathTest, OnlyItsFirstThreadCanEndIt) {
  if (test::k_knows_all_threads)
    GTEST_SKIP() << "the program begins a thread by a C library that is not ours";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(run("actor_endings", 1, {"thread"}, false),
              testing::ExitedWithCode(Actor::k_foreign_exit_status), "only the rank's first thread");
}

TEST(Actor, OneThatNeverBegins) {
  const auto image = ProgramImage::read(program("actor_endings"));
  const auto copy = copy_of(*image);
  Actor actor(*copy, {.arguments = {"x"}, .environment = {}});
  EXPECT_TRUE(actor.loaded());
}

TEST(Actor, WithoutItsGuest) {
  const auto image = ProgramImage::read(program("actor_endings"));
  const auto copy = copy_of(*image, {.first_libraries = {"/nowhere/guest.so"}, .libraries = {}});
  Actor actor(*copy, {.arguments = {"x"}, .environment = {}});
  EXPECT_NE(actor.loaded().message().find("/nowhere/guest.so"), std::string::npos);
}

TEST(Actor, ALibraryInThePlaceOfAnother) {
  const auto image = ProgramImage::read(program("actor_variables_c"));
  const auto copy = copy_of(
      *image, {.first_libraries = {TUTTI_GUEST}, .libraries = {{"libactor_linked.so", "/nowhere/other.so"}}});
  Actor actor(*copy, {.arguments = {"x"}, .environment = {}});
  EXPECT_NE(actor.loaded().message().find("/nowhere/other.so"), std::string::npos);
}

std::string refusal(const std::string& name) {
  const auto image = ProgramImage::read(program(name));
  return image ? image->can_run_as_thread().message() : image.status().message();
}

TEST(ProgramImage, WhatCannotRunAsAThread) {
  EXPECT_NE(refusal("actor_static").find("linked statically"), std::string::npos) << refusal("actor_static");
  EXPECT_NE(refusal("actor_not_pie").find("fixed address"), std::string::npos) << refusal("actor_not_pie");
  EXPECT_NE(refusal("actor_thread_local").find("thread-local"), std::string::npos);
  EXPECT_EQ(refusal("actor_variables_c"), "");
}

TEST(ProgramImage, WhatAProgramTakesFromLibraries) {
  const auto image = ProgramImage::read(program("actor_variables_c"));
  ASSERT_TRUE(image) << image.status().message();
  const auto has = [](std::span<const std::string> names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  };
  EXPECT_TRUE(has(image->libraries(), "libactor_linked.so"));
  EXPECT_TRUE(has(image->undefined_symbols(), "actor_linked_count"));
  EXPECT_FALSE(has(image->undefined_symbols(), "main"));
}

TEST(ProgramImage, OtherFiles) {
  EXPECT_NE(ProgramImage::read("/etc/passwd").status().message().find("no program"), std::string::npos);
  EXPECT_FALSE(ProgramImage::read("/nowhere/program"));
  EXPECT_FALSE(ProgramImage::parse("empty", {}));
}

}  // namespace
}  // namespace tutti::actors
