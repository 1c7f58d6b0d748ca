// Rules in the words of the MPIs: what each would read from the file is what the rules say, or its own
// decision.

#include "select/export/export.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "algorithm/catalogue.hpp"
#include "tests/support/sanitizer.hpp"

namespace tutti::select {
namespace {

using algorithm::Collective;
using Tree = nlohmann::ordered_json;

std::vector<Rule> rules_of(const std::string& list) {
  auto rules = parse_rules(R"({"schema": 1, "rules": [)" + list + "]}", "rules");
  EXPECT_TRUE(rules) << rules.status().message();
  return rules ? *rules : std::vector<Rule>{};
}

/// The entry that Open MPI 4.1 finds for a call: the last block and line that are not above it, or the first.
struct OpenMpiFile {
  struct Line {
    uint64_t bytes = 0;
    int algorithm = 0;
    uint64_t segment = 0;
  };
  struct Block {
    uint64_t ranks = 0;
    std::vector<Line> lines;
  };
  std::map<int, std::vector<Block>> collectives;

  explicit OpenMpiFile(const std::string& text) {
    std::string bare, line;
    for (std::istringstream lines(text); std::getline(lines, line);)
      bare += line.substr(0, line.find('#')) + ' ';
    std::istringstream in(bare);
    const auto next = [&in] {
      uint64_t number = 0;
      EXPECT_TRUE(in >> number);
      return number;
    };
    for (uint64_t n = next(); n > 0; --n) {
      auto& blocks = collectives[static_cast<int>(next())];
      blocks.resize(next());
      for (Block& block : blocks) {
        block.ranks = next();
        block.lines.resize(next());
        for (Line& each : block.lines) {
          each.bytes = next();
          each.algorithm = static_cast<int>(next());
          EXPECT_EQ(next(), 0u);
          each.segment = next();
        }
      }
    }
    EXPECT_FALSE(in >> line) << "more than was announced: " << line;
  }

