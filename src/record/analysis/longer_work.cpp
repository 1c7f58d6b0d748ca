#include "record/analysis/longer_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "record/analysis/late_ranks.hpp"
#include "record/analysis/verdicts.hpp"

namespace tutti::record::analysis {

namespace {

double mean_ns(uint64_t sum_ns, uint64_t count) {
  return count == 0 ? 0 : static_cast<double>(sum_ns) / static_cast<double>(count);
}

/// Returns nullptr if the rank makes no calls there before which its work is known.
const MemberSums* sums_of(const Analysis& run, const Site& site, uint32_t rank) {
  if (run.sampled_every() > 1) return nullptr;  // time in calls that are not recorded looks like work
  const std::vector<uint32_t>& members = run.tables.groups[site.key.group].members;
  const auto member = std::ranges::find(members, rank);
  if (member == members.end()) return nullptr;
  const MemberSums& sums = site.members[static_cast<size_t>(member - members.begin())];
  return sums.gaps == 0 ? nullptr : &sums;
}

double lower_median(std::vector<double>* values) {
  const auto middle = values->begin() + static_cast<ptrdiff_t>((values->size() - 1) / 2);
  std::nth_element(values->begin(), middle, values->end());
  return *middle;
}

bool is_named(uint32_t rank, const std::vector<uint32_t>& named) {
  return std::ranges::find(named, rank) != named.end();
}

/// Mean work before a call of the site, of members that are not named; nullopt: no such member.
std::optional<double> work_of_members(const Analysis& run, const Site& site, const MemberSums& own,
                                      const std::vector<uint32_t>& named) {
  const std::vector<uint32_t>& members = run.tables.groups[site.key.group].members;
  const auto late = static_cast<size_t>(
      std::ranges::count_if(members, [&](uint32_t member) { return is_named(member, named); }));
  if (late * 2 <= members.size()) return mean_ns(own.typical_gap_ns, own.gaps);
  std::vector<double> means;
  for (size_t i = 0; i < members.size(); ++i)
    if (const MemberSums& sums = site.members[i]; !is_named(members[i], named) && sums.gaps > 0)
      means.push_back(mean_ns(sums.gap_ns, sums.gaps));
  if (means.empty()) return std::nullopt;
  return lower_median(&means);
}

/// The same of ranks that call the same collective on communicators without `rank`, if possible from the same place.
std::optional<double> work_of_others(const Analysis& run, const Site& site, uint32_t rank,
                                     const std::vector<uint32_t>& named) {
  for (const bool is_same_place : {true, false}) {
    std::map<uint32_t, std::pair<uint64_t, uint64_t>> by_rank;  // time, calls
    for (const Site& other : run.sites) {
      if (other.key.collective != site.key.collective || other.key.interface != site.key.interface ||
          (is_same_place && other.key.place != site.key.place))
        continue;
      const std::vector<uint32_t>& members = run.tables.groups[other.key.group].members;
      if (std::ranges::find(members, rank) != members.end()) continue;
      for (size_t i = 0; i < members.size(); ++i) {
        if (is_named(members[i], named) || other.members[i].gaps == 0) continue;
        by_rank[members[i]].first += other.members[i].gap_ns;
        by_rank[members[i]].second += other.members[i].gaps;
      }
    }
    if (by_rank.empty()) continue;
    std::vector<double> means;
    for (const auto& [other, sums] : by_rank) means.push_back(mean_ns(sums.first, sums.second));
    return lower_median(&means);
  }
  return std::nullopt;
}

/// Each waiting rank waits for the additional work, so it must explain a part of the sum of their waits.
bool explains(const LongerWork& work, size_t ranks, uint64_t caused_ns) {
  constexpr double k_part_that_explains = 0.1;
  const double late_ns = (work.gap_ns - work.others_ns) * static_cast<double>(work.gaps);
  return late_ns > 0 &&
         late_ns * static_cast<double>(ranks - 1) >= k_part_that_explains * static_cast<double>(caused_ns);
}

}  // namespace

std::optional<LongerWork> longer_work_of(const Analysis& run, uint32_t rank,
                                         const std::vector<uint32_t>& named) {
  std::optional<LongerWork> most;
  double most_ns = 0;
  for (const Site& site : run.sites) {
    const MemberSums* const sums = sums_of(run, site, rank);
    if (sums == nullptr) continue;
    std::optional<double> others_ns = work_of_members(run, site, *sums, named);
    if (!others_ns) others_ns = work_of_others(run, site, rank, named);
    if (!others_ns) continue;
    const LongerWork here{.site = static_cast<size_t>(&site - run.sites.data()),
                          .rank = rank,
                          .gap_ns = mean_ns(sums->gap_ns, sums->gaps),
                          .others_ns = *others_ns,
                          .gaps = sums->gaps};
    const double more_ns = (here.gap_ns - here.others_ns) * static_cast<double>(here.gaps);
    if (more_ns <= most_ns || duration_text(here.gap_ns) == duration_text(here.others_ns)) continue;
    most_ns = more_ns;
    most = here;
  }
  if (most && !explains(*most, run.run.found.size(), run.ranks[rank].caused_ns)) return std::nullopt;
  return most;
}

std::string text_of(const Analysis& run, const LongerWork& work, Symbols* symbols) {
  const std::map<uint32_t, uint64_t>& places = run.sites[work.site].places_before;
  const auto before = std::ranges::max_element(places, {}, [](const auto& one) { return one.second; });
  const std::string place = before == places.end() || before->first == 0
                                ? std::string()
                                : " after the call in " + symbols->name(run.tables.places[before->first]);
  return fmt::format("rank {} takes {}{} where others take {}", work.rank, duration_text(work.gap_ns), place,
                     duration_text(work.others_ns));
}

std::optional<Cause> cause_of(const Analysis& analysis, const Site& site, Symbols* symbols) {
  const auto worst = std::ranges::max_element(site.caused_ns, {}, [](const auto& one) { return one.second; });
  constexpr double k_share_that_matters = 0.25;
  if (worst == site.caused_ns.end() || part(worst->second, site.waiting_ns) < k_share_that_matters)
    return std::nullopt;
  const MemberSums* const sums = sums_of(analysis, site, worst->first);
  if (sums == nullptr) return std::nullopt;
  const LongerWork work{.site = static_cast<size_t>(&site - analysis.sites.data()),
                        .rank = worst->first,
                        .gap_ns = mean_ns(sums->gap_ns, sums->gaps),
                        .others_ns = mean_ns(sums->typical_gap_ns, sums->gaps),
                        .gaps = sums->gaps};
  if (!explains(work, site.members.size(), worst->second)) return std::nullopt;
  return Cause{.text = text_of(analysis, work, symbols),
               .rank = worst->first,
               .gap_ns = static_cast<uint64_t>(work.gap_ns),
               .typical_gap_ns = static_cast<uint64_t>(work.others_ns)};
}

}  // namespace tutti::record::analysis
