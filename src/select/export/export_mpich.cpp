// MPICH's tuning file is a tree of conditions: the members of an object are tried in order, the first true one decides,
// and there is no backtracking. So conditions for the rules are inserted before the existing tree, and the existing
// tree is repeated wherever the rules do not decide.

#include <algorithm>
#include <bit>
#include <limits>
#include <nlohmann/json.hpp>

#include "select/export/native_algorithms.hpp"

namespace tutti::select {

using algorithm::Collective;
using base::Result;
using base::Status;
using Tree = nlohmann::ordered_json;

namespace {

constexpr uint64_t k_most = std::numeric_limits<int>::max();  // MPICH reads these numbers with atoi

struct MpichCollective {
  Collective collective;
  std::string_view prefix;  // prefix of its algorithms' names
  Measure measure;
  std::string_view size;  // name of the condition on the size
};
// gather and scatter: MPICH 4.0 compares element counts, not bytes. exscan and the others have only one algorithm.
constexpr MpichCollective k_mpich_collectives[] = {
    {Collective::barrier, "MPIR_Barrier_intra_", Measure::none, ""},
    {Collective::bcast, "MPIR_Bcast_intra_", Measure::same, "avg_msg_size"},
    {Collective::reduce, "MPIR_Reduce_intra_", Measure::same, "avg_msg_size"},
    {Collective::allreduce, "MPIR_Allreduce_intra_", Measure::same, "avg_msg_size"},
    {Collective::reduce_scatter, "MPIR_Reduce_scatter_intra_", Measure::same, "total_msg_size"},
    {Collective::reduce_scatter_block, "MPIR_Reduce_scatter_block_intra_", Measure::same, "total_msg_size"},
    {Collective::allgather, "MPIR_Allgather_intra_", Measure::times_ranks, "total_msg_size"},
    {Collective::allgatherv, "MPIR_Allgatherv_intra_", Measure::times_ranks, "total_msg_size"},
    {Collective::alltoall, "MPIR_Alltoall_intra_", Measure::same, "avg_msg_size"},
    {Collective::alltoallv, "MPIR_Alltoallv_intra_", Measure::none, ""},
    {Collective::gather, "MPIR_Gather_intra_", Measure::none, ""},
    {Collective::scatter, "MPIR_Scatter_intra_", Measure::none, ""},
    {Collective::scan, "MPIR_Scan_intra_", Measure::none, ""},
};

std::optional<std::string> mpich_problem_of(const Rule& rule) {
  const NativeAlgorithm* native = find_native(rule.collective, rule.use);
  if (native == nullptr || native->mpich.empty()) return "MPICH has no such algorithm";
  const bool is_power = rule.ranks.least == rule.ranks.most && std::has_single_bit(rule.ranks.least);
  if (native->mpich_needs == NativeAlgorithm::Needs::power_of_two && !is_power)
    return "MPICH's needs a power of two of ranks, which the rule does not ensure";
  return std::nullopt;
}

/// The algorithm, under the conditions that it needs; otherwise the old tree.
Tree leaf_of(const MpichCollective& collective, const Rule& rule, const Tree& old) {
  const NativeAlgorithm* native = find_native(rule.collective, rule.use);
  Tree leaf;
  leaf["algorithm=" + std::string(collective.prefix) + std::string(native->mpich)] = Tree::object();
  if (collective.collective == Collective::alltoall || collective.collective == Collective::alltoallv)
    return {{"is_sendbuf_inplace=yes", old}, {"is_sendbuf_inplace=no", leaf}};
  switch (native->mpich_needs) {
    case NativeAlgorithm::Needs::commutative:
      return {{"is_commutative=yes", leaf}, {"is_commutative=no", old}};
    case NativeAlgorithm::Needs::long_built_in:
      return {{"is_op_built_in=yes", {{"count<pow2", old}, {"count=any", leaf}}}, {"is_op_built_in=no", old}};
    case NativeAlgorithm::Needs::nothing:
    case NativeAlgorithm::Needs::power_of_two:
      break;
  }
  return leaf;
}

class Rewriter {
 public:
  Rewriter(const MpichCollective& collective, const Sorted& rules, const Tree& old)
      : collective_(collective), rules_(rules), old_(old) {}

  Tree tree_of(std::span<const Row> rows) const {
    Tree tree = Tree::object();
    for (const Row& row : rows) {
      if (row.most_ranks > k_most) {
        tree["comm_size=any"] = tree_of(row);
        break;
      }
      tree["comm_size<=" + std::to_string(row.most_ranks)] = tree_of(row);
    }
    return tree;
  }

 private:
  Tree tree_of(const Cell& cell) const {
    if (!rules_.is_said(cell.rule) || cell.rule->use.is_native()) return old_;
    return leaf_of(collective_, *cell.rule, old_);
  }

  Tree tree_of(const Row& row) const {
    if (row.cells.size() == 1) return tree_of(row.cells.front());
    const uint64_t scale =
        collective_.measure == Measure::times_ranks ? std::max<uint64_t>(row.least_ranks, 1) : 1;
    const std::string size(collective_.size);
    Tree tree = Tree::object();
    for (size_t i = 0; i < row.cells.size(); ++i) {
      const bool is_last = i + 1 == row.cells.size() || row.cells[i + 1].least_bytes > k_most / scale;
      if (is_last) {
        tree[size + "=any"] = tree_of(row.cells[i]);
        break;
      }
      tree[size + '<' + std::to_string(row.cells[i + 1].least_bytes * scale)] = tree_of(row.cells[i]);
    }
    return tree;
  }

  const MpichCollective& collective_;
  const Sorted& rules_;
  const Tree& old_;
};

/// Inserts the rules for one collective into the document. Returns false if the document has no entry for it.
bool rewrite(const MpichCollective& collective, std::span<const Rule> rules, Tree* document,
             Exported* exported) {
  const Sorted rules_here =
      sorted(rules, collective.collective, collective.measure, mpich_problem_of, exported);
  if (rules_here.said.empty()) return true;
  const auto at = document->find("collective=" + std::string(algorithm::to_string(collective.collective)));
  if (at == document->end() || !at->is_object() || !at->contains("comm_type=intra")) return false;
  Tree& intra = (*at)["comm_type=intra"];
  const Tree old = intra;
  const bool one_by_one = collective.measure == Measure::times_ranks;
  intra = Rewriter(collective, rules_here, old).tree_of(rows_of(rules_here.deciding, one_by_one));
  return true;
}

}  // namespace

Result<Exported> to_mpich(std::span<const Rule> all, std::string_view own) {
  const auto fail = [](const std::string& what) {
    return Status::invalid_argument("MPICH's own tuning file: " + what);
  };
  Tree document = Tree::parse(own, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) return fail("is not valid JSON");
  if (!document.is_object()) return fail("is not a tree of conditions");
  Exported exported;
  const std::vector<Rule> rules = rules_of_mpi(all, "mpich", &exported);
  for (const MpichCollective& collective : k_mpich_collectives)
    if (!rewrite(collective, rules, &document, &exported))
      return fail("has no \"collective=" + std::string(algorithm::to_string(collective.collective)) +
                  "\" with \"comm_type=intra\"");
  for (const Rule& rule : rules) {
    const bool is_known = std::any_of(std::begin(k_mpich_collectives), std::end(k_mpich_collectives),
                                      [&](const auto& row) { return row.collective == rule.collective; });
    if (!is_known) exported.left_out.push_back(title_of(rule) + ": MPICH has one algorithm for it");
  }
  exported.text = document.dump(1) + '\n';
  return exported;
}

}  // namespace tutti::select
