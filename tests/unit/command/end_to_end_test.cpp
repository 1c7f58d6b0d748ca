// The command as users meet it: exit statuses, and one line for every mistake.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/file.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/temporary.hpp"
#include "tests/unit/command/support.hpp"

namespace {

namespace fs = std::filesystem;

using namespace tutti::command;

TEST(Command, WrongUsage) {
  expect_refused("unknown command 'frobnicate' (see tutti --help)", "frobnicate");
  expect_refused("unknown command 'bnch' (did you mean bench?)", "bnch -- mpirun");
  expect_refused("unknown command 'rout' (did you mean route?) (see tutti fabric --help)", "fabric rout");
  expect_refused("see tutti --help", "");
  expect_refused("see tutti schedule --help", "schedule bcast");
  expect_refused("unknown option '--algoritm' (did you mean --algorithm?) (see tutti schedule --help)",
                 "schedule bcast --algoritm chain");
  expect_refused("unexpected arguments: b c (see tutti explain --help)", "explain a b c");
  expect_refused("'dto' is none of text, dot, goal (did you mean dot?)",
                 "schedule bcast --algorithm chain --format dto");
  expect_refused("nothing to run", "run");
  expect_refused("nothing to run", "run --");
  expect_refused("run: unknown option '--rule=x' (did you mean --rules?)", "run --rule=x -- /bin/true");
  expect_refused("run: unknown option '--frobnicate' (see", "run --verbose --frobnicate /bin/true");
}

TEST(Command, DashesBeginALaunchLineOnlyWhereThereIsOne) {
  expect_refused("stray: no such command", "run stray -- /bin/true", "", 127);
  expect_refused("unexpected argument: stray", "info -- stray");
  expect_refused("-report", "explain -- -report");
  const Outcome dry = run_tutti("run --dry-run --or-natively /bin/true -x -- -y");
  EXPECT_TRUE(dry.output.ends_with(" /bin/true -x -- -y\n")) << dry.output;
}

TEST(Command, WrongPrograms) {
  expect_refused("/nonexistent/program: no such command", "run -- /nonexistent/program", "", 127);
  expect_refused("/usr is a folder, not a command", "run -- /usr", "", 126);
  const std::string text = file_with("text", "no program");
  expect_refused(text + " is not executable", "run -- '" + text + "'", "", 126);
  fs::remove(text);
  expect_refused("is statically linked", "run -- '" TUTTI_STATIC_PROGRAM "'");
}

/// make, perl and others start jobs, too.
TEST(Command, AProgramOfNoMpiRunsAsAScript) {
  const std::string line =
      "run -- perl -e 'exit(system(\"mpirun.openmpi -n 1 /bin/false\") >> 8)' more 'of its' words";
  EXPECT_EQ(run_tutti(line).status, 1);
  const Outcome none = run_tutti("run -- /bin/true");
  EXPECT_EQ(none.status, 0);
  EXPECT_NE(none.output.find("no MPI job of this command ran under Tutti"), std::string::npos) << none.output;
  EXPECT_EQ(run_tutti("run --report none -- /bin/true").output, "");
  EXPECT_EQ(run_tutti("run -- /bin/false").status, 1);
}

TEST(Command, ALauncherWithoutAProgram) {
  const std::string launcher = file_with("mpirun.mpich", "#!/bin/sh\n");
  const fs::path path = fs::path(launcher).parent_path() / "mpirun.mpich";
  fs::rename(launcher, path);
  fs::permissions(path, fs::perms::owner_all);
  expect_refused("no program in the launch line", "run -- '" + path.string() + "' -n 4");
  fs::remove(path);
}

/// An executable file that calls itself one of the launchers.
fs::path launcher_named(const std::string& name) {
  const fs::path folder = tutti::support::temporary_path("launch");
  fs::create_directories(folder);
  fs::rename(file_with(name, "#!/bin/sh\n"), folder / name);
  fs::permissions(folder / name, fs::perms::owner_all);
  return folder / name;
}

TEST(Command, EveryProgramOfALineIsLookedAt) {
  const fs::path launcher = launcher_named("mpirun.mpich");
  const std::string line = "run -- '" + launcher.string() + "' -n 1 /bin/true : -n 1 ";
  expect_refused("/nonexistent/program: no such program", line + "/nonexistent/program", "", 127);
  expect_refused("/usr is a folder, not a program", line + "/usr", "", 126);
  fs::remove_all(launcher.parent_path());
}

TEST(Command, TheMpiIsNamedWhereNothingTells) {
  const fs::path launcher = launcher_named("srun");
  const std::string line = " -- '" + launcher.string() + "' -n 2";
  expect_refused("--mpi mpich or --mpi openmpi", "run" + line + " /bin/true");
  expect_refused("--mpi mpich or --mpi openmpi", "bench" + line);
  expect_refused("'mpihc' is none of mpich, openmpi (did you mean mpich?)", "run --mpi mpihc" + line);
  const bool has_mpich = std::string_view(TUTTI_BUILT_FOR).find("mpich") != std::string_view::npos;
  const Outcome named = run_tutti("run --dry-run --mpi mpich" + line + " /bin/true");
  EXPECT_NE(named.output.find("libtutti-mpich.so"), std::string::npos) << named.output;
  EXPECT_TRUE(!has_mpich || named.status == 2 || named.output.find("--export=ALL") != std::string::npos)
      << named.output;
  fs::remove_all(launcher.parent_path());
}

TEST(Command, BenchAndTuneBringTheirOwnProgram) {
  const fs::path launcher = launcher_named("mpirun.mpich");
  const std::string line = " -- '" + launcher.string() + "' -n 2 /bin/true";
  expect_refused("/bin/true is one program too many", "bench" + line);
  const std::string rules = tutti::support::temporary_path("rules");
  expect_refused("/bin/true is one program too many", "tune --out '" + rules + "'" + line);
  expect_refused("--mpi openmpi: " + launcher.string() + " belongs to MPICH",
                 "bench --mpi openmpi -- '" + launcher.string() + "' -n 2");
  fs::remove_all(launcher.parent_path());
}

TEST(Command, ADryRunIsReadBackByAShell) {
  const Outcome dry =
      run_tutti("run --dry-run --or-natively -- /bin/sh -c 'echo \"a  b\" $0' \"it's\"", "PATH=/nonexistent");
  EXPECT_TRUE(dry.output.ends_with(R"(/bin/sh -c 'echo "a  b" $0' 'it'\''s')"
                                   "\n"))
      << dry.output;
}

TEST(Command, AScriptNeedsALauncherToCall) {
  const std::string script = file_with("job.sh", "#!/bin/sh\nexit 3\n");
  fs::permissions(script, fs::perms::owner_all);
  const std::string line = "run -- '" + script + "'";
  expect_refused("PATH has no mpirun or mpiexec that " + script + " could call", line, "PATH=/nonexistent");

  const fs::path launcher = file_with("mpirun", "#!/bin/sh\n");
  fs::permissions(launcher, fs::perms::owner_all);
  const std::string path = "PATH='" + launcher.parent_path().string() + ":/usr/bin:/bin'";
  EXPECT_EQ(run_tutti(line, path).status, 3) << "the script's own";
  const Outcome dry = run_tutti("run --dry-run --set WINDOW=3 -- '" + script + "' -n 2", path);
  EXPECT_EQ(dry.status, 0);
  EXPECT_NE(dry.output.find("/tutti/launchers/mpirun:"), std::string::npos) << dry.output;
  EXPECT_TRUE(dry.output.ends_with(" TUTTI_WINDOW=3 " + script + " -n 2\n")) << dry.output;
  fs::remove(launcher);
  fs::remove(script);
}

TEST(Command, WhatCannotBeServedRunsNativelyWhereThatIsWanted) {
  expect_refused("is statically linked", "run --or-natively -- '" TUTTI_STATIC_PROGRAM "'", "", 0);
  expect_refused("nothing to run", "run --or-natively");
}

TEST(Command, WrongSelection) {
  expect_refused("unknown bcast algorithm 'chian' (did you mean chain?)", "run -- /bin/true",
                 "TUTTI_BCAST=chian");
  expect_refused("TUTTI_WINDOW: 'x' is not a whole number", "run -- /bin/true", "TUTTI_WINDOW=x");
  expect_refused("--set TUTTI_WINDOW: '0' is not between 1 and 64", "run --set WINDOW=0 -- /bin/true");
  expect_refused("unknown setting (did you mean TUTTI_BCAST?)", "run --set BCATS=chain -- /bin/true");
  const std::string rules = file_with("rules", R"({"schema": 1, "rules": [{"collective": "bcast"}]})");
  expect_refused(rules + ": rule 1: \"use\" is missing", "run --rules '" + rules + "' -- /bin/true");
  fs::remove(rules);
}

TEST(Command, AnOptionReplacesABadValueOfTheEnvironment) {
  EXPECT_EQ(run_tutti("run --report none --set WINDOW=3 -- /bin/true", "TUTTI_WINDOW=x").output, "");
}

TEST(Command, FilesThatNothingCanBeLearnedInto) {
  const std::string rules = file_with("rules", R"({"schema": 1, "rules": [{"collective": "bcast"}]})");
  const std::string bad = rules + ": rule 1: \"use\" is missing";
  expect_refused(bad, "tune --out '" + rules + "' -- mpirun");
  expect_refused(bad, "run --learn '" + rules + "' -- /bin/true");
  fs::remove(rules);
  expect_refused("cannot write /nonexistent/rules", "tune --out /nonexistent/rules -- mpirun");
  expect_refused("cannot write /nonexistent/rules", "run --learn /nonexistent/rules -- /bin/true");
  expect_refused("Is a directory", "tune --out / -- mpirun");
}

TEST(Command, TuningNeedsAFileAndALauncher) {
  expect_refused("--out FILE says where the rules go", "tune bcast -- mpirun");
  const std::string rules = tutti::support::temporary_path("rules");
  expect_refused("/nonexistent/mpirun: no such command", "tune --out '" + rules + "' -- /nonexistent/mpirun");
  expect_refused("unknown launcher /bin/true", "tune --out '" + rules + "' -- /bin/true");
  EXPECT_FALSE(fs::exists(rules)) << "nothing ran";
  expect_refused("--tune", "run --tune sometimes -- /bin/true");
}

/// The message when the library is present and the measuring program is not: in a build tree, as ./demo leaves one
/// behind, and in an installation.
TEST(Command, WhatIsMissingIsNamedWithTheCommandThatMakesIt) {
  const fs::path prefix = tutti::support::temporary_path("prefix");
  for (const char* folder : {"bin", TUTTI_LIBRARY_FOLDER, "launch"}) fs::create_directories(prefix / folder);
  const fs::path command = prefix / "bin/tutti", launcher = prefix / "launch/mpirun.mpich";
  fs::copy_file(TUTTI_COMMAND, command);
  fs::rename(file_with("library", ""), prefix / TUTTI_LIBRARY_FOLDER / "libtutti-mpich.so");
  fs::rename(file_with("launcher", "#!/bin/sh\n"), launcher);
  fs::permissions(launcher, fs::perms::owner_all);
  const bool has_mpich = std::string_view(TUTTI_BUILT_FOR).find("mpich") != std::string_view::npos;
  const std::string otherwise = "this Tutti was built without MPICH (install libmpich-dev";
  const std::string line = " -- '" + launcher.string() + "'", out = (prefix / "rules.json").string();
  const auto expect_missing = [&](const std::string& part) {
    expect_refused(has_mpich ? part + "tutti-bench-mpich" : otherwise, "bench" + line, "", 2, command);
    expect_refused(has_mpich ? part + "tutti-bench-overlap-mpich" : otherwise, "bench --overlap" + line, "",
                   2, command);
    expect_refused(has_mpich ? part + "tutti-tune-mpich" : otherwise, "tune --out '" + out + "'" + line, "",
                   2, command);
  };
  fs::rename(file_with("cache", ""), prefix / "CMakeCache.txt");
  expect_missing("has not been built: cmake --build " + prefix.string() + " --target ");
  fs::remove(prefix / "CMakeCache.txt");
  expect_refused(has_mpich ? "tutti-bench-mpich is missing: install Tutti again" : otherwise, "bench" + line,
                 "", 2, command);
  EXPECT_FALSE(fs::exists(out));
  fs::remove_all(prefix);
}

constexpr const char* k_rules = R"({"schema": 1, "rules": [
  {"collective": "bcast", "ranks": [8, 8], "bytes": ["64K", null], "use": "chain:segment=32K"},
  {"collective": "bcast", "ranks": [8, 8], "use": "knomial:radix=2"},
  {"collective": "alltoall", "calls": "nonblocking", "use": "ring:steps=1"}]})";

