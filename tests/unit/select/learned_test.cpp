// Learned results become rules; their file survives many writers.

#include "select/learned.hpp"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/simulated_site.hpp"
#include "tests/support/temporary.hpp"

namespace tutti::select {
namespace {

using algorithm::Collective;

/// A folder that lives as long as the test.
class Learned : public testing::Test {
 protected:
  Learned() { std::filesystem::create_directories(folder_); }
  ~Learned() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static void write(const std::string& file, const std::string& text) { std::ofstream(file) << text; }
  static std::string read(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path folder_ = support::temporary_path("learned");
};

Rule rule_of(Collective collective, uint64_t ranks, const std::string& use, uint64_t samples) {
  Rule rule{.collective = collective, .calls = CallInterface::nonblocking, .ranks = {ranks, ranks}};
  const auto candidate = parse_candidate(collective, use);
  EXPECT_TRUE(candidate) << use;
  rule.use = *candidate;
  rule.evidence = {.samples = samples, .median_ns = 1000, .native_ns = 2000};
  return rule;
}

std::string use_of(const Rule& rule) {
  return to_string(rule.use);
}

Rule alltoall(const std::string& use, uint64_t samples) {
  return rule_of(Collective::alltoall, 8, use, samples);
}

TEST_F(Learned, TheSameChoiceGathersEvidence) {
  Rule fresh = alltoall("ring@thread_spare", 30);
  fresh.evidence.median_ns = 2000;
  const auto rules = merged({alltoall("ring@thread_spare", 10)}, {{fresh}});
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].evidence, (Evidence{40, 1750, 2000}));
}

TEST_F(Learned, EvidenceIsBounded) {
  const auto rules = merged({alltoall("ring", 990)}, {{alltoall("ring", UINT64_MAX)}});
  EXPECT_EQ(rules[0].evidence.samples, k_most_samples);
}

TEST_F(Learned, AnotherChoiceHasToUseUpTheOldEvidence) {
  std::vector<Rule> rules = {alltoall("ring@thread_spare", 50)};
  const Rule other = alltoall("ring@inline", 20);
  for (const uint64_t left : {30, 10}) {
    rules = merged(rules, {{other}});
    EXPECT_EQ(use_of(rules[0]), "ring@thread_spare");
    EXPECT_EQ(rules[0].evidence.samples, left);
  }
  rules = merged(rules, {{other}});
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(use_of(rules[0]), "ring@inline");
  EXPECT_EQ(rules[0].evidence.samples, 10u);
}

TEST_F(Learned, OtherSitesStandBesideEachOther) {
  Rule blocking = alltoall("ring", 10);
  blocking.calls = CallInterface::blocking;
  Rule larger = alltoall("ring", 10);
  larger.bytes = {1024, 2047};
  const auto rules =
      merged({alltoall("ring", 10)}, {{blocking, larger, rule_of(Collective::bcast, 8, "chain", 10),
                                       rule_of(Collective::alltoall, 16, "ring", 10)}});
  EXPECT_EQ(rules.size(), 5u);
}

TEST_F(Learned, RulesOfPeopleStayInFront) {
  Rule by_hand = alltoall("native", 0);
  by_hand.evidence = {};
  const auto rules = merged({alltoall("ring", 10), by_hand}, {{alltoall("ring", 10)}});
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(use_of(rules[0]), "native");
  EXPECT_EQ(rules[1].evidence.samples, 20u);
}

TEST_F(Learned, AFileIsMadeAndReadsBack) {
  const std::string file = path("rules.json");
  ASSERT_TRUE(save_learned(file, {{alltoall("ring:steps=4@thread_shared:wait=sleep", 12)}}));
  const auto rules = load_rules(file);
  ASSERT_TRUE(rules) << rules.status().message();
  ASSERT_EQ(rules->size(), 1u);
  EXPECT_EQ(use_of((*rules)[0]), "ring:steps=4@thread_shared:wait=sleep");
  EXPECT_EQ((*rules)[0].calls, CallInterface::nonblocking);
  EXPECT_EQ((*rules)[0].ranks, (Range{8, 8}));
  EXPECT_EQ((*rules)[0].evidence, (Evidence{12, 1000, 2000}));
}

TEST_F(Learned, NothingLearnedTouchesNothing) {
  ASSERT_TRUE(save_learned(path("none.json"), {}));
  EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(path("none.json")).parent_path()));
}

