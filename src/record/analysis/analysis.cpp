#include "record/analysis/analysis.hpp"

#include <algorithm>
#include <bit>

#include "record/analysis/covered_time.hpp"
#include "record/analysis/delays.hpp"
#include "record/analysis/lateness.hpp"
#include "record/analysis/open_waits.hpp"
#include "record/analysis/sums_of_ranks.hpp"

namespace tutti::record::analysis {

namespace {

/// Number of sites that get a heat map; limits the memory for programs with thousands of sites.
constexpr size_t k_most_heat_maps = 300;

/// Accumulates the calls one by one.
class Summing {
 public:
  Summing(Analysis* of, uint64_t kept_records)
      : of_(of),
        worst_(kept_records),
        delays_(of->ranks.size()),
        covered_(of->ranks.size()),
        recorded_(of->ranks.size()),
        caused_now_(of->ranks.size()) {}

  void add(const CallInstance& call) {
    judge(call, &lateness_);
    const std::vector<uint32_t>& members = of_->tables.groups[call.group].members;
    if (call.interface != select::CallInterface::blocking) unite(call, members);
    const uint64_t weight = weight_of(call);
    for (size_t i = 0; i < members.size(); ++i) {
      const MemberCall& one = call.calls[i];
      if (!one.is_present) continue;
      const MemberTimes& times = lateness_.members[i];
      RankSums& rank = of_->ranks[members[i]];
      note_progress(one);
      const uint64_t whole_ns = one.whole_ns == k_unknown_ns ? 0 : one.whole_ns;
      note_recorded(members[i], one.arrival_ns, one.arrival_ns + static_cast<int64_t>(whole_ns));
      rank.waiting_ns += times.waiting_ns * weight;
      rank.transfer_ns += times.transfer_ns * weight;
      rank.hidden_ns += times.hidden_ns * weight;
      rank.worked_ns = std::max(rank.worked_ns, one.worked_until_waits_ns);
      if (one.gap_ns != k_unknown_ns) {
        rank.gap_ns += one.gap_ns;
        rank.typical_gap_ns += lateness_.typical_gap_ns;
      }
      // The call stands for `weight` calls, of which the others came before it.
      const uint64_t inside_ns = times.waiting_ns + times.transfer_ns;
      of_->timeline.add(rank.node, wait_begins(one) - static_cast<int64_t>((weight - 1) * inside_ns),
                        times.waiting_ns * weight, times.transfer_ns * weight);
    }
    blamed_.clear();
    blame(call, members);
    for (Blame& one : blamed_) one.ns *= weight;
    charge(
        {.collective = call.collective, .place = call.calls[lateness_.last].place, .sequence = call.sequence},
        weight);
    site_of(call).add(call, lateness_, blamed_, weight);
    worst_.add(call, lateness_);
    if (lateness_.is_judged)
      ++of_->ranks[members[lateness_.last]].late_calls;
    else
      ++of_->unjudged_calls;
  }

