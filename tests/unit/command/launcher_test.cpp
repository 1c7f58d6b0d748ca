// Launch lines: where the program stands, and how Tutti reaches the ranks and only them.

#include "command/launcher.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include "tests/support/temporary.hpp"
#include "tests/unit/command/support.hpp"

namespace tutti::command {
namespace {

namespace fs = std::filesystem;

std::string joined(const Words& line) {
  std::string text;
  for (const std::string& word : line) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// The programs that are found in a line, in order.
std::string programs(Launcher launcher, const std::string& text) {
  const Words line = words(text);
  Words found;
  for (const size_t position : command_positions(launcher, line)) found.push_back(line.at(position));
  return joined(found);
}

std::string under_tutti(Launcher launcher, const std::string& text) {
  return joined(with_environment(launcher, words(text), "T.so", {{"TUTTI_WAIT", "spin"}}));
}

TEST(FileOfPrograms, EachLineHasWhatTheLineWouldHave) {
  const auto under = [](std::string_view text) {
    return program_file_with_environment(text, "T.so", {{"TUTTI_REPORT", "a b;c"}, {"TUTTI_WAIT", "spin"}});
  };
  const std::string ours = " -x TUTTI_REPORT -x TUTTI_WAIT";
  EXPECT_EQ(under("# all of it\n\n-n 1  -x OWN=1 ./a \"b c\" # rest\n  // no\n-n 2 ./b -x A"),
            "-x LD_PRELOAD=T.so" + ours + " -n 1 -x OWN=1 ./a \"b c\"\n-x LD_PRELOAD=T.so" + ours +
                " -n 2 ./b -x A\n");
  EXPECT_EQ(under("-n 1 -x LD_PRELOAD=mine.so ./a -x LD_PRELOAD=b : c\n"),
            "-x LD_PRELOAD=T.so:mine.so" + ours + " -n 1 ./a -x LD_PRELOAD=b : c\n");
  EXPECT_EQ(under(""), "");
}

TEST(EnvironmentLists, AreTakenOutOfTheLine) {
  Words line = words(
      "mpirun --mca btl self -n 2 -mca mca_base_env_list A=1;LD_PRELOAD=t.so;B=c=d;NOT_THERE -x "
      "C ./a --mca mca_base_env_list D=1");
  EXPECT_EQ(take_environment_lists(&line), (Environment{{"A", "1"}, {"LD_PRELOAD", "t.so"}, {"B", "c=d"}}));
  EXPECT_EQ(joined(line), "mpirun --mca btl self -n 2 -x C ./a --mca mca_base_env_list D=1");
  EXPECT_EQ(variables_of_list("PATH"), (Environment{{"PATH", std::getenv("PATH")}}));
  EXPECT_EQ(variables_of_list(""), Environment{});
}

class Identify : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  /// An executable of that name that prints `version`.
  std::string launcher(const std::string& name, const std::string& version = "") {
    const fs::path path = folder_ / name;
    std::ofstream(path) << "#!/bin/sh\necho '" << version << "'\n";
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  std::string link(const std::string& name, const std::string& target) {
    fs::create_symlink(target, folder_ / name);
    return folder_ / name;
  }

 private:
  const fs::path folder_ =
      support::temporary_path(testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(Identify, ByName) {
  EXPECT_EQ(identify(launcher("mpirun.mpich")), Launcher::hydra);
  EXPECT_EQ(identify(launcher("mpiexec.hydra")), Launcher::hydra);
  EXPECT_EQ(identify(launcher("mpiexec.openmpi")), Launcher::openmpi);
  EXPECT_EQ(identify(launcher("orterun")), Launcher::openmpi);
  EXPECT_EQ(identify(launcher("srun")), Launcher::slurm);
  EXPECT_EQ(identify(launcher("prterun")), Launcher::openmpi);
  EXPECT_EQ(identify_line({launcher("flux"), "run", "./a.out"}), Launcher::flux);
  EXPECT_EQ(identify_line({launcher("flux"), "batch", "./job.sh"}), Launcher::none);
  EXPECT_EQ(identify(launcher("my_program")), Launcher::none);
}

TEST_F(Identify, ByWhatALinkPointsTo) {
  const std::string real = launcher("mpirun.openmpi");
  EXPECT_EQ(identify(link("mpirun", link("alternative", real))), Launcher::openmpi);
}

TEST_F(Identify, ByVersionWhereTheNameSaysNothing) {
  EXPECT_EQ(identify(launcher("mpirun", "HYDRA build details:")), Launcher::hydra);
  EXPECT_EQ(identify(launcher("mpiexec", "mpirun (Open MPI) 4.1.4")), Launcher::openmpi);
  EXPECT_EQ(identify(launcher("mpiexec.it's mine", "something else")), Launcher::none);
}

TEST_F(Identify, WhatDoesNotExistIsNoLauncher) {
  EXPECT_EQ(identify("/nonexistent/mpirun.mpich"), Launcher::none);
  EXPECT_EQ(identify(""), Launcher::none);
}

TEST(MpiOf, TheTwoThatBelongToAnMpi) {
  EXPECT_EQ(mpi_of(Launcher::hydra), Mpi::mpich);
  EXPECT_EQ(mpi_of(Launcher::openmpi), Mpi::openmpi);
  EXPECT_EQ(mpi_of(Launcher::slurm), std::nullopt);
  EXPECT_EQ(mpi_of(Launcher::none), std::nullopt);
}

TEST(ProgramPositions, Hydra) {
  EXPECT_EQ(programs(Launcher::hydra, "mpirun -n 4 ./a -n 5"), "./a");
  EXPECT_EQ(programs(Launcher::hydra, "mpirun -genv A b -hosts x,y --ppn 2 -prepend-rank ./a"), "./a");
  EXPECT_EQ(programs(Launcher::hydra, "mpirun -genv A=b -env C=d -n 4 ./a"), "./a");
  EXPECT_EQ(programs(Launcher::hydra, "mpirun -n 1 ./a x : -n 2 ./b : ./c"), "./a ./b ./c");
  EXPECT_EQ(programs(Launcher::hydra, "mpirun -n 4"), "");
  EXPECT_EQ(programs(Launcher::hydra, "mpirun -n"), "");
  EXPECT_EQ(programs(Launcher::hydra, "mpirun"), "");
}

TEST(ProgramPositions, OpenMpi) {
  EXPECT_EQ(programs(Launcher::openmpi, "mpirun --mca btl tcp,self -x A=b --oversubscribe -np 2 ./a --np 3"),
            "./a");
  EXPECT_EQ(programs(Launcher::openmpi, "mpirun --map-by ppr:1:node --bind-to none -H x:2 ./a"), "./a");
  EXPECT_EQ(programs(Launcher::openmpi, "mpirun -n 1 ./a : -n 2 -x B=c ./b"), "./a ./b");
}

TEST(ProgramPositions, Slurm) {
  EXPECT_EQ(programs(Launcher::slurm, "srun -n 4 --mpi pmi2 --nodes=2 ./a -n 1"), "./a");
  EXPECT_EQ(programs(Launcher::slurm, "srun -n4 --exclusive ./a"), "./a");
}

TEST(ProgramPositions, Flux) {
  EXPECT_EQ(programs(Launcher::flux, "flux run -n 4 -o mpi=none --env A=b -N2 --exclusive ./a -n 1 : x"),
            "./a");
  EXPECT_EQ(programs(Launcher::flux, "flux run -n 4"), "");
}

TEST(ProgramPositions, OpenMpi5) {
  EXPECT_EQ(programs(Launcher::openmpi,
                     "prterun --np 4 --prtemca plm ssh --pmixmca gds hash --map-by :OVERSUBSCRIBE ./a"),
            "./a");
}

TEST(ProgramPositions, WithoutALauncherTheFirstWord) {
  EXPECT_EQ(programs(Launcher::none, "./nonexistent x y"), "./nonexistent");
  EXPECT_EQ(programs(Launcher::none, ""), "");
}

TEST(WithEnvironment, Hydra) {
  EXPECT_EQ(under_tutti(Launcher::hydra, "mpirun -n 4 ./a x"),
            "mpirun -genv LD_PRELOAD T.so -genv TUTTI_WAIT spin -n 4 ./a x");
  EXPECT_EQ(under_tutti(Launcher::hydra, "mpirun -n 1 ./a : -n 2 ./b"),
            "mpirun -genv LD_PRELOAD T.so -genv TUTTI_WAIT spin -n 1 ./a : -n 2 ./b");
}

TEST(WithEnvironment, HydraKeepsWhatTheLinePreloads) {
  const std::string expected = "mpirun -genv LD_PRELOAD T.so:u.so -genv TUTTI_WAIT spin -n 4 ./a";
  EXPECT_EQ(under_tutti(Launcher::hydra, "mpirun -genv LD_PRELOAD u.so -n 4 ./a"), expected);
  EXPECT_EQ(under_tutti(Launcher::hydra, "mpirun -n 4 -env LD_PRELOAD=u.so ./a"), expected);
  EXPECT_EQ(under_tutti(Launcher::hydra, "mpirun -genv LD_PRELOAD u.so -env LD_PRELOAD v.so ./a"),
            "mpirun -genv LD_PRELOAD T.so:v.so:u.so -genv TUTTI_WAIT spin ./a");
  EXPECT_EQ(under_tutti(Launcher::hydra, "mpirun ./a : -env LD_PRELOAD u.so ./b"),
            "mpirun -genv LD_PRELOAD T.so -genv TUTTI_WAIT spin ./a : "
            "-env LD_PRELOAD T.so:u.so -env TUTTI_WAIT spin ./b");
}

TEST(WithEnvironment, OpenMpiNeedsItPerContext) {
  EXPECT_EQ(under_tutti(Launcher::openmpi, "mpirun -n 1 ./a x : -n 2 ./b"),
            "mpirun -x LD_PRELOAD=T.so -x TUTTI_WAIT=spin -n 1 ./a x : "
            "-x LD_PRELOAD=T.so -x TUTTI_WAIT=spin -n 2 ./b");
}

TEST(WithEnvironment, OpenMpiKeepsWhatTheLinePreloads) {
  EXPECT_EQ(
      under_tutti(Launcher::openmpi, "mpirun -x LD_PRELOAD=u.so ./a : ./b"),
      "mpirun -x LD_PRELOAD=T.so:u.so -x TUTTI_WAIT=spin ./a : -x LD_PRELOAD=T.so -x TUTTI_WAIT=spin ./b");
  EXPECT_EQ(under_tutti(Launcher::openmpi, "mpirun -x LD_PRELOAD -n 2 ./a"),
            "mpirun -x LD_PRELOAD=T.so -x TUTTI_WAIT=spin -n 2 ./a");
}

TEST(WithEnvironment, ArgumentsOfTheProgramAreItsOwn) {
  EXPECT_EQ(under_tutti(Launcher::openmpi, "mpirun ./a -x LD_PRELOAD=u.so"),
            "mpirun -x LD_PRELOAD=T.so -x TUTTI_WAIT=spin ./a -x LD_PRELOAD=u.so");
  EXPECT_EQ(under_tutti(Launcher::slurm, "srun ./a --export=u"),
            "env TUTTI_WAIT=spin srun --export=ALL,LD_PRELOAD=T.so ./a --export=u");
}

TEST(WithEnvironment, ALauncherWhoseProgramIsStillToCome) {
  EXPECT_EQ(under_tutti(Launcher::hydra, "mpirun -n 4"),
            "mpirun -genv LD_PRELOAD T.so -genv TUTTI_WAIT spin -n 4");
}

TEST(WithEnvironment, SlurmPreloadsForTheRanksOnly) {
  EXPECT_EQ(under_tutti(Launcher::slurm, "srun -n 4 ./a"),
            "env TUTTI_WAIT=spin srun --export=ALL,LD_PRELOAD=T.so -n 4 ./a");
  EXPECT_EQ(under_tutti(Launcher::slurm, "srun --export=ALL,A=b ./a"),
            "env TUTTI_WAIT=spin srun --export=ALL,A=b,LD_PRELOAD=T.so ./a");
  EXPECT_EQ(under_tutti(Launcher::slurm, "srun --export ALL,LD_PRELOAD=u.so ./a"),
            "env TUTTI_WAIT=spin srun --export ALL,LD_PRELOAD=T.so:u.so ./a");
}

TEST(WithEnvironment, EveryComponentOfASlurmLine) {
  EXPECT_EQ(under_tutti(Launcher::slurm, "srun -n 1 ./a x : -n 2 --export=A=b ./b : ./c"),
            "env TUTTI_WAIT=spin srun --export=ALL,LD_PRELOAD=T.so -n 1 ./a x : -n 2 "
            "--export=A=b,TUTTI_WAIT,LD_PRELOAD=T.so ./b : --export=ALL,LD_PRELOAD=T.so ./c");
  EXPECT_EQ(under_tutti(Launcher::slurm, "srun -n 2"),
            "env TUTTI_WAIT=spin srun --export=ALL,LD_PRELOAD=T.so -n 2");
}

TEST(WithEnvironment, SlurmListsThatHoldTheEnvironmentBack) {
  EXPECT_EQ(under_tutti(Launcher::slurm, "srun --export=A,B=c ./a"),
            "env TUTTI_WAIT=spin srun --export=A,B=c,TUTTI_WAIT,LD_PRELOAD=T.so ./a");
  EXPECT_EQ(under_tutti(Launcher::slurm, "srun --export=NONE ./a"),
            "env TUTTI_WAIT=spin srun --export=TUTTI_WAIT,LD_PRELOAD=T.so ./a");
}

TEST(WithEnvironment, FluxTakesRulesOfWhichTheLastWins) {
  EXPECT_EQ(under_tutti(Launcher::flux, "flux run -n 4 --env=-* ./a --env=B=c"),
            "flux run -n 4 --env=-* --env=LD_PRELOAD=T.so --env=TUTTI_WAIT=spin ./a --env=B=c");
  EXPECT_EQ(under_tutti(Launcher::flux, "flux run --env=LD_PRELOAD=u.so --env LD_PRELOAD=$V.so -n 2 ./a"),
            "flux run -n 2 --env=LD_PRELOAD=T.so:$V.so --env=TUTTI_WAIT=spin ./a");
  EXPECT_EQ(under_tutti(Launcher::flux, "flux run -n 2"),
            "flux run -n 2 --env=LD_PRELOAD=T.so --env=TUTTI_WAIT=spin");
  EXPECT_EQ(joined(with_environment(Launcher::flux, words("flux run ./a"), "$T.so", {})),
            "flux run --env=LD_PRELOAD=$$T.so ./a");
}

TEST(WithEnvironment, WithoutALauncher) {
  EXPECT_EQ(under_tutti(Launcher::none, "./nonexistent x"),
            "env LD_PRELOAD=T.so TUTTI_WAIT=spin ./nonexistent x");
}

TEST(WithEnvironment, WhatStandsInFrontOfAProgramStays) {
  EXPECT_EQ(under_tutti(Launcher::openmpi, "mpirun -n 1 env A=b ./a : -n 2 nice ./b"),
            "mpirun -x LD_PRELOAD=T.so -x TUTTI_WAIT=spin -n 1 env A=b ./a : "
            "-x LD_PRELOAD=T.so -x TUTTI_WAIT=spin -n 2 nice ./b");
  EXPECT_EQ(under_tutti(Launcher::none, "timeout 60 ./nonexistent x"),
            "timeout 60 env LD_PRELOAD=T.so TUTTI_WAIT=spin ./nonexistent x");
}

TEST(StaysOnMachine, UnlessSomethingNamesOthers) {
  const auto stays = [](Launcher launcher, const std::string& text) {
    return stays_on_machine(launcher, words(text));
  };
  EXPECT_TRUE(stays(Launcher::hydra, "mpirun -n 2 ./a -hosts x"));
  EXPECT_TRUE(stays(Launcher::openmpi, "mpirun -x A=b -n 2 ./a : ./b -H x"));
  EXPECT_FALSE(stays(Launcher::hydra, "mpirun -n 2 -hosts x ./a"));
  EXPECT_FALSE(stays(Launcher::openmpi, "mpirun -n 1 ./a : --hostfile f ./b"));
  EXPECT_FALSE(stays(Launcher::slurm, "srun -n 2 ./a"));
  EXPECT_FALSE(stays(Launcher::flux, "flux run -n 2 ./a"));
  EXPECT_TRUE(stays(Launcher::none, "./a"));
}

TEST(Threads, AProgramInFrontOfEach) {
  const auto in_front = [](Launcher launcher, const std::string& text) {
    return joined(
        with_program_in_front(launcher, words(text), "/x/actors", {{"TUTTI_ACTORS_PER_PROCESS", "4"}}));
  };
  EXPECT_EQ(in_front(Launcher::hydra, "mpirun -n 4 ./a b"),
            "mpirun -n 4 env TUTTI_ACTORS_PER_PROCESS=4 /x/actors ./a b");
  EXPECT_EQ(in_front(Launcher::openmpi, "mpirun -n 2 ./a 1 : -n 3 ./b"),
            "mpirun -n 2 env TUTTI_ACTORS_PER_PROCESS=4 /x/actors ./a 1 : -n 3 env "
            "TUTTI_ACTORS_PER_PROCESS=4 /x/actors ./b");
  EXPECT_EQ(in_front(Launcher::hydra, "mpirun -n 2 timeout 5 ./a b"),
            "mpirun -n 2 timeout 5 env TUTTI_ACTORS_PER_PROCESS=4 /x/actors ./a b");
  EXPECT_EQ(in_front(Launcher::slurm, "srun -n 2 ./a"),
            "srun -n 2 env TUTTI_ACTORS_PER_PROCESS=4 /x/actors ./a");
}

}  // namespace
}  // namespace tutti::command