TEST_F(Learned, ADamagedFileIsLeftAlone) {
  const std::string file = path("rules.json");
  write(file, "{\"schema\": 1, \"rules\": [");
  const auto status = save_learned(file, {{alltoall("ring", 12)}});
  EXPECT_EQ(status.code(), base::Code::invalid_argument);
  EXPECT_EQ(read(file), "{\"schema\": 1, \"rules\": [");
}

TEST_F(Learned, AnEmptyFileIsFilledAndKeepsItsMode) {
  const std::string file = path("rules.json");
  write(file, "");
  std::filesystem::permissions(file, std::filesystem::perms::owner_read |
                                         std::filesystem::perms::owner_write |
                                         std::filesystem::perms::group_write);
  ASSERT_TRUE(save_learned(file, {{alltoall("ring", 12)}}));
  EXPECT_TRUE(load_rules(file));
  struct stat status;
  ASSERT_EQ(stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0620u);
}

TEST_F(Learned, ASymbolicLinkStaysOne) {
  write(path("real.json"), "");
  std::filesystem::create_symlink("real.json", path("link.json"));
  ASSERT_TRUE(save_learned(path("link.json"), {{alltoall("ring", 12)}}));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.json")));
  EXPECT_TRUE(load_rules(path("real.json")));
}

TEST_F(Learned, SaysWhoseLockItIs) {
  const std::string file = path("rules.json");
  const int descriptor = open((file + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0, .l_pid = 0};
  ASSERT_EQ(fcntl(descriptor, F_OFD_SETLK, &whole), 0);
  const auto status = save_learned(file, {{alltoall("ring", 12)}}, 20'000'000);
  EXPECT_EQ(status.native(), ETIMEDOUT) << status.message();
  EXPECT_FALSE(std::filesystem::exists(file));
  close(descriptor);
  EXPECT_TRUE(save_learned(file, {{alltoall("ring", 12)}}));
}

TEST_F(Learned, AFolderThatIsNotThereIsAnError) {
  EXPECT_EQ(save_learned(path("no/rules.json"), {{alltoall("ring", 12)}}).code(), base::Code::system);
  EXPECT_EQ(check_learnable(path("no/rules.json")).code(), base::Code::system);
}

TEST_F(Learned, ALockThatIsALinkIsNotFollowed) {
  const std::string file = path("rules.json");
  write(path("victim"), "");
  std::filesystem::create_symlink("victim", file + ".lock");
  for (const auto& status : {check_learnable(file), save_learned(file, {{alltoall("ring", 12)}})})
    EXPECT_EQ(status.message(), file + ".lock is not a regular file; remove it");
  std::filesystem::remove(file + ".lock");
  std::filesystem::create_symlink("missing", file + ".lock");
  EXPECT_FALSE(save_learned(file, {{alltoall("ring", 12)}}));
  EXPECT_FALSE(std::filesystem::exists(path("missing")));
  std::filesystem::remove(file + ".lock");
  ASSERT_EQ(mkfifo((file + ".lock").c_str(), 0600), 0);
  for (const auto& status : {check_learnable(file), save_learned(file, {{alltoall("ring", 12)}})})
    EXPECT_EQ(status.message(), file + ".lock is not a regular file; remove it");
}

constexpr uid_t k_alice = 54321, k_bob = 54322;

/// The results of save_learned() and, before, check_learnable() for a user of group `k_alice`.
void learn_as(uid_t user, mode_t mask, const std::string& file, base::Code expected) {
  fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    umask(mask);
    const bool is_user = setgroups(0, nullptr) == 0 && setgid(k_alice) == 0 && setuid(user) == 0;
    EXPECT_TRUE(is_user);
    EXPECT_EQ(check_learnable(file).code(), expected) << check_learnable(file).message();
    EXPECT_EQ(save_learned(file, {{alltoall("ring", 12)}}).code(), expected);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "user " << user;
}

TEST_F(Learned, UsersShareAFileThatBothMayWrite) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  const std::filesystem::path folder = path("shared");
  std::filesystem::create_directory(folder);
  ASSERT_EQ(chown(folder.c_str(), k_alice, k_alice), 0);
  ASSERT_EQ(chmod(folder.c_str(), 0770), 0);
  for (const auto& above : {folder.parent_path(), folder.parent_path().parent_path()})
    ASSERT_EQ(chmod(above.c_str(), 0711), 0);
  const std::string file = folder / "rules.json";
  learn_as(k_alice, 0022, file, base::Code::ok);
  learn_as(k_bob, 0022, file, base::Code::system);  // may not write the file, and hears it before the run
  ASSERT_EQ(chmod(file.c_str(), 0664), 0);
  learn_as(k_bob, 0022, file, base::Code::ok);
  learn_as(k_alice, 0022, file, base::Code::ok);
  EXPECT_EQ(load_rules(file)->at(0).evidence.samples, 36u);
  ASSERT_EQ(chmod((file + ".lock").c_str(), 0600), 0);
  learn_as(k_bob, 0022, file, base::Code::system);
}

