#include "record/analysis/analysis.hpp"

#include <algorithm>
#include <bit>

#include "record/analysis/lateness.hpp"
#include "record/clock_model.hpp"

namespace tutti::record::analysis {

namespace {

/// Sites that have a heat map: memory is not for all of a program with thousands.
constexpr size_t k_most_heat_maps = 300;

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
    of->rank_ns += sums.elapsed_ns;
    of->elapsed_ns = std::max(of->elapsed_ns, sums.elapsed_ns);
    NodeSums& node = of->nodes[sums.node];
    node.host = says.host;
    ++node.ranks;
    const uint64_t middle_ns = says.began_ns + sums.elapsed_ns / 2;
    for (const uint64_t at : {says.began_ns, middle_ns, says.ended_ns})
      node.clock_error_ns = std::max(node.clock_error_ns, clock.error_ns(at));
    of->clock_error_ns = std::max(of->clock_error_ns, node.clock_error_ns);
  }
  of->timeline = Timeline(begin_ns, end_ns, of->nodes.size());
}

/// Takes calls in, one after the other.
class Summing {
 public:
  Summing(Analysis* of, uint64_t kept_records)
      : of_(of), worst_(kept_records), passed_on_(of->ranks.size()) {}

  void add(const CallInstance& call) {
    judge(call, &lateness_);
    const std::vector<uint32_t>& members = of_->tables.groups[call.group].members;
    site_of(call).add(call, lateness_);
    worst_.add(call, lateness_);
    for (size_t i = 0; i < members.size(); ++i) {
      const MemberCall& one = call.calls[i];
      if (!one.is_present) continue;
      const MemberTimes& times = lateness_.members[i];
      RankSums& rank = of_->ranks[members[i]];
      note_progress(one);
      rank.waiting_ns += times.waiting_ns;
      rank.transfer_ns += times.transfer_ns;
      rank.hidden_ns += times.hidden_ns;
      rank.saved_ns += lateness_.saved_ns;
      if (one.gap_ns != k_unknown_ns) {
        rank.gap_ns += one.gap_ns;
        rank.typical_gap_ns += lateness_.typical_gap_ns;
      }
      of_->timeline.add(rank.node, one.arrival_ns, times.waiting_ns, times.transfer_ns);
    }
    blame(call, members);
    if (lateness_.is_judged)
      ++of_->ranks[members[lateness_.last]].late_calls;
    else
      ++of_->unjudged_calls;
  }

  /// A call that did not end: who is in it waits until the run ends.
  void add_unfinished(const CallInstance& call) {
    if (call.interface != select::CallKind::blocking) return;
    const std::vector<uint32_t>& members = of_->tables.groups[call.group].members;
    for (size_t i = 0; i < members.size(); ++i) {
      const MemberCall& one = call.calls[i];
      if (!is_under_way(one)) {
        note_progress(one);
        continue;
      }
      RankSums& rank = of_->ranks[members[i]];
      const auto waiting_ns =
          static_cast<uint64_t>(std::max<int64_t>(of_->ends_ns[members[i]] - one.arrival_ns, 0));
      rank.waiting_ns += waiting_ns;
      site_of_unfinished(call).waiting_ns += waiting_ns;
      of_->timeline.add(rank.node, one.arrival_ns, waiting_ns, 0);
    }
  }

  void give_worst_calls() {
    of_->calls_not_kept = worst_.left_out();
    of_->worst_calls = worst_.take();
  }

  std::vector<Site> take_sites() {
    std::vector<Site> sites;
    for (auto& [key, site] : sites_) sites.push_back(std::move(site));
    std::ranges::stable_sort(sites, std::greater<>(),
                             [](const Site& site) { return std::pair(site.waiting_ns, site.transfer_ns); });
    return sites;
  }

 private:
  /// Why a rank may be late at its next call: it waited for another one in this.
  struct PassedOn {
    uint64_t waiting_ns = 0;
    uint32_t rank = 0;
  };

  /// How much longer `late` was between its calls than `other`, at most `most_ns`; all of it where that is unknown.
  static uint64_t longer_work(const MemberCall& late, const MemberCall& other, uint64_t most_ns) {
    if (late.gap_ns == k_unknown_ns || other.gap_ns == k_unknown_ns) return most_ns;
    return std::min(late.gap_ns - std::min(late.gap_ns, other.gap_ns), most_ns);
  }