TEST(Command, ExportForOpenMpi) {
  const std::string rules = file_with("rules", k_rules);
  const Outcome outcome = run_tutti("export '" + rules + "' --to openmpi");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  for (const std::string part :
       {"65536 3 0 32768", "left out: alltoall ring (", "only blocking calls", "2 of 3 rules are in it",
        "OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_dynamic_rules_filename=FILE"})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << '\n' << outcome.output;
  const std::string out = tutti::support::temporary_path("openmpi.conf");
  EXPECT_EQ(run_tutti("export '" + rules + "' --to openmpi --out '" + out + "'").status, 0);
  EXPECT_TRUE(fs::exists(out));
  fs::remove(out);
  fs::remove(rules);
}

TEST(Command, AFullDiskLeavesTheOldFile) {
  if (tutti::test::k_delays_signals) GTEST_SKIP() << "the thread sanitizer delays signals";
  const std::string rules = file_with("rules", k_rules), out = file_with("out", "old\n");
  const Outcome outcome =
      run_tutti("export '" + rules + "' --to openmpi --out '" + out + "'", "ulimit -f 0;");
  EXPECT_EQ(outcome.status, 1) << outcome.output;
  EXPECT_EQ(outcome.output, "tutti: cannot write " + out + ": File too large\n");
  EXPECT_EQ(tutti::base::read_file(out).value(), "old\n");
  fs::remove(out);
  fs::remove(rules);
}

