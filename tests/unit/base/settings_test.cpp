// The table of settings, and what the environment makes of it.

#include "base/settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace tutti::base {
namespace {

struct Outcome {
  Settings settings;
  std::vector<std::string> problems;
};

Outcome read(std::vector<const char*> environment) {
  environment.push_back(nullptr);
  Outcome outcome;
  outcome.settings = Settings::from_environment(environment.data(), &outcome.problems);
  for (const std::string& problem : outcome.problems)
    EXPECT_EQ(problem.find('\n'), std::string::npos) << problem;
  return outcome;
}

std::string only_problem(const char* entry) {
  const Outcome outcome = read({entry});
  EXPECT_EQ(outcome.problems.size(), 1u) << entry;
  return outcome.problems.empty() ? "" : outcome.problems[0];
}

TEST(SettingsTable, NamesAreUniqueAndSaySomething) {
  std::set<std::string_view> names;
  for (const Setting& row : settings_table()) {
    EXPECT_TRUE(row.name == "TUTTI" || row.name.starts_with("TUTTI_")) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    if (!row.former_name.empty()) {
      EXPECT_TRUE(names.insert(row.former_name).second) << row.former_name;
    }
    EXPECT_FALSE(row.summary.empty()) << row.name;
    EXPECT_EQ(row.summary.find('\n'), std::string_view::npos) << row.name;
    EXPECT_LE(row.min, row.max) << row.name;
    EXPECT_EQ(row.kind == Setting::Kind::choice, !row.choices.empty()) << row.name;
  }
}

TEST(SettingsTable, DefaultsAreValid) {
  const Settings settings;
  for (const Setting& row : settings_table()) {
    EXPECT_TRUE(Settings::check(row, row.default_value)) << row.name;
    EXPECT_EQ(settings.text(row.name), row.default_value);
    EXPECT_FALSE(settings.is_set(row.name));
  }
}

TEST(Settings, DefaultsWithoutEnvironment) {
  const Outcome outcome = read({});
  EXPECT_TRUE(outcome.problems.empty());
  EXPECT_TRUE(outcome.settings.flag("TUTTI"));
  EXPECT_FALSE(outcome.settings.flag("TUTTI_VERBOSE"));
  EXPECT_EQ(outcome.settings.number("TUTTI_SHM_SIZE"), uint64_t{32} << 20);
  EXPECT_EQ(outcome.settings.text("TUTTI_BCAST"), "auto");
}

TEST(Settings, ValuesOfEveryKind) {
  const Outcome outcome = read({"TUTTI=0", "TUTTI_WINDOW=7", "TUTTI_SHM_SIZE=1g", "TUTTI_WAIT=sleep",
                                "TUTTI_BCAST=chain:segment=64K", "PATH=/bin", "NOVALUE"});
  EXPECT_TRUE(outcome.problems.empty());
  EXPECT_FALSE(outcome.settings.flag("TUTTI"));
  EXPECT_EQ(outcome.settings.number("TUTTI_WINDOW"), 7u);
  EXPECT_EQ(outcome.settings.number("TUTTI_SHM_SIZE"), uint64_t{1} << 30);
  EXPECT_EQ(outcome.settings.text("TUTTI_WAIT"), "sleep");
  EXPECT_EQ(outcome.settings.text("TUTTI_BCAST"), "chain:segment=64K");
  EXPECT_TRUE(outcome.settings.is_set("TUTTI_WINDOW"));
  EXPECT_FALSE(outcome.settings.is_set("TUTTI_PLAN_CACHE"));
}

TEST(Settings, TheFingerprintIsOfWhatDecides) {
  const uint64_t usual = Settings().fingerprint();
  EXPECT_EQ(read({"TUTTI_VERBOSE=1", "TUTTI_WAIT=sleep"}).settings.fingerprint(), usual);
  EXPECT_NE(read({"TUTTI_BCAST=chain"}).settings.fingerprint(), usual);
  EXPECT_NE(read({"TUTTI_ACTORS_PER_PROCESS=2"}).settings.fingerprint(), usual);
  EXPECT_NE(read({"TUTTI_BCAST=chain"}).settings.fingerprint(),
            read({"TUTTI_REDUCE=chain"}).settings.fingerprint());
}

TEST(Settings, LimitsAreIncluded) {
  EXPECT_EQ(read({"TUTTI_WINDOW=1"}).settings.number("TUTTI_WINDOW"), 1u);
  EXPECT_EQ(read({"TUTTI_WINDOW=64"}).settings.number("TUTTI_WINDOW"), 64u);
  EXPECT_EQ(only_problem("TUTTI_SHM_SIZE=100"),
            "TUTTI_SHM_SIZE: '100' is not 0 or between 256K and 4G; using the default 32M");
  EXPECT_EQ(only_problem("TUTTI_WINDOW=0"), "TUTTI_WINDOW: '0' is not between 1 and 64; using the default 2");
  EXPECT_EQ(only_problem("TUTTI_WINDOW=65"),
            "TUTTI_WINDOW: '65' is not between 1 and 64; using the default 2");
}

TEST(Settings, ABadValueLeavesTheDefaultInForce) {
  const Outcome outcome =
      read({"TUTTI_WINDOW=many", "TUTTI_WAIT=patiently", "TUTTI=yes", "TUTTI_PLAN_CACHE="});
  ASSERT_EQ(outcome.problems.size(), 4u);
  EXPECT_EQ(outcome.problems[0], "TUTTI_WINDOW: 'many' is not a whole number; using the default 2");
  EXPECT_EQ(outcome.problems[1],
            "TUTTI_WAIT: 'patiently' is not one of auto, spin, yield, sleep; using the default auto");
  EXPECT_EQ(outcome.problems[2], "TUTTI: 'yes' is neither 0 nor 1; using the default 1");
  EXPECT_EQ(outcome.settings.number("TUTTI_WINDOW"), 2u);
  EXPECT_EQ(outcome.settings.text("TUTTI_WAIT"), "auto");
  EXPECT_FALSE(outcome.settings.is_set("TUTTI_WAIT"));
}

TEST(Settings, OldNamesAreAcceptedWithAWarning) {
  EXPECT_EQ(only_problem("TUTTI_ONE_COPY=off"), "old setting 'TUTTI_ONE_COPY' is now TUTTI_CMA=off");
  EXPECT_EQ(read({"TUTTI_ONE_COPY=off"}).settings.text("TUTTI_CMA"), "off");
  EXPECT_TRUE(read({"TUTTI_ONE_COPY=off"}).settings.is_set("TUTTI_CMA"));
  EXPECT_EQ(read({"TUTTI_NODE_MEMORY=1M"}).settings.number("TUTTI_SHM_SIZE"), uint64_t{1} << 20);
  EXPECT_EQ(read({"TUTTI_RECORD_EVERY=7"}).settings.number("TUTTI_RECORD_SAMPLING"), 7u);
  EXPECT_EQ(read({"TUTTI_RECORD_CLOCKS=60"}).settings.number("TUTTI_RECORD_CLOCK_SYNC_INTERVAL"), 60u);
  EXPECT_EQ(read({"TUTTI_ACTORS_RANKS=3"}).settings.number("TUTTI_ACTORS_PER_PROCESS"), 3u);
  EXPECT_EQ(only_problem("TUTTI_ONE_COPY=on"),
            "TUTTI_ONE_COPY: 'on' is not one of auto, off; using the default auto");
}

TEST(Settings, OldNamesTakeTheirOldChoices) {
  EXPECT_EQ(only_problem("TUTTI_RECORD_KEEP=oldest"),
            "old setting 'TUTTI_RECORD_KEEP' is now TUTTI_RECORD_OVERFLOW=drop_newest");
  EXPECT_EQ(read({"TUTTI_RECORD_KEEP=oldest"}).settings.text("TUTTI_RECORD_OVERFLOW"), "drop_newest");
  EXPECT_EQ(read({"TUTTI_RECORD_KEEP=newest"}).settings.text("TUTTI_RECORD_OVERFLOW"), "drop_oldest");
  EXPECT_NE(only_problem("TUTTI_RECORD_OVERFLOW=oldest"), "");
  for (const Setting& row : settings_table())
    EXPECT_TRUE(row.former_choices.empty() || row.former_choices.size() == row.choices.size()) << row.name;
}

TEST(Settings, ThePresentNameTakesPrecedence) {
  for (const auto& both : {std::vector<const char*>{"TUTTI_ONE_COPY=off", "TUTTI_CMA=auto"},
                           std::vector<const char*>{"TUTTI_CMA=auto", "TUTTI_ONE_COPY=off"}})
    EXPECT_EQ(read(both).settings.text("TUTTI_CMA"), "auto");
}

TEST(Settings, TheBudgetIsAPercentageOrThousandths) {
  const auto permille = [](const char* entry) { return read({entry}).settings.number("TUTTI_TUNE_BUDGET"); };
  EXPECT_EQ(Settings().number("TUTTI_TUNE_BUDGET"), 20u);
  EXPECT_EQ(permille("TUTTI_TUNE_BUDGET=5%"), 50u);
  EXPECT_EQ(permille("TUTTI_TUNE_BUDGET=0.5%"), 5u);
  EXPECT_EQ(permille("TUTTI_TUNE_BUDGET=100%"), 1000u);
  EXPECT_EQ(permille("TUTTI_TUNE_BUDGET=50"), 50u) << "as before: thousandths";
  EXPECT_EQ(read({"TUTTI_TUNE_BUDGET=20"}).settings.fingerprint(), Settings().fingerprint());
  EXPECT_EQ(only_problem("TUTTI_TUNE_BUDGET=101%"),
            "TUTTI_TUNE_BUDGET: '101%' is not between 0.1% and 100%; using the default 2%");
  EXPECT_EQ(only_problem("TUTTI_TUNE_BUDGET=18446744073709551615%"),
            "TUTTI_TUNE_BUDGET: '18446744073709551615%' is not between 0.1% and 100%; using the default 2%");
  for (const char* const bad : {"TUTTI_TUNE_BUDGET=%", "TUTTI_TUNE_BUDGET=2.%", "TUTTI_TUNE_BUDGET=0.05%"})
    EXPECT_NE(only_problem(bad).find("is not a percentage (like 2% or 0.5%)"), std::string::npos) << bad;
}

TEST(Settings, UnknownNamesSuggestTheNearest) {
  EXPECT_EQ(only_problem("TUTTI_BCATS=chain"),
            "unknown setting 'TUTTI_BCATS' is ignored (did you mean TUTTI_BCAST?)");
  EXPECT_EQ(only_problem("TUTTI_=1").substr(0, 24), "unknown setting 'TUTTI_'");
  EXPECT_TRUE(read({"TUTTIFRUTTI=1", "tutti=1", "XTUTTI_WAIT=1"}).problems.empty()) << "not ours";
}

TEST(Settings, MessagesStayOnOneLine) {
  EXPECT_EQ(only_problem("TUTTI_WINDOW=1\n2"),
            "TUTTI_WINDOW: '1\\x0a2' is not a whole number; using the default 2");
  only_problem("TUTTI_WAIT=a\nb");
  only_problem("TUTTI=\n");
  only_problem("TUTTI_X\nY=1");
  only_problem("TUTTI_PLAN_CACHE=9\n9K");
}

TEST(Settings, APrivilegedProgramTakesNoneFromItsUser) {
  const char* const set[] = {"PATH=/bin", "TUTTI_LEARN=/etc/passwd", "TUTTI_REPORT=/etc/shadow", "TUTTI=0",
                             nullptr};
  std::vector<std::string> problems;
  const Settings settings = Settings::of_process(&problems, set, true);
  for (const Setting& row : settings_table()) EXPECT_FALSE(settings.is_set(row.name)) << row.name;
  EXPECT_TRUE(settings.flag("TUTTI"));
  EXPECT_EQ(settings.text("TUTTI_LEARN"), "");
  EXPECT_EQ(problems, std::vector<std::string>{
                          "this program runs with raised privileges: TUTTI_* settings are ignored"});
  const char* const unset[] = {"PATH=/bin", "TUTTIFRUTTI=1", nullptr};
  problems.clear();
  Settings::of_process(&problems, unset, true);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(Settings::of_process(&problems, set, false).text("TUTTI_LEARN"), "/etc/passwd");
  EXPECT_FALSE(Settings::is_privileged_process());
}

TEST(Settings, TheLastOfSeveralEntriesWins) {
  EXPECT_EQ(read({"TUTTI_WINDOW=3", "TUTTI_WINDOW=4"}).settings.number("TUTTI_WINDOW"), 4u);
}

TEST(SettingsDeathTest, AProcessMayHaveNoEnvironment) {
  EXPECT_EXIT(
      {
        clearenv();
        std::vector<std::string> problems;
        std::_Exit(Settings::of_process(&problems).flag("TUTTI") && problems.empty() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tutti::base