  Line find(int collective, uint64_t ranks, uint64_t bytes) const {
    const auto at = collectives.find(collective);
    if (at == collectives.end()) return {};
    const Block* block = &at->second.front();
    for (const Block& other : at->second)
      if (other.ranks <= ranks) block = &other;
    Line line = block->lines.front();
    for (const Line& other : block->lines)
      if (other.bytes <= bytes) line = other;
    return line;
  }
};

constexpr int k_alltoall = 3, k_bcast = 7;

TEST(ExportOpenMpi, SaysWhatTheRulesSay) {
  const Exported exported = to_openmpi(rules_of(
      R"({"collective": "bcast", "ranks": [8, 8], "bytes": ["64K", "1M"], "use": "chain:segment=32K"},
         {"collective": "bcast", "ranks": [5, 16], "bytes": ["1K", null], "use": "linear"})"));
  EXPECT_TRUE(exported.left_out.empty());
  const OpenMpiFile file(exported.text);
  EXPECT_EQ(file.find(k_bcast, 8, 1 << 20).algorithm, 3);
  EXPECT_EQ(file.find(k_bcast, 8, 1 << 20).segment, 32u << 10);
  EXPECT_EQ(file.find(k_bcast, 8, (1 << 20) + 1).algorithm, 1);
  EXPECT_EQ(file.find(k_bcast, 7, 1 << 20).algorithm, 1);
  EXPECT_EQ(file.find(k_bcast, 8, 1023).algorithm, 0);
  EXPECT_EQ(file.find(k_bcast, 4, 1 << 20).algorithm, 0) << "smaller than the first block with rules";
  EXPECT_EQ(file.find(k_bcast, 17, 1 << 20).algorithm, 0);
}

TEST(ExportOpenMpi, SizesAreCountedItsWay) {
  const Exported exported = to_openmpi(
      rules_of(R"({"collective": "alltoall", "ranks": [4, 6], "bytes": [1000, 1999], "use": "linear"})"));
  const OpenMpiFile file(exported.text);
  for (const uint64_t ranks : {4, 5, 6}) {
    EXPECT_EQ(file.find(k_alltoall, ranks, 1000 * ranks).algorithm, 1) << ranks;
    EXPECT_EQ(file.find(k_alltoall, ranks, 1999 * ranks).algorithm, 1) << ranks;
    EXPECT_EQ(file.find(k_alltoall, ranks, 999 * ranks).algorithm, 0) << ranks;
    EXPECT_EQ(file.find(k_alltoall, ranks, 2000 * ranks).algorithm, 0) << ranks;
  }
}

TEST(ExportOpenMpi, NamesWhatItLeavesOut) {
  const Exported exported = to_openmpi(rules_of(
      R"({"collective": "bcast", "use": "hierarchical"},
         {"collective": "bcast", "use": "knomial:radix=3"},
         {"collective": "alltoall", "calls": "nonblocking", "use": "ring:steps=1"},
         {"collective": "alltoall", "bytes": ["64K", null], "use": "ring:steps=1"},
         {"collective": "scatterv", "use": "native"},
         {"collective": "allreduce", "nodes": [2, 4], "use": "rabenseifner"},
         {"collective": "bcast", "use": "agent"})"));
  ASSERT_EQ(exported.left_out.size(), 6u);
  std::string all;
  for (const std::string& line : exported.left_out) all += line + '\n';
  for (const std::string word :
       {"bcast hierarchical (rules, rule 1): Open MPI has no such algorithm", "bcast knomial:radix=3",
        "only blocking calls", "too many numbers of ranks", "scatterv native",
        "bcast agent (rules, rule 7): Open MPI has no such algorithm"})
    EXPECT_NE(all.find(word), std::string::npos) << word << "\n" << all;
  ASSERT_EQ(exported.remarks.size(), 1u);
  EXPECT_TRUE(exported.remarks[0].starts_with("allreduce rabenseifner")) << exported.remarks[0];
}

TEST(ExportOpenMpi, RulesForTheOtherMpiHideNothing) {
  const Exported exported = to_openmpi(rules_of(
      R"({"collective": "bcast", "mpi": "mpich", "ranks": [8, 8], "use": "chain:segment=32K"},
         {"collective": "bcast", "mpi": "openmpi", "ranks": [8, 8], "use": "linear"})"));
  ASSERT_EQ(exported.left_out.size(), 1u);
  EXPECT_EQ(exported.left_out[0], "bcast chain:segment=32K (rules, rule 1): only with mpich");
  EXPECT_EQ(OpenMpiFile(exported.text).find(k_bcast, 8, 1 << 20).algorithm, 1);
}

TEST(ExportOpenMpi, ARuleThatIsLeftOutStillHidesLaterOnes) {
  const Exported exported =
      to_openmpi(rules_of(R"({"collective": "bcast", "bytes": ["64K", null], "use": "hierarchical"},
                  {"collective": "bcast", "use": "linear"})"));
  const OpenMpiFile file(exported.text);
  EXPECT_EQ(file.find(k_bcast, 8, 1000).algorithm, 1);
  EXPECT_EQ(file.find(k_bcast, 8, 64 << 10).algorithm, 0);
}

/// A tree like MPICH's own, with one name for each decision.
std::string own_tree() {
  Tree tree = Tree::object();
  for (const std::string name :
       {"barrier", "bcast", "reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "allgather",
        "allgatherv", "alltoall", "alltoallv", "gather", "scatter", "scan"})
    tree["collective=" + name] = {{"comm_type=intra", {{"algorithm=own", Tree::object()}}},
                                  {"comm_type=inter", {{"algorithm=inter", Tree::object()}}}};
  tree["collective=ibcast"] = {{"algorithm=other", Tree::object()}};
  return tree.dump();
}

struct MpichCall {
  uint64_t ranks, avg, total;
  bool in_place = false, commutative = true, built_in = true, long_count = true;
};

bool holds(const std::string& condition, const MpichCall& call) {
  const auto bound = [&](const std::string& prefix, uint64_t value, bool* result) {
    if (!condition.starts_with(prefix)) return false;
    const std::string rest = condition.substr(prefix.size());
    if (rest == "=any")
      *result = true;
    else if (rest.starts_with("<="))
      *result = value <= std::stoull(rest.substr(2));
    else
      *result = value < std::stoull(rest.substr(1));
    return true;
  };
  bool result = false;
  if (condition == "count<pow2") return !call.long_count;
  if (condition == "count=any") return true;
  if (bound("comm_size", call.ranks, &result) || bound("avg_msg_size", call.avg, &result) ||
      bound("total_msg_size", call.total, &result))
    return result;
  const bool yes = condition.ends_with("=yes");
  if (condition.starts_with("is_sendbuf_inplace")) return call.in_place == yes;
  if (condition.starts_with("is_commutative")) return call.commutative == yes;
  if (condition.starts_with("is_op_built_in")) return call.built_in == yes;
  ADD_FAILURE() << condition;
  return false;
}

/// Searches like MPICH: without backtracking from a condition that held.
std::string decided(const Tree& node, const MpichCall& call) {
  for (const auto& [key, value] : node.items()) {
    if (key.starts_with("algorithm=")) return key.substr(10);
    if (holds(key, call)) return decided(value, call);
  }
  return "nothing";
}

std::string mpich_decides(const std::string& text, const std::string& collective, const MpichCall& call) {
  const Tree tree = Tree::parse(text);
  return decided(tree["collective=" + collective]["comm_type=intra"], call);
}

Exported mpich_of(const std::string& rules) {
  auto exported = to_mpich(rules_of(rules), own_tree());
  EXPECT_TRUE(exported) << exported.status().message();
  return exported ? *exported : Exported{};
}

TEST(ExportMpich, SaysWhatTheRulesSayAndKeepsTheRest) {
  const Exported exported =
      mpich_of(R"({"collective": "bcast", "ranks": [8, 8], "bytes": ["64K", "1M"], "use": "rdaas"},
                  {"collective": "bcast", "ranks": [5, 16], "bytes": ["1K", null], "use": "knomial"})");
  EXPECT_TRUE(exported.left_out.empty());
  const auto at = [&](uint64_t ranks, uint64_t bytes) {
    return mpich_decides(exported.text, "bcast", {ranks, bytes, bytes * ranks});
  };
  EXPECT_EQ(at(8, 64 << 10), "MPIR_Bcast_intra_scatter_recursive_doubling_allgather");
  EXPECT_EQ(at(8, 1 << 20), "MPIR_Bcast_intra_scatter_recursive_doubling_allgather");
  EXPECT_EQ(at(8, (1 << 20) + 1), "MPIR_Bcast_intra_binomial");
  EXPECT_EQ(at(7, 64 << 10), "MPIR_Bcast_intra_binomial");
  EXPECT_EQ(at(8, 1023), "own");
  EXPECT_EQ(at(4, 64 << 10), "own");
  EXPECT_EQ(at(1000, 64 << 10), "own");
  const Tree tree = Tree::parse(exported.text);
  EXPECT_EQ(tree["collective=ibcast"], Tree::parse(own_tree())["collective=ibcast"]);
  EXPECT_TRUE(tree["collective=bcast"].contains("comm_type=inter"));
}

TEST(ExportMpich, SizesAreCountedItsWay) {
  const Exported exported =
      mpich_of(R"({"collective": "allgather", "ranks": [3, 4], "bytes": [1000, 1999], "use": "ring"})");
  for (const uint64_t ranks : {3, 4}) {
    const auto at = [&](uint64_t block) {
      return mpich_decides(exported.text, "allgather", {ranks, block, block * ranks});
    };
    EXPECT_EQ(at(1000), "MPIR_Allgather_intra_ring");
    EXPECT_EQ(at(1999), "MPIR_Allgather_intra_ring");
    EXPECT_EQ(at(999), "own");
    EXPECT_EQ(at(2000), "own");
  }
}

TEST(ExportMpich, AlgorithmsServeOnlyWhatTheyCan) {
  const Exported exported = mpich_of(
      R"({"collective": "alltoall", "use": "bruck"}, {"collective": "allreduce", "use": "rabenseifner"},
                  {"collective": "reduce_scatter", "use": "pairwise"})");
  MpichCall call{8, 1000, 8000};
  EXPECT_EQ(mpich_decides(exported.text, "alltoall", call), "MPIR_Alltoall_intra_brucks");
  EXPECT_EQ(mpich_decides(exported.text, "allreduce", call), "MPIR_Allreduce_intra_reduce_scatter_allgather");
  EXPECT_EQ(mpich_decides(exported.text, "reduce_scatter", call), "MPIR_Reduce_scatter_intra_pairwise");
  call.in_place = true;
  call.commutative = call.built_in = false;
  EXPECT_EQ(mpich_decides(exported.text, "alltoall", call), "own");
  EXPECT_EQ(mpich_decides(exported.text, "allreduce", call), "own");
  EXPECT_EQ(mpich_decides(exported.text, "reduce_scatter", call), "own");
  call.built_in = true;
  call.long_count = false;
  EXPECT_EQ(mpich_decides(exported.text, "allreduce", call), "own");
}

TEST(ExportMpich, NamesWhatItLeavesOut) {
  const Exported exported = mpich_of(
      R"({"collective": "bcast", "ranks": [6, 8], "use": "rdaas"}, {"collective": "bcast", "use": "chain"},
                  {"collective": "gather", "bytes": [0, 100], "use": "binomial"},
                  {"collective": "exscan", "use": "linear"})");
  std::string all;
  for (const std::string& line : exported.left_out) all += line + '\n';
  for (const std::string word :
       {"needs a power of two", "bcast chain (rules, rule 2): MPICH has no such algorithm",
        "does not distinguish sizes", "exscan linear (rules, rule 4)"})
    EXPECT_NE(all.find(word), std::string::npos) << word << "\n" << all;
  EXPECT_EQ(Tree::parse(exported.text), Tree::parse(own_tree()));
}

TEST(ExportMpich, RefusesWhatIsNotItsFile) {
  const auto rules = rules_of(R"({"collective": "bcast", "use": "knomial"})");
  for (const std::string text : {"", "{", "[]", "3", "{}", R"({"collective=bcast": 3})",
                                 R"({"collective=bcast": {"algorithm=x": {}}})"})
    EXPECT_EQ(to_mpich(rules, text).status().code(), base::Code::invalid_argument) << text;
}

/// Random rules of algorithms that both have: the files decide as the rules do.
TEST(Export, DecidesAsTheRulesDo) {
  std::mt19937 random(1);
  const std::string uses[] = {"knomial", "ringaas", "native", "hierarchical"};
  const int openmpi[] = {6, 9, 0, 0};
  const std::string mpich[] = {"MPIR_Bcast_intra_binomial", "MPIR_Bcast_intra_scatter_ring_allgather", "own",
                               "own"};
  for (int round = 0; round < test::samples(50); ++round) {
    std::string list;
    for (uint32_t i = 0, count = 1 + random() % 6; i < count; ++i) {
      const uint64_t ranks = random() % 20, bytes = random() % 5000;
      list += (i == 0 ? "" : ",") + std::string(R"({"collective": "bcast", "ranks": [)") +
              std::to_string(ranks) + ',' +
              (random() % 3 == 0 ? "null" : std::to_string(ranks + random() % 10)) + R"(], "bytes": [)" +
              std::to_string(bytes) + ',' +
              (random() % 3 == 0 ? "null" : std::to_string(bytes + random() % 3000)) + R"(], "use": ")" +
              uses[random() % 4] + "\"}";
    }
    const auto rules = rules_of(list);
    const OpenMpiFile file(to_openmpi(rules).text);
    const std::string tree = mpich_of(list).text;
    for (int call = 0; call < 60; ++call) {
      const uint64_t ranks = 1 + random() % 30, bytes = random() % 8000;
      const auto at = std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) {
        return rule.ranks.contains(ranks) && rule.bytes.contains(bytes);
      });
      size_t use = 2;
      for (size_t i = 0; at != rules.end() && i < 4; ++i)
        if (to_string(at->use) == uses[i]) use = i;
      ASSERT_EQ(file.find(k_bcast, ranks, bytes).algorithm, openmpi[use]) << list;
      ASSERT_EQ(mpich_decides(tree, "bcast", {ranks, bytes, bytes * ranks}), mpich[use]) << list;
    }
  }
}

}  // namespace
}  // namespace tutti::select