/// MPICH's tree is found in the file itself, or inside a library, where it is the longest of its kind.
TEST(Command, ExportForMpich) {
  const std::string rules = file_with("rules", k_rules);
  const std::string tree =
      R"({"collective=bcast":{"comm_type=intra":{"algorithm=own":{}}},"collective=alltoall":{"comm_type=intra":{}}})";
  const std::string other = R"({"collective=bcast":{}})";
  const std::string library = "\177ELF" + other + '\0' + tree + '\0' + other;
  for (const std::string& content : {tree, library}) {
    const std::string base = file_with("base", content);
    const Outcome outcome = run_tutti("export '" + rules + "' --to mpich --base '" + base + "'");
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    // Segments are what MPICH cannot say: there it decides itself.
    for (const std::string part : {"MPIR_Bcast_intra_binomial", "algorithm=own", "left out: bcast chain",
                                   "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=FILE"})
      EXPECT_NE(outcome.output.find(part), std::string::npos) << part << '\n' << outcome.output;
    fs::remove(base);
  }
  fs::remove(rules);
}

TEST(Command, WrongExports) {
  const std::string rules = file_with("rules", k_rules);
  expect_refused("/nonexistent/rules", "export /nonexistent/rules --to openmpi");
  expect_refused("--to", "export '" + rules + "' --to lammpi");
  expect_refused("cannot write /nonexistent/out",
                 "export '" + rules + "' --to openmpi --out /nonexistent/out");
  const std::string base = file_with("base", "\177ELF and nothing else");
  expect_refused("holds no tuning file", "export '" + rules + "' --to mpich --base '" + base + "'");
  fs::remove(base);
  fs::remove(rules);
}

