#include "record/analysis/verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::record::analysis {

namespace {

double part(uint64_t of, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(of) / static_cast<double>(whole);
}

/// Everything that a verdict is made from.
struct Evidence {
  const Analysis& run;
  const Analysis* against;
  Symbols* symbols;

  double share(uint64_t ns) const { return part(ns, run.rank_ns); }
};

/// The site at which the rank has cost most; nullopt: none.
std::optional<size_t> site_of_rank(const Analysis& run, uint32_t rank) {
  std::optional<size_t> worst;
  uint64_t most_ns = 0;
  for (size_t i = 0; i < run.sites.size(); ++i) {
    const std::vector<uint32_t>& members = run.tables.groups[run.sites[i].key.group].members;
    const auto member = std::ranges::find(members, rank);
    if (member == members.end()) continue;
    const uint64_t caused_ns = run.sites[i].members[static_cast<size_t>(member - members.begin())].caused_ns;
    if (caused_ns <= most_ns) continue;
    most_ns = caused_ns;
    worst = i;
  }
  return worst;
}

/// Time beyond that of a typical rank.
double excess_ns(const RankSums& rank) {
  return static_cast<double>(rank.gap_ns) - static_cast<double>(rank.typical_gap_ns);
}

/// All ranks of the node are slow, and so alike that it is the node.
bool is_slow_as_a_whole(const Analysis& run, uint32_t node) {
  double least_ns = INFINITY, most_ns = 0;
  for (const RankSums& rank : run.ranks)
    if (rank.has_file && rank.node == node) {
      least_ns = std::min(least_ns, excess_ns(rank));
      most_ns = std::max(most_ns, excess_ns(rank));
    }
  return run.nodes[node].ranks > 1 && run.nodes.size() > 1 && least_ns > most_ns / 2 && most_ns > 0;
}

std::string node_text(const Analysis& run, uint32_t node) {
  const std::string& host = run.nodes[node].host;
  const uint32_t number = run.nodes[node].number;
  return host.empty() ? fmt::format("node {}", number) : fmt::format("node {} ({})", number, host);
}

std::optional<Verdict> slow_node(const Evidence& evidence) {
  const Analysis& run = evidence.run;
  const auto worst = std::ranges::max_element(run.nodes, {}, &NodeSums::caused_ns);
  const auto node = static_cast<uint32_t>(worst - run.nodes.begin());
  const double blame = part(worst->caused_ns, run.waiting_ns);
  if (part(worst->caused_ns, run.caused_ns) < k_share_to_blame || !is_slow_as_a_whole(run, node))
    return std::nullopt;
  return Verdict{
      .fault = Fault::slow_node,
      .text = fmt::format(
          "All ranks of {} are slow: they cause {:.0f} % of the waiting, {} of work beyond "
          "that of typical ranks.",
          node_text(run, node), blame * 100,
          duration_text(static_cast<double>(worst->gap_ns) - static_cast<double>(worst->typical_gap_ns))),
      .advice = fmt::format("Look at {}: other jobs, limits of its processors, its clock frequency, its "
                            "memory; or run without it.",
                            node_text(run, node)),
      .node = worst->number,
      .share = evidence.share(worst->caused_ns)};
}

std::optional<Verdict> slow_rank(const Evidence& evidence) {
  const Analysis& run = evidence.run;
  const auto worst = std::ranges::max_element(run.ranks, {}, &RankSums::caused_ns);
  const auto rank = static_cast<uint32_t>(worst - run.ranks.begin());
  const double blame = part(worst->caused_ns, run.waiting_ns);
  if (part(worst->caused_ns, run.caused_ns) < k_share_to_blame) return std::nullopt;
  Verdict verdict{.fault = Fault::slow_rank,
                  .text = fmt::format("Rank {} on {} is late: it causes {:.0f} % of the waiting.", rank,
                                      node_text(run, worst->node), blame * 100),
                  .rank = rank,
                  .node = run.nodes[worst->node].number,
                  .site = site_of_rank(run, rank),
                  .share = evidence.share(worst->caused_ns)};
  const std::string cause =
      verdict.site ? cause_of(run, run.sites[*verdict.site], evidence.symbols) : std::string();
  verdict.advice = cause.empty()
                       ? fmt::format("Look at what rank {} does before it comes.", rank)
                       : fmt::format("Give it less to do, or find out why it is slower: {}.", cause);
  return verdict;
}

std::optional<Verdict> moving_imbalance(const Evidence& evidence) {
  const Analysis& run = evidence.run;
  if (evidence.share(run.caused_ns) < k_moving_that_matters || run.sites.empty()) return std::nullopt;
  const Site& site = run.sites.front();
  return Verdict{
      .fault = Fault::moving_imbalance,
      .text = fmt::format("Work is spread unevenly, and another rank is late each time: {:.0f} % of the "
                          "ranks' time is waiting, most of it in {}.",
                          evidence.share(run.caused_ns) * 100, site_text(run, site, evidence.symbols)),
      .advice =
          "Balance the work while the program runs, or let the collectives not hold up those that "
          "came in time (nonblocking ones, or agents: TUTTI_AGENTS).",
      .site = 0,
      .share = evidence.share(run.caused_ns)};
}

std::optional<Verdict> lateness(const Evidence& evidence) {
  if (evidence.share(evidence.run.caused_ns) < k_waiting_that_matters) return std::nullopt;
  for (const auto find : {slow_node, slow_rank, moving_imbalance})
    if (std::optional<Verdict> found = find(evidence)) return found;
  return std::nullopt;
}

uint64_t median_ns(const LogHistogram& of) {
  return of.quantile(0.5);
}

/// What the other run took at the same place, by which choice.
struct Rival {
  std::string choice;
  uint64_t median_ns = 0;
};

const std::pair<const uint32_t, ChoiceSums>& most_used(const Site& site) {
  return *std::ranges::max_element(site.choices, {}, [](const auto& one) { return one.second.calls; });
}

std::optional<Rival> rival_in(const Analysis& run, const Site& site) {
  const auto* const used = &most_used(site);
  std::optional<Rival> best;
  for (const auto& [number, sums] : site.choices) {
    constexpr uint64_t k_enough = 5;
    if (number == used->first || sums.calls < k_enough) continue;
    const uint64_t ns = median_ns(sums.transfer);
    if (!best || ns < best->median_ns) best = Rival{run.tables.choices[number].choice, ns};
  }
  return best;
}

/// The same place, collective and size in another run.
std::optional<Rival> rival_against(const Evidence& evidence, const Site& site) {
  if (evidence.against == nullptr) return std::nullopt;
  const Analysis& other = *evidence.against;
  const Place& place = evidence.run.tables.places[site.key.place];
  for (const Site& candidate : other.sites) {
    const Place& its = other.tables.places[candidate.key.place];
    const bool is_same = !candidate.choices.empty() && its.module == place.module &&
                         its.offset == place.offset && candidate.key.collective == site.key.collective &&
                         candidate.key.size_class == site.key.size_class &&
                         candidate.members.size() == site.members.size();
    if (!is_same) continue;
    const auto its_used = &most_used(candidate);
    const std::string& choice = other.tables.choices[its_used->first].choice;
    if (choice == evidence.run.tables.choices[most_used(site).first].choice) return std::nullopt;
    return Rival{choice + " (in the other run)", median_ns(its_used->second.transfer)};
  }
  return std::nullopt;
}

std::optional<Verdict> wrong_algorithm(const Evidence& evidence) {
  for (size_t i = 0; i < evidence.run.sites.size(); ++i) {
    const Site& site = evidence.run.sites[i];
    const double share = evidence.share(site.transfer_ns);
    if (share < k_waiting_that_matters || site.choices.empty()) continue;
    const auto* const used = &most_used(site);
    const uint64_t own_ns = median_ns(used->second.transfer);
    for (const auto& rival : {rival_in(evidence.run, site), rival_against(evidence, site)}) {
      if (!rival || static_cast<double>(rival->median_ns) > k_better * static_cast<double>(own_ns)) continue;
      return Verdict{
          .fault = Fault::wrong_algorithm,
          .text = fmt::format("{} is served by {}, whose transfer takes {}; {} takes {}.",
                              site_text(evidence.run, site, evidence.symbols),
                              evidence.run.tables.choices[used->first].choice, duration_text(own_ns),
                              rival->choice, duration_text(rival->median_ns)),
          .advice =
              "Take out the rule or setting that asks for it (tutti explain says which), and let run-time "
              "selection choose (TUTTI_TUNE=on).",
          .site = i,
          .share = share * (1 - part(rival->median_ns, own_ns))};
    }
  }
  return std::nullopt;
}

std::optional<Verdict> slow_transfer(const Evidence& evidence) {
  for (size_t i = 0; i < evidence.run.sites.size(); ++i) {
    const Site& site = evidence.run.sites[i];
    const double share = evidence.share(site.transfer_ns);
    const uint64_t typical_ns = median_ns(site.transfer), best_ns = site.transfer.quantile(0.1);
    constexpr uint64_t k_enough = 20;
    if (share < k_transfer_that_matters || site.calls < k_enough || best_ns == 0 ||
        static_cast<double>(typical_ns) < k_slow * static_cast<double>(best_ns))
      continue;
    return Verdict{.fault = Fault::slow_transfer,
                   .text = fmt::format("The transfer of {} takes {} where the best calls took {}.",
                                       site_text(evidence.run, site, evidence.symbols),
                                       duration_text(typical_ns), duration_text(best_ns)),
                   .advice = "Look at the network and at who else uses it, and at whether ranks share cores.",
                   .site = i,
                   .share = share * (1 - part(best_ns, typical_ns))};
  }
  return std::nullopt;
}

/// Waiting without anybody to blame may still be much of a run of many small calls.
Verdict nothing_wrong(const Evidence& evidence) {
  const double waiting = evidence.share(evidence.run.waiting_ns);
  const double transfer = evidence.share(evidence.run.transfer_ns);
  std::string text =
      fmt::format("{:.1f} % of the ranks' time is waiting in collective calls, {:.1f} % transfer.",
                  waiting * 100, transfer * 100);
  if (waiting < k_moving_that_matters)
    text = "Nothing is wrong: " + text;
  else
    text = "No rank's work is to blame: " + text +
           " Ranks wait because they leave the calls before at different times, as they do where many calls "
           "are small or ranks share cores.";
  return {.fault = Fault::nothing_wrong, .text = std::move(text)};
}

}  // namespace