  /// Waiting is for work, as far as the late rank was longer between its calls than the one that waits. A rank that is
  /// late because it had to wait itself passes the blame on, as far as it waited (as delay analysis does: Böhme et al.,
  /// ICPP 2010). The rest comes of leaving the call before at different times, which is nobody's fault.
  void blame(const CallInstance& call, const std::vector<uint32_t>& members) {
    for (size_t i = 0; i < members.size(); ++i) {
      const MemberTimes& times = lateness_.members[i];
      if (times.waiting_ns == 0) continue;
      const uint32_t whom = members[times.awaited];
      const PassedOn& before = passed_on_[whom];
      const uint64_t work_ns = longer_work(call.calls[times.awaited], call.calls[i], times.waiting_ns);
      of_->ranks[whom].caused_ns += work_ns;
      of_->ranks[before.rank].caused_ns += std::min(before.waiting_ns, times.waiting_ns - work_ns);
    }
    blamed_.clear();
    for (size_t i = 0; i < members.size(); ++i) {
      const MemberTimes& times = lateness_.members[i];
      const uint32_t whom = members[times.awaited];
      const PassedOn& before = passed_on_[whom];
      const bool was_passed = before.waiting_ns > times.waiting_ns / 2;
      blamed_.push_back({.waiting_ns = times.waiting_ns, .rank = was_passed ? before.rank : whom});
    }
    for (size_t i = 0; i < members.size(); ++i) passed_on_[members[i]] = blamed_[i];
  }

  void note_progress(const MemberCall& one) {
    if (one.is_present && one.inside_ns != k_unknown_ns)
      of_->last_progress_ns =
          std::max(of_->last_progress_ns, one.arrival_ns + static_cast<int64_t>(one.inside_ns));
  }

  /// How many bytes such a call has is not known.
  Site& site_of_unfinished(const CallInstance& call) {
    const auto lowest = std::ranges::find_if(call.calls, &MemberCall::is_present);
    for (auto& [key, site] : sites_)
      if (key.place == lowest->place && key.group == call.group && key.collective == call.collective &&
          key.interface == call.interface)
        return site;
    return site_of(call);
  }

  Site& site_of(const CallInstance& call) {
    const auto lowest = std::ranges::find_if(call.calls, &MemberCall::is_present);
    const SiteKey key{.place = lowest->place,
                      .group = call.group,
                      .collective = call.collective,
                      .interface = call.interface,
                      .size_class = static_cast<int>(std::bit_width(call.bytes))};
    const auto [found, is_new] = sites_.try_emplace(key, key, call.calls.size());
    if (is_new && sites_.size() <= k_most_heat_maps) found->second.heat.emplace(call.calls.size());
    return found->second;
  }

  Analysis* of_;
  Lateness lateness_;
  WorstCalls worst_;
  std::vector<PassedOn> passed_on_;  // by rank
  std::vector<PassedOn> blamed_;
  std::map<SiteKey, Site> sites_;
};

/// What only the end of all calls tells.
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
}

}  // namespace

Scores scores_of(const BusyTimes& times) {
  const auto busy_ns = static_cast<double>(times.elapsed_ns - std::min(times.waiting_ns, times.elapsed_ns));
  const auto without = [&](uint64_t wanted_ns) {
    const auto excess_ns = static_cast<double>(times.gap_ns - std::min(wanted_ns, times.gap_ns));
    return busy_ns <= 0 ? 1.0 : std::max(0.0, 1 - excess_ns / busy_ns);
  };
  return {.relative = without(times.typical_gap_ns), .individual = without(times.best_gap_ns)};
}

uint64_t Analysis::without_lateness_ns() const {
  uint64_t saved_ns = 0;
  for (const RankSums& rank : ranks) saved_ns += rank.saved_ns;
  saved_ns /= std::max<size_t>(run.found.size(), 1);
  return elapsed_ns - std::min(saved_ns, elapsed_ns);
}

base::Result<Analysis> analyse(const std::string& folder, uint64_t kept_records) {
  auto run = open_run(folder);
  if (!run) return run.status();
  RunTables tables(*run);
  Analysis analysis{.run = std::move(*run), .tables = std::move(tables)};
  describe_ranks(&analysis);
  Summing summing(&analysis, kept_records);
  analysis.assembled =
      assemble(analysis.run, analysis.tables, [&](const CallInstance& call) { summing.add(call); });
  for (const CallInstance& call : analysis.assembled.unfinished) summing.add_unfinished(call);
  analysis.sites = summing.take_sites();
  summing.give_worst_calls();
  sum_up(&analysis);
  return analysis;
}

}  // namespace tutti::record::analysis