TEST(Command, DamagedReports) {
  const std::string report = file_with("report", R"({"schema": 1, "mpi": "MPICH"})");
  expect_refused(report + ": is damaged: ", "explain '" + report + "'");
  fs::remove(report);
  expect_refused("cannot be read", "explain /nonexistent/report");
  expect_refused("has no record that can be read", "explain /");
  expect_refused("larger than 64M", "explain /dev/zero");
}

TEST(Command, WrongSchedules) {
  expect_refused("unknown collective 'bcats' (did you mean bcast?)", "schedule bcats --algorithm chain");
  expect_refused("unknown bcast algorithm 'chian'", "schedule bcast --algorithm chian");
  expect_refused("--bytes: 'x' is not", "schedule bcast --algorithm chain --bytes x");
  expect_refused("--root 8: there are 8 ranks", "schedule bcast --algorithm chain --root 8");
  expect_refused("--rank 8: there are 8 ranks", "schedule bcast --algorithm chain --rank 8");
  expect_refused("--rank is for --format text", "schedule bcast --algorithm chain --rank 1 --format dot");
  expect_refused("33554432 are the limit", "schedule alltoall --algorithm pairwise --ranks 65536 --verify");
  expect_refused("names 2 ranks, but there are 8", "schedule bcast --algorithm chain --nodes 0,1");
  expect_refused("does not apply here", "schedule allreduce --algorithm ring --non-commutative", "", 1);
}