TEST_F(Learned, AFileFollowsTheUmask) {
  const mode_t before = umask(077);
  const auto saved = save_learned(path("rules.json"), {{alltoall("ring", 12)}});
  umask(before);
  ASSERT_TRUE(saved) << saved.message();
  struct stat status;
  for (const std::string& file : {path("rules.json"), path("rules.json.lock")}) {
    ASSERT_EQ(stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777u, 0600u) << file;
  }
}

/// One job of many: merges rules of its own and one that all have in common, several times.
[[noreturn]] void write_as_a_job(const std::string& file, uint64_t job, uint64_t rounds) {
  bool is_good = true;
  for (uint64_t round = 0; round < rounds; ++round) {
    const Rule own = rule_of(Collective::bcast, 1000 * job + round, "chain", 12);
    const Rule common = alltoall("ring", 1);
    is_good = is_good && save_learned(file, {{own, common}}, UINT64_MAX).is_ok();
  }
  _exit(is_good ? 0 : 1);
}

TEST_F(Learned, NoUpdateOfConcurrentJobsIsLost) {
  constexpr uint64_t k_jobs = 8, k_rounds = 12;
  const std::string file = path("rules.json");
  write(file,
        R"({"schema": 1, "rules": [{"collective": "barrier", "use": "native", "because": "by hand"}]})");
  std::vector<pid_t> jobs;
  for (uint64_t job = 1; job <= k_jobs; ++job) {
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) write_as_a_job(file, job, k_rounds);
    jobs.push_back(pid);
  }
  // A concurrent reader sees a complete file.
  bool all_ended = false;
  int reads = 0;
  std::vector<bool> has_ended(jobs.size(), false);
  while (!all_ended) {
    EXPECT_TRUE(load_rules(file)) << load_rules(file).status().message();
    ++reads;
    all_ended = true;
    for (size_t i = 0; i < jobs.size(); ++i) {
      int status = 0;
      if (!has_ended[i] && waitpid(jobs[i], &status, WNOHANG) == jobs[i]) {
        has_ended[i] = true;
        EXPECT_EQ(status, 0);
      }
      all_ended = all_ended && has_ended[i];
    }
  }
  const auto rules = load_rules(file);
  ASSERT_TRUE(rules);
  EXPECT_EQ(rules->size(), 2 + k_jobs * k_rounds);
  const auto common = std::find_if(rules->begin(), rules->end(),
                                   [](const Rule& rule) { return rule.collective == Collective::alltoall; });
  ASSERT_NE(common, rules->end());
  EXPECT_EQ(common->evidence.samples, k_jobs * k_rounds);
  EXPECT_EQ((*rules)[0].because, "by hand");
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(file).parent_path())) {
    (void)entry;
    ++files;
  }
  EXPECT_EQ(files, 2u) << "the file, its lock, and nothing left over";
  EXPECT_GT(reads, 0);
}