  /// A call that did not end: the ranks in it wait until the run ends.
  void add_unfinished(const CallInstance& call) {
    if (call.interface != select::CallInterface::blocking) return;
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

  /// The same for waits beside collectives. Threads of a rank may wait at the same time.
  void add_unfinished(const OpenWait& wait) {
    if (wait.call == MessageCall::poll) return;
    RankSums& rank = of_->ranks[wait.rank];
    const int64_t until_end_ns = std::max<int64_t>(of_->ends_ns[wait.rank] - wait.arrival_ns, 0);
    const uint64_t known_ns = std::min(rank.waiting_ns + rank.transfer_ns, rank.elapsed_ns);
    const uint64_t waiting_ns = std::min(static_cast<uint64_t>(until_end_ns), rank.elapsed_ns - known_ns);
    rank.waiting_ns += waiting_ns;
    of_->timeline.add(rank.node, wait.arrival_ns, waiting_ns, 0);
    if (const BegunCall begun = awaited_collective(wait, of_->tables, of_->assembled.unfinished);
        begun.call) {
      site_of_unfinished(*begun.call).waiting_ns += waiting_ns;
      return;
    }
    of_->message_ns[static_cast<size_t>(wait.call)] += waiting_ns;
    of_->message_waiting_ns[static_cast<size_t>(wait.call)] += waiting_ns;
  }

  /// Which of the peers a rank has waited for is not known: the one with the longest delay is assumed. Time that the
  /// delay does not explain is transfer.
  void add(const MessageWait& wait) {
    blamed_.clear();
    const Worked* late = nullptr;
    // Time in calls that are not recorded looks like work.
    const uint64_t explained_ns = of_->sampled_every() == 1 ? blame_peers(wait, &late) : 0;
    const Counted counted = count(wait.rank.rank, wait.arrival_ns, explained_ns, wait.waited_ns);
    if (counted.waiting_ns < explained_ns)
      for (Blame& one : blamed_)
        one.ns = static_cast<uint64_t>(static_cast<double>(one.ns) * static_cast<double>(counted.waiting_ns) /
                                       static_cast<double>(explained_ns));
    RankSums& rank = of_->ranks[wait.rank.rank];
    rank.worked_ns = std::max(rank.worked_ns, wait.rank.ns);
    note_progress(wait);
    rank.waiting_ns += counted.waiting_ns;
    const bool is_known = !wait.peers.empty() && wait.call != MessageCall::poll;
    const uint64_t transfer_ns = is_known ? counted.transfer_ns : 0;
    if (!is_known) of_->unknown_ns[wait.name] += counted.transfer_ns;
    rank.transfer_ns += transfer_ns;
    of_->message_ns[static_cast<size_t>(wait.call)] += counted.waiting_ns + transfer_ns;
    of_->message_waiting_ns[static_cast<size_t>(wait.call)] += counted.waiting_ns;
    of_->timeline.add(rank.node, wait.arrival_ns, counted.waiting_ns, transfer_ns);
    note_recorded(wait.rank.rank, wait.arrival_ns, wait.arrival_ns + static_cast<int64_t>(wait.waited_ns));
    if (wait.name == k_finalize) {
      finalize_blamed_.insert(finalize_blamed_.end(), blamed_.begin(), blamed_.end());
      return;
    }
    const double blame_ns = charge({.is_for_message = true}, 1);
    rank.message_blame.add(blame_ns);
    rank.message_blame_squares += blame_ns * blame_ns;
    if (explained_ns > wait.waited_ns / 2 && counted.waiting_ns >= explained_ns / 2)
      delays_.follow(wait.rank, *late);
  }

  /// The ranks have waited together in MPI_Finalize: what they have waited for is one event.
  void charge_finalize() {
    blamed_.swap(finalize_blamed_);
    of_->finalize_blame_ns = charge({.is_for_finalize = true}, 1);
  }

  /// Excludes the time of dropped records from the ranks' times.
  void give_recorded_times() {
    for (const RankOfRun& rank : of_->run.found) {
      const RankDescription& says = rank.description;
      RankSums& sums = of_->ranks[says.rank];
      const Recorded& recorded = recorded_[says.rank];
      if (sums.dropped > 0 && recorded.from_ns <= recorded.to_ns) {
        const int64_t ended_ns = of_->ends_ns[says.rank];
        const int64_t began_ns = ended_ns - static_cast<int64_t>(sums.elapsed_ns);
        const int64_t recorded_ns =
            says.keeps_newest ? ended_ns - recorded.from_ns : recorded.to_ns - began_ns;
        sums.elapsed_ns = std::min(sums.elapsed_ns, static_cast<uint64_t>(std::max<int64_t>(recorded_ns, 0)));
      }
      if (of_->sampled_every() > 1) {  // estimates
        sums.waiting_ns = std::min(sums.waiting_ns, sums.elapsed_ns);
        sums.transfer_ns = std::min(sums.transfer_ns, sums.elapsed_ns - sums.waiting_ns);
      }
      of_->recorded_ns = std::max(of_->recorded_ns, sums.elapsed_ns);
      of_->rank_ns += sums.elapsed_ns;
    }
  }

  /// Adds the ranks that did not finish and still tested in a loop at the end to the ranks that were in a call.
  void add_last_tests(std::vector<OpenWait>* to) {
    constexpr int64_t k_soon_ns = 1'000'000'000;
    for (const RankOfRun& rank : of_->run.found) {
      const uint32_t number = rank.description.rank;
      const auto tests = tests_.find(number);
      if (!rank.is_finalized() && tests != tests_.end() &&
          of_->ends_ns[number] - tests_until_[number] < k_soon_ns)
        to->push_back(tests->second);
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
  /// Limits how many of the latest ranks share the blame: all ranks that are missing at a moment are to blame for it.
  static constexpr size_t k_most_late = 8;

  void blame(const CallInstance& call, const std::vector<uint32_t>& members) {
    find_late(call);
    // Earlier calls on other communicators that are not recorded look like work.
    const bool is_work_known =
        of_->sampled_every() == 1 || call.sequence > 0 || lateness_.typical_gap_ns == k_unknown_ns;
    for (uint32_t i = 0; i < members.size(); ++i) {
      const MemberTimes& times = lateness_.members[i];
      if (times.waiting_ns == 0 || times.awaited == i || !is_work_known) continue;
      const bool is_for_wait = times.is_for_wait;
      const Worked waiter = worked(call, members, i, is_for_wait);
      const bool is_for_last = !late_.empty() && times.awaited == late_.front();
      if (!is_for_last || call.interface != select::CallInterface::blocking) {
        delays_.blame(waiter, worked(call, members, times.awaited, is_for_wait), times.waiting_ns, &blamed_);
        continue;
      }
      // In time order: the ranks arrive one after the other, and those still missing share each interval.
      double share_ns = 0, until_ns = static_cast<double>(times.waiting_ns);
      size_t waits_for = 0;
      const auto ready_ns = [&](size_t k) {
        const int64_t after = call.calls[late_[k]].arrival_ns - call.calls[i].arrival_ns;
        return std::clamp<double>(static_cast<double>(after), 0, until_ns);
      };
      while (waits_for < late_.size() && ready_ns(waits_for) > 0) ++waits_for;
      double from_ns = 0;
      for (size_t k = waits_for; k-- > 0;) {
        share_ns += (ready_ns(k) - from_ns) / static_cast<double>(k + 1);
        from_ns = ready_ns(k);
        delays_.blame(waiter, worked(call, members, late_[k]), static_cast<uint64_t>(share_ns), &blamed_);
      }
    }
    go_on(call, members);
  }

  /// Fills late_, the latest rank first.
  void find_late(const CallInstance& call) {
    late_.clear();
    for (uint32_t i = 0; i < call.calls.size(); ++i)
      if (call.calls[i].is_present) late_.push_back(i);
    const auto is_later = [&](uint32_t a, uint32_t b) {
      return std::pair(call.calls[a].arrival_ns, b) > std::pair(call.calls[b].arrival_ns, a);
    };
    const size_t most = std::min(late_.size(), k_most_late);
    std::partial_sort(late_.begin(), late_.begin() + static_cast<ptrdiff_t>(most), late_.end(), is_later);
    late_.resize(most);
  }

  static Worked worked(const CallInstance& call, const std::vector<uint32_t>& members, uint32_t i,
                       bool until_waits = false) {
    return {members[i], until_waits ? call.calls[i].worked_until_waits_ns : call.calls[i].worked_ns};
  }

  /// A rank that has waited for another takes over its delays.
  void go_on(const CallInstance& call, const std::vector<uint32_t>& members) {
    const bool have_met = call.interface == select::CallInterface::blocking &&
                          dependence_of(call.collective) == Dependence::all_on_all;
    if (!have_met) {
      // A rank that left when the last one had arrived is not affected by what that one did before it began to wait.
      for (const bool is_for_wait : {false, true})
        for (uint32_t i = 0; i < members.size(); ++i) {
          const MemberTimes& times = lateness_.members[i];
          if (times.waiting_ns > 0 && times.is_for_wait == is_for_wait)
            delays_.follow(worked(call, members, i, is_for_wait),
                           worked(call, members, times.awaited, is_for_wait));
        }
      return;
    }
    met_.clear();
    for (uint32_t i = 0; i < members.size(); ++i)
      if (call.calls[i].is_present) met_.push_back(worked(call, members, i));
    if (met_.size() == of_->run.found.size())
      delays_.forget(met_);
    else
      delays_.meet(met_, worked(call, members, lateness_.last));
  }

  /// How much of the wait the work of ranks explains; the causes are in `blamed_`.
  uint64_t blame_peers(const MessageWait& wait, const Worked** late) {
    uint64_t waiting_ns = 0;
    for (const Worked& peer : wait.peers) {
      if (peer.rank == wait.rank.rank) continue;
      others_.clear();
      const uint64_t explained_ns = delays_.blame(wait.rank, peer, wait.waited_ns, &others_);
      if (explained_ns <= waiting_ns) continue;
      waiting_ns = explained_ns;
      *late = &peer;
      blamed_.swap(others_);
    }
    return waiting_ns;
  }

  /// The first record of a communicator is its first call, which stands only for itself.
  uint64_t weight_of(const CallInstance& call) const { return call.sequence == 0 ? 1 : of_->sampled_every(); }

  static int64_t wait_begins(const MemberCall& one) {
    return one.is_over() ? one.wait_begins_ns() : one.arrival_ns;
  }

  /// Time of a rank in a call that may overlap other waits: only what was not counted for those.
  struct Counted {
    uint64_t waiting_ns = 0, transfer_ns = 0;
  };
  Counted count(uint32_t rank, int64_t from_ns, uint64_t waiting_ns, uint64_t inside_ns) {
    CoveredTimes& covered = covered_[rank];
    const uint64_t new_waiting_ns = covered.waiting.add(from_ns, from_ns + static_cast<int64_t>(waiting_ns));
    const uint64_t new_inside_ns = covered.inside.add(from_ns, from_ns + static_cast<int64_t>(inside_ns));
    if (new_inside_ns >= new_waiting_ns) return {new_waiting_ns, new_inside_ns - new_waiting_ns};
    // The interval was counted as transfer before.
    const uint64_t again_ns = new_waiting_ns - new_inside_ns;
    RankSums& sums = of_->ranks[rank];
    sums.transfer_ns -= std::min(again_ns, sums.transfer_ns);
    of_->timeline.take_transfer(sums.node, from_ns, again_ns);
    return {new_waiting_ns, 0};
  }

  /// If a rank waits for several nonblocking calls at once, the time counts for the first.
  void unite(const CallInstance& call, const std::vector<uint32_t>& members) {
    for (size_t i = 0; i < members.size(); ++i) {
      const MemberCall& one = call.calls[i];
      if (!one.is_present || one.inside_ns == k_unknown_ns) continue;
      MemberTimes& times = lateness_.members[i];
      const Counted counted = count(members[i], wait_begins(one), times.waiting_ns, one.inside_ns);
      lateness_.awaited_ns[times.awaited] -= times.waiting_ns;
      // The rank has taken over the delays in the call for which that time counts.
      if (counted.waiting_ns < times.waiting_ns / 2) times.awaited = static_cast<uint32_t>(i);
      times.waiting_ns = counted.waiting_ns;
      times.transfer_ns = counted.transfer_ns;
      lateness_.awaited_ns[times.awaited] += times.waiting_ns;
    }
  }

  void note_recorded(uint32_t rank, int64_t from_ns, int64_t to_ns) {
    recorded_[rank].from_ns = std::min(recorded_[rank].from_ns, from_ns);
    recorded_[rank].to_ns = std::max(recorded_[rank].to_ns, to_ns);
  }

  /// Charges `blamed_` to the ranks, for one call of `weight`. Returns its sum.
  double charge(const LongestDelay& where, uint64_t weight) {
    double sum = 0;
    for (const Blame& one : blamed_) {
      RankSums& rank = of_->ranks[one.rank];
      rank.caused_ns += one.ns;
      caused_now_[one.rank] += static_cast<double>(one.ns);
      sum += static_cast<double>(one.ns);
      if (one.ns / weight <= rank.longest.ns) continue;
      rank.longest = where;
      rank.longest.ns = one.ns / weight;
    }
    for (const Blame& one : blamed_) {
      of_->ranks[one.rank].caused_squares += caused_now_[one.rank] * caused_now_[one.rank];
      caused_now_[one.rank] = 0;
    }
    of_->caused_squares += sum * sum;
    return sum;
  }

  void note_progress(const MemberCall& one) {
    if (one.is_present && one.inside_ns != k_unknown_ns)
      of_->last_progress_ns =
          std::max(of_->last_progress_ns, one.arrival_ns + static_cast<int64_t>(one.inside_ns));
  }

  /// Unsuccessful tests are no progress.
  void note_progress(const MessageWait& wait) {
    const int64_t end_ns = wait.arrival_ns + static_cast<int64_t>(wait.waited_ns);
    if (wait.call != MessageCall::poll) {
      of_->last_progress_ns = std::max(of_->last_progress_ns, end_ns);
      return;
    }
    constexpr int64_t k_soon_ns = 1'000'000'000;
    OpenWait& tests = tests_[wait.rank.rank];
    if (tests.name.empty() || wait.arrival_ns - tests_until_[wait.rank.rank] > k_soon_ns)
      tests = {.rank = wait.rank.rank,
               .call = wait.call,
               .name = wait.name,
               .peers = {},
               .members = {},
               .arrival_ns = wait.arrival_ns};
    tests_until_[wait.rank.rank] = end_ns;
  }

  /// The number of bytes of an unfinished call is not known.
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
  Delays delays_;
  std::vector<Blame> blamed_, others_, finalize_blamed_;
  std::vector<uint32_t> late_;
  std::vector<Worked> met_;
  struct CoveredTimes {
    CoveredTime waiting, inside;
  };
  std::vector<CoveredTimes> covered_;  // by rank
  struct Recorded {
    int64_t from_ns = INT64_MAX, to_ns = INT64_MIN;
  };
  std::vector<Recorded> recorded_;  // by rank
  std::vector<double> caused_now_;  // by rank, for the current call
  std::map<SiteKey, Site> sites_;
  std::map<uint32_t, OpenWait> tests_;  // by rank: its latest loop of tests
  std::map<uint32_t, int64_t> tests_until_;
};

}  // namespace

base::Result<Analysis> analyse(const std::string& folder, uint64_t kept_records) {
  auto run = open_run(folder);
  if (!run) return run.status();
  RunTables tables(*run);
  Analysis analysis{.run = std::move(*run), .tables = std::move(tables)};
  describe_ranks(&analysis);
  Summing summing(&analysis, kept_records);
  analysis.assembled = assemble(analysis.run, analysis.tables,
                                {.call = [&](const CallInstance& call) { summing.add(call); },
                                 .message = [&](const MessageWait& wait) { summing.add(wait); }});
  for (const CallInstance& call : analysis.assembled.unfinished) summing.add_unfinished(call);
  summing.add_last_tests(&analysis.assembled.open_waits);
  for (const OpenWait& wait : analysis.assembled.open_waits) summing.add_unfinished(wait);
  summing.charge_finalize();
  analysis.sites = summing.take_sites();
  summing.give_worst_calls();
  summing.give_recorded_times();
  sum_up(&analysis);
  return analysis;
}

}  // namespace tutti::record::analysis