TEST(Command, SchedulesAreVerifiedPrintedAndDrawn) {
  const Outcome verified = run_tutti("schedule allreduce --algorithm ring --ranks 5 --verify");
  EXPECT_EQ(verified.status, 0) << verified.output;
  EXPECT_TRUE(verified.output.starts_with("verified: ")) << verified.output;
  EXPECT_TRUE(
      run_tutti("schedule bcast --algorithm chain --ranks 3 --format dot").output.starts_with("digraph"));
  EXPECT_TRUE(run_tutti("schedule bcast --algorithm chain --ranks 3 --format goal")
                  .output.starts_with("num_ranks 3"));
  EXPECT_TRUE(
      run_tutti("schedule bcast --algorithm chain --ranks 3 --rank 1").output.starts_with("rank 1: "));
}

TEST(Command, InfoIsJsonWhateverTheEnvironmentHolds) {
  for (const char* environment : {"", "TUTTI_WAIT=spin", "TUTTI_REPORT=\"$(printf '\\377')\""}) {
    const Outcome outcome = run_tutti("info --json", environment);
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    const auto document = nlohmann::json::parse(outcome.output, nullptr, false);
    ASSERT_TRUE(document.is_object()) << outcome.output.substr(0, 300);
    EXPECT_FALSE(document.at("algorithms").empty());
    EXPECT_FALSE(document.at("settings").empty());
    EXPECT_TRUE(document.contains("version"));
  }
}

TEST(Command, LostOutputIsNoSuccess) {
  const std::string rules = file_with("rules", k_rules);
  const std::string report = file_with("report", R"({"schema": 1, "mpi": "MPICH", "ranks": 2, "nodes": 1,
      "elapsed_ns": 1, "progress": "off", "calls": [], "sites": [], "unlisted_sites": 0})");
  const auto expect_lost = [](const std::string& line) {
    const Outcome outcome = run_tutti(line + " 3>&1 >/dev/full 2>&3 #");
    EXPECT_EQ(outcome.status, 1) << line << '\n' << outcome.output;
    EXPECT_NE(outcome.output.find(": cannot write "), std::string::npos) << line << outcome.output;
  };
  for (const std::string line : {"--help",
                                 "--version",
                                 "schedule --help",
                                 "info",
                                 "info --json",
                                 "schedule bcast --algorithm chain",
                                 "schedule bcast --algorithm chain --verify",
                                 "schedule alltoall --algorithm pairwise --ranks 300",
                                 "fabric --help",
                                 "fabric generate fat-tree:ports=4",
                                 "fabric show fat-tree:ports=4",
                                 "fabric compare fat-tree:ports=4 random:groups=2,size=3",
                                 "fabric route fat-tree:ports=4 random:groups=2,size=3",
                                 "offload describe",
                                 "offload describe --json",
                                 "offload radix --ranks 8 --latency 800",
                                 "offload simulate --nodes 4",
                                 "offload simulate --nodes 4 --json -",
                                 "offload simulate --show-parameters",
                                 "offload describe --out /dev/stdout",
                                 "run --dry-run --or-natively -- /bin/true"})
    expect_lost(line);
  // These come from the programs that are built for an MPI.
  if (!std::string_view(TUTTI_BUILT_FOR).empty())
    for (const std::string line : {"bench --help", "tune --help"}) expect_lost(line);
  for (const std::string& line : {"export '" + rules + "' --to openmpi", "explain '" + report + "'"})
    expect_refused("cannot write to standard output", line + " 3>&1 >/dev/full 2>&3 #", "", 1);
  fs::remove(rules);
  fs::remove(report);
}

TEST(Command, HelpAndVersionSucceed) {
  EXPECT_EQ(run_tutti("--help").status, 0);
  EXPECT_EQ(run_tutti("--version").status, 0);
  EXPECT_EQ(run_tutti("schedule --help").status, 0);
}

}  // namespace