TEST_F(Learned, ATunerThatHasExploredGivesARule) {
  support::Noise noise(1, 0.02, 0);
  const SiteShape shape{.collective = Collective::alltoall,
                        .interface = CallInterface::persistent,
                        .ranks = 8,
                        .nodes = 4,
                        .ranks_per_node = 2,
                        .bytes = 100'000};
  support::SimulatedSite site(2, support::some_candidates(3, 1), {}, [&](uint32_t c, size_t, uint64_t) {
    return Sample{.start_ns = noise.around(c == 2 ? 5e6 : 10e6)};
  });
  site.run(30);
  EXPECT_FALSE(learned_rule(site.tuner(), shape)) << "too early";
  site.run(4000);
  const auto rule = learned_rule(site.tuner(), shape);
  ASSERT_TRUE(rule);
  EXPECT_EQ(use_of(*rule), "bruck:radix=4");
  EXPECT_EQ(rule->bytes, (Range{65536, 131071}));
  EXPECT_EQ(rule->nodes, (Range{4, 4}));
  EXPECT_NEAR(static_cast<double>(rule->evidence.native_ns), 10e6, 1e6);
  EXPECT_NEAR(static_cast<double>(rule->evidence.median_ns), 5e6, 0.5e6);
  EXPECT_TRUE(rule->because.starts_with("learned: ")) << rule->because;
  const auto again = parse_rules(format_rules({{*rule}}), "file");
  ASSERT_TRUE(again) << again.status().message();
  EXPECT_EQ(format_rules(*again), format_rules({{*rule}}));
}

/// Every candidate costs the same; a run that ends while the first choice only seems to be good.
TEST_F(Learned, ARuleIsKeptOnlyWhereItsEvidenceSupportsIt) {
  size_t rules = 0, refused = 0;
  for (const double of_first : {0.7, 1.0, 1.02, 1.5}) {
    support::Noise noise(7, 0.2, 0);
    support::SimulatedSite site(2, support::some_candidates(4, 1), {.budget_permille = 1000},
                                [&](uint32_t c, size_t, uint64_t) {
                                  return Sample{.start_ns = noise.around(c == 0 ? of_first * 10e6 : 10e6)};
                                });
    for (int part = 0; part < 60; ++part) {
      site.run(10);
      const auto rule = learned_rule(site.tuner(), {.collective = Collective::alltoall});
      rule ? ++rules : ++refused;
      if (!rule) continue;
      const bool is_native = rule->use.is_native();
      EXPECT_GT(rule->evidence.native_ns, 0u);
      if (!is_native) {
        EXPECT_LT(rule->evidence.median_ns, rule->evidence.native_ns) << rule->because;
      }
    }
  }
  EXPECT_GT(rules, 0u);
  EXPECT_GT(refused, 0u);
}

TEST_F(Learned, ARuleThatItsEvidenceContradictsGoes) {
  Rule slow = alltoall("ring", 30);
  slow.evidence.median_ns = 62'900'000;
  slow.evidence.native_ns = 40'900'000;
  EXPECT_TRUE(merged({}, {{slow}}).empty());
  EXPECT_EQ(merged({slow}, {{rule_of(Collective::bcast, 8, "chain", 12)}}).size(), 1u);
  Rule native = alltoall("native", 30);
  native.evidence.native_ns = native.evidence.median_ns;
  EXPECT_EQ(merged({}, {{native}}).size(), 1u);
  Rule faster = alltoall("ring", 30);
  EXPECT_TRUE(merged({faster}, {{slow}}).empty()) << "together they say so too";
}

TEST_F(Learned, ASiteThatNeverExploredGivesNone) {
  support::SimulatedSite site(2, support::some_candidates(1, 0), {},
                              [&](uint32_t, size_t, uint64_t) { return Sample{.start_ns = 1000}; });
  site.run(1000);
  EXPECT_FALSE(learned_rule(site.tuner(), {}));
}

}  // namespace
}  // namespace tutti::select