std::string_view to_string(Fault fault) {
  constexpr std::string_view k_names[] = {"unfinished",       "slow_rank",     "slow_node",
                                          "moving_imbalance", "slow_transfer", "wrong_algorithm",
                                          "nothing_wrong"};
  return k_names[static_cast<size_t>(fault)];
}

std::string duration_text(double ns) {
  if (ns < 1e4) return fmt::format("{:.1f} us", ns / 1e3);
  if (ns < 1e6) return fmt::format("{:.0f} us", ns / 1e3);
  if (ns < 1e9) return fmt::format("{:.1f} ms", ns / 1e6);
  return fmt::format("{:.2f} s", ns / 1e9);
}

std::string site_text(const Analysis& analysis, const Site& site, Symbols* symbols) {
  return fmt::format("{} in {}", algorithm::to_string(site.key.collective),
                     symbols->name(analysis.tables.places[site.key.place]));
}

std::string cause_of(const Analysis& analysis, const Site& site, Symbols* symbols) {
  const uint32_t worst = site.worst_member();
  const MemberSums& sums = site.members[worst];
  if (sums.caused_ns == 0 || sums.gaps == 0) return {};
  const double gap_ns = static_cast<double>(sums.gap_ns) / static_cast<double>(sums.gaps);
  const double typical_ns = static_cast<double>(sums.typical_gap_ns) / static_cast<double>(sums.gaps);
  const uint32_t rank = analysis.tables.groups[site.key.group].members[worst];
  // What it took longer is a part of what others waited for it, each of them.
  constexpr double k_part_that_explains = 0.1;
  const double late_ns = (gap_ns - typical_ns) * static_cast<double>(sums.gaps);
  const double others = static_cast<double>(site.members.size() - 1);
  if (late_ns * others < k_part_that_explains * static_cast<double>(sums.caused_ns))
    return fmt::format("rank {} computes as long as others, but leaves the call before later", rank);
  const auto before =
      std::ranges::max_element(site.places_before, {}, [](const auto& one) { return one.second; });
  const std::string place =
      before == site.places_before.end() || before->first == 0
          ? std::string()
          : " after the call in " + symbols->name(analysis.tables.places[before->first]);
  return fmt::format("rank {} takes {}{} where others take {}", rank, duration_text(gap_ns), place,
                     duration_text(typical_ns));
}

std::vector<Verdict> verdicts_of(const Analysis& analysis, const Analysis* against, Symbols* symbols) {
  const Evidence evidence{.run = analysis, .against = against, .symbols = symbols};
  std::vector<Verdict> verdicts;
  for (const auto find : {lateness, wrong_algorithm})
    if (std::optional<Verdict> found = find(evidence)) verdicts.push_back(std::move(*found));
  std::ranges::stable_sort(verdicts, std::greater<>(), &Verdict::share);
  // Both of the others make transfers slow: this comes last.
  if (std::optional<Verdict> found = slow_transfer(evidence)) verdicts.push_back(std::move(*found));
  if (!verdicts.empty()) return verdicts;
  return {nothing_wrong(evidence)};
}

}  // namespace tutti::record::analysis
