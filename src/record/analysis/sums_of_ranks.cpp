#include "record/analysis/sums_of_ranks.hpp"

#include <algorithm>
#include <map>

#include "record/clock_model.hpp"

namespace tutti::record::analysis {

void describe_ranks(Analysis* of) {
  of->ranks.resize(of->run.ranks);
  of->ends_ns.assign(of->run.ranks, INT64_MIN);
  std::map<uint32_t, uint32_t> numbers;
  for (const RankOfRun& rank : of->run.found) numbers.try_emplace(rank.description.node, 0);
  for (auto& [number, place] : numbers) {
    place = static_cast<uint32_t>(of->nodes.size());
    of->nodes.push_back({.number = number});
  }
  int64_t begin_ns = INT64_MAX, end_ns = INT64_MIN;
  for (const RankOfRun& rank : of->run.found) {
    const RankDescription& says = rank.description;
    const ClockModel clock(says.clock, of->run.has_common_clock(rank));
    begin_ns = std::min(begin_ns, clock.at(says.began_ns));
    of->ends_ns[says.rank] = clock.at(says.ended_ns);
    end_ns = std::max(end_ns, of->ends_ns[says.rank]);
    RankSums& sums = of->ranks[says.rank];
    sums.has_file = true;
    sums.node = numbers.at(says.node);
    sums.elapsed_ns = says.ended_ns - says.began_ns;
    sums.dropped = says.taken > says.records ? says.taken - says.records : 0;
    of->dropped += sums.dropped;
    of->elapsed_ns = std::max(of->elapsed_ns, sums.elapsed_ns);
    NodeSums& node = of->nodes[sums.node];
    node.host = says.host;
    ++node.ranks;
    const uint64_t middle_ns = says.began_ns + sums.elapsed_ns / 2;
    for (const uint64_t at : {says.began_ns, middle_ns, says.ended_ns})
      node.clock_error_ns = std::max(node.clock_error_ns, clock.error_ns(at));
    of->clock_error_ns = std::max(of->clock_error_ns, node.clock_error_ns);
  }
  of->began_ns = begin_ns;
  of->timeline = Timeline(begin_ns, end_ns, of->nodes.size());
}

void sum_up(Analysis* of) {
  for (const Site& site : of->sites) {
    const std::vector<uint32_t>& members = of->tables.groups[site.key.group].members;
    for (size_t i = 0; i < members.size(); ++i) {
      const MemberSums& sums = site.members[i];
      const bool has_best = sums.best_window_ns != UINT64_MAX;
      of->ranks[members[i]].best_gap_ns += has_best ? sums.best_window_ns * sums.gaps : sums.gap_ns;
    }
  }
  for (const RankSums& rank : of->ranks) {
    NodeSums& node = of->nodes[rank.node];
    node.elapsed_ns += rank.elapsed_ns;
    node.waiting_ns += rank.waiting_ns;
    node.transfer_ns += rank.transfer_ns;
    node.caused_ns += rank.caused_ns;
    node.gap_ns += rank.gap_ns;
    node.typical_gap_ns += rank.typical_gap_ns;
    node.best_gap_ns += rank.best_gap_ns;
    of->waiting_ns += rank.waiting_ns;
    of->caused_ns += rank.caused_ns;
    of->transfer_ns += rank.transfer_ns;
    of->hidden_ns += rank.hidden_ns;
  }
  std::vector<uint64_t> work;
  for (const RankOfRun& rank : of->run.found) work.push_back(of->ranks[rank.description.rank].worked_ns);
  const auto middle = work.begin() + static_cast<ptrdiff_t>((work.size() - 1) / 2);
  std::ranges::nth_element(work, middle);
  of->typical_work_ns = *middle;
}

uint64_t Analysis::without_lateness_ns() const {
  const uint64_t saved_ns = caused_ns / std::max<size_t>(run.found.size(), 1);
  return recorded_ns - std::min(saved_ns, recorded_ns);
}

}  // namespace tutti::record::analysis
