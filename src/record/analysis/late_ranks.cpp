#include "record/analysis/late_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "record/analysis/longer_work.hpp"

namespace tutti::record::analysis {

namespace {

/// Working time beyond that of a typical rank.
double excess_ns(const RankSums& rank) {
  return static_cast<double>(rank.gap_ns) - static_cast<double>(rank.typical_gap_ns);
}

/// Ranks that cause most of the waiting for which ranks are to blame, the worst first.
struct Culprits {
  std::vector<uint32_t> ranks;
  uint64_t caused_ns = 0;
};

/// Returns the ranks that each cause at least half of what the worst one does.
Culprits culprits_of(const Analysis& run) {
  Culprits found;
  const uint64_t most_ns = std::ranges::max_element(run.ranks, {}, &RankSums::caused_ns)->caused_ns;
  for (uint32_t rank = 0; rank < run.ranks.size(); ++rank)
    if (run.ranks[rank].caused_ns > 0 && run.ranks[rank].caused_ns >= most_ns / 2) {
      found.ranks.push_back(rank);
      found.caused_ns += run.ranks[rank].caused_ns;
    }
  std::ranges::stable_sort(found.ranks, std::greater<>(),
                           [&](uint32_t rank) { return run.ranks[rank].caused_ns; });
  return found;
}

/// Effective number of calls with late ranks: the number if all had been as late as the most expensive ones.
double late_calls_of(const Analysis& run) {
  const auto caused = static_cast<double>(run.caused_ns);
  return run.caused_squares > 0 ? caused * caused / run.caused_squares : 0;
}

/// Whether these ranks work so much longer than typical ranks that it explains at least half of the waiting they cause.
/// Otherwise only the time at which they work causes the waiting: other ranks work as much.
bool work_longer(const Analysis& run, const Culprits& culprits) {
  double more_ns = 0;
  for (const uint32_t rank : culprits.ranks)
    more_ns += std::max(
        0.0, static_cast<double>(run.ranks[rank].worked_ns) - static_cast<double>(run.typical_work_ns));
  // If calls are not recorded in which ranks meet, the work differs only from the last of these on.
  more_ns *= run.sampled_every();
  const auto others = static_cast<double>(run.run.found.size() - 1);
  return more_ns * others >= static_cast<double>(culprits.caused_ns) / 2;
}

/// Whether they cause significantly more than if each late call had a random rank to blame.
bool is_beyond_chance(const Analysis& run, const Culprits& culprits) {
  constexpr double k_deviations = 3;
  const auto caused = static_cast<double>(run.caused_ns);
  const double by_chance =
      static_cast<double>(culprits.ranks.size()) / static_cast<double>(run.run.found.size());
  const double deviation = std::sqrt(by_chance * (1 - by_chance) / late_calls_of(run));
  return static_cast<double>(culprits.caused_ns) / caused - by_chance >= k_deviations * deviation;
}

/// Whether the node is a machine of its own: TUTTI_NODES presents several nodes on one host name.
bool is_machine(const Analysis& run, size_t node) {
  return std::ranges::count(run.nodes, run.nodes[node].host, &NodeSums::host) == 1;
}

/// Whether all ranks of the node are slow by similar amounts, and no ranks of other nodes are.
bool is_slow_machine(const Analysis& run, uint32_t node) {
  if (run.nodes[node].ranks < 2 || run.nodes.size() < 2 || !is_machine(run, node)) return false;
  double least_ns = INFINITY, most_ns = 0, most_of_others_ns = 0;
  for (const RankSums& rank : run.ranks) {
    if (!rank.has_file) continue;
    if (rank.node != node) {
      most_of_others_ns = std::max(most_of_others_ns, excess_ns(rank));
      continue;
    }
    least_ns = std::min(least_ns, excess_ns(rank));
    most_ns = std::max(most_ns, excess_ns(rank));
  }
  return most_ns > 0 && least_ns > most_ns / 2 && most_of_others_ns < least_ns / 2;
}

std::string node_text(const Analysis& run, uint32_t node) {
  const std::string& host = run.nodes[node].host;
  const uint32_t number = run.nodes[node].number;
  return host.empty() ? fmt::format("node {}", number) : fmt::format("node {} ({})", number, host);
}

/// Time that ranks are to blame for, per call, in the first, second and last third of the calls.
struct Growth {
  double sum_ns = 0;  // over all calls
  uint64_t calls = 0;
  double thirds_ns[3] = {0, 0, 0};
};

Growth growth_of(const Trend& trend) {
  return {
      trend.sum(), trend.calls(), {trend.mean_of_third(0), trend.mean_of_third(1), trend.mean_of_third(2)}};
}

/// Combines the waits of the ranks by thirds of each rank's own waits, because some ranks end before others begin.
Growth growth_before_messages(const Analysis& run) {
  Growth all;
  double ranks = 0;
  for (const RankSums& rank : run.ranks) {
    const Growth one = growth_of(rank.message_blame);
    if (one.sum_ns <= 0) continue;
    ++ranks;
    all.sum_ns += one.sum_ns;
    all.calls += one.calls;
    for (size_t third = 0; third < 3; ++third) all.thirds_ns[third] += one.thirds_ns[third];
  }
  for (double& third_ns : all.thirds_ns) third_ns /= std::max(ranks, 1.0);
  return all;
}

/// A sentence if the waiting for late ranks grows at the site that has most of it; otherwise empty.
std::string growth_text(const Analysis& run) {
  constexpr double k_enough = 20, k_growth = 2, k_step = 1.2;
  if (late_calls_of(run) < k_enough) return {};
  Growth most = growth_before_messages(run);
  std::string_view calls = "waits for messages";
  for (const Site& site : run.sites)
    if (site.blame.sum() > most.sum_ns) {
      most = growth_of(site.blame);
      calls = "calls";
    }
  const auto [first, middle, last] = most.thirds_ns;
  const bool is_most = most.sum_ns >= static_cast<double>(run.caused_ns) / 2;
  if (!is_most || static_cast<double>(most.calls) < k_enough || middle < k_step * first ||
      last < k_step * middle || last < k_growth * first)
    return {};
  return fmt::format(" It grows: {} a call in the first third of the {}, {} in the last.",
                     duration_text(first), calls, duration_text(last));
}

/// Effective number of values: the number if all had been as large as the dominant ones.
double effective(double sum, double squares) {
  return squares > 0 ? sum * sum / squares : 0;
}

/// Waiting in collectives that a rank causes, and the part of it that comes from delays in most of the calls.
struct Steadiness {
  double blame_ns = 0, steady_ns = 0;
};

Steadiness steadiness_before_calls(const Analysis& run, uint32_t rank) {
  Steadiness sums;
  for (const Site& site : run.sites) {
    const auto caused = site.caused_ns.find(rank);
    if (caused == site.caused_ns.end()) continue;
    const auto its_ns = static_cast<double>(caused->second);
    const auto of = static_cast<double>(std::max<uint64_t>(site.working_calls, 1));
    constexpr uint64_t k_enough = 5;
    sums.blame_ns += its_ns;
    if (site.calls < k_enough) continue;
    sums.steady_ns += its_ns * std::min(effective(site.blame.sum(), site.blame_squares) / of, 1.0);
  }
  return sums;
}

/// Whether the waiting that the rank causes comes from its usual work, and not from rare work or from the machine.
bool is_steady(const Analysis& run, uint32_t rank) {
  double excess_ns = 0, steady_ns = 0;
  for (const Site& site : run.sites) {
    const std::vector<uint32_t>& members = run.tables.groups[site.key.group].members;
    const auto member = std::ranges::find(members, rank);
    if (member == members.end()) continue;
    const MemberSums& sums = site.members[static_cast<size_t>(member - members.begin())];
    const auto of = static_cast<double>(std::max<uint64_t>(std::min(site.working_calls, sums.gaps), 1));
    excess_ns += sums.excess_ns;
    steady_ns += sums.excess_ns * std::min(effective(sums.excess_ns, sums.excess_squares) / of, 1.0);
  }
  const double more_ns =
      static_cast<double>(run.ranks[rank].worked_ns) - static_cast<double>(run.typical_work_ns);
  if (excess_ns > 0 && (excess_ns >= more_ns / 2 || run.sampled_every() > 1))
    return steady_ns >= k_steady * excess_ns;
  // For work before calls on other communicators, before messages and before MPI_Finalize, the waits of the other ranks
  // are the evidence.
  double blame_ns = run.finalize_blame_ns;
  steady_ns = 0;
  for (const RankSums& waiter : run.ranks) {
    const double its_ns = waiter.message_blame.sum();
    if (its_ns <= 0) continue;
    blame_ns += its_ns;
    steady_ns += its_ns * effective(its_ns, waiter.message_blame_squares) /
                 static_cast<double>(waiter.message_blame.calls());
  }
  constexpr double k_most_of_it = 10;
  const Steadiness before_calls = steadiness_before_calls(run, rank);
  if (before_calls.blame_ns >= k_most_of_it * blame_ns)
    return before_calls.steady_ns >= k_steady * before_calls.blame_ns;
  return blame_ns > 0 && steady_ns >= k_steady_messages * blame_ns;
}

/// The same for all ranks together, if none is named.
bool is_steady_together(const Analysis& run) {
  double blame_ns = growth_before_messages(run).sum_ns, steady_ns = blame_ns;  // messages: assumed steady
  for (const Site& site : run.sites) {
    const double of = static_cast<double>(std::max<uint64_t>(site.working_calls, 1));
    blame_ns += site.blame.sum();
    steady_ns += site.blame.sum() * std::min(effective(site.blame.sum(), site.blame_squares) / of, 1.0);
  }
  return steady_ns >= k_steady_together * blame_ns;
}

std::string names_of(const std::vector<uint32_t>& ranks) {
  constexpr size_t k_most_named = 8;
  std::string names;
  for (size_t i = 0; i < ranks.size() && i < k_most_named; ++i)
    names += fmt::format("{}{}", i == 0 ? "" : i + 1 == ranks.size() ? " and " : ", ", ranks[i]);
  return ranks.size() > k_most_named ? names + fmt::format(" and {} more", ranks.size() - k_most_named)
                                     : names;
}

Verdict slow_node(const Evidence& evidence, uint32_t node) {
  const Analysis& run = evidence.run;
  const NodeSums& sums = run.nodes[node];
  std::vector<uint32_t> its_ranks;
  for (uint32_t rank = 0; rank < run.ranks.size(); ++rank)
    if (run.ranks[rank].has_file && run.ranks[rank].node == node) its_ranks.push_back(rank);
  return {.fault = Fault::slow_node,
          .text = fmt::format(
              "All ranks of {} are slow: they cause {:.0f} % of the waiting, {} of work beyond "
              "that of typical ranks.{}",
              node_text(run, node), part(sums.caused_ns, run.waiting_ns) * 100,
              duration_text(static_cast<double>(sums.gap_ns) - static_cast<double>(sums.typical_gap_ns)),
              growth_text(run)),
          .advice = fmt::format(
              "If its ranks have no more to do than others, look at {}: other jobs, limits of its "
              "processors, their clock frequency, its memory; or run without it.",
              node_text(run, node)),
          .ranks = its_ranks,
          .node = sums.number,
          .share = evidence.share(sums.caused_ns),
          .can_be_spread = true};
}

Verdict slow_ranks(const Evidence& evidence, const Culprits& culprits) {
  const Analysis& run = evidence.run;
  const uint32_t worst = culprits.ranks.front();
  const double blame = part(culprits.caused_ns, run.waiting_ns) * 100;
  const std::optional<LongerWork> work = longer_work_of(run, worst, culprits.ranks);
  Verdict verdict{.fault = Fault::slow_rank,
                  .ranks = culprits.ranks,
                  .share = evidence.share(culprits.caused_ns),
                  .can_be_spread = true};
  const bool is_one = culprits.ranks.size() == 1;
  if (is_one) verdict.node = run.nodes[run.ranks[worst].node].number;
  verdict.text = is_one ? fmt::format("Rank {} on {} is late: it causes {:.0f} % of the waiting.", worst,
                                      node_text(run, run.ranks[worst].node), blame)
                        : fmt::format("Ranks {} are late: they cause {:.0f} % of the waiting.",
                                      names_of(culprits.ranks), blame);
  verdict.text += growth_text(run);
  if (!work) {
    verdict.advice = is_one ? fmt::format("Look at what rank {} does before it comes.", worst)
                            : "Look at what these ranks do before they come.";
    return verdict;
  }
  verdict.site = work->site;
  verdict.advice =
      fmt::format("Give {} less to do, or find out why {}: {}.", is_one ? "it" : "them",
                  is_one ? "it is slower" : "they are slower", text_of(run, *work, evidence.symbols));
  return verdict;
}

std::string call_text(const LongestDelay& delay, const Analysis& run, Symbols* symbols) {
  if (delay.is_for_message) return "a message";
  if (delay.is_for_finalize) return std::string(k_finalize);
  return fmt::format("call {}, {} in {}", delay.sequence, algorithm::to_string(delay.collective),
                     symbols->name(run.tables.places[delay.place]));
}

/// Verdict for one rank that is late by other than its usual work.
Verdict rank_late_at_times(const Evidence& evidence, uint32_t rank) {
  const Analysis& run = evidence.run;
  const RankSums& sums = run.ranks[rank];
  const std::string name = fmt::format("rank {} on {}", rank, node_text(run, sums.node));
  const double times = effective(static_cast<double>(sums.caused_ns), sums.caused_squares);
  const double blame = part(sums.caused_ns, run.waiting_ns) * 100;
  const std::string longest = call_text(sums.longest, run, evidence.symbols);
  Verdict verdict{.fault = Fault::late_at_times,
                  .ranks = {rank},
                  .node = run.nodes[sums.node].number,
                  .share = evidence.share(sums.caused_ns)};
  constexpr double k_once = 1.5;
  if (times < k_once) {
    verdict.text = fmt::format("Once {} was late, by {}, before {}: that causes {:.0f} % of the waiting.",
                               name, duration_text(sums.longest.ns), longest, blame);
    verdict.advice = fmt::format(
        "Look at what rank {} does there alone (reading input, for example); the rest of the run is not to "
        "blame.",
        rank);
    return verdict;
  }
  verdict.text = fmt::format(
      "Now and then {} is late, not by its usual work: about {:.0f} times, which cause {:.0f} % of the "
      "waiting.",
      name, times, blame);
  verdict.advice = fmt::format(
      "That is the machine (other jobs, interrupts, ranks that share cores) or work that rank {} does rarely "
      "(output, for "
      "example); the longest was {} before {}.",
      rank, duration_text(sums.longest.ns), longest);
  return verdict;
}

/// Verdict for several ranks that are late by other than their usual work.
Verdict ranks_late_at_times(const Evidence& evidence) {
  const Analysis& run = evidence.run;
  const auto most = std::ranges::max_element(run.ranks, {}, &RankSums::caused_ns);
  return {
      .fault = Fault::late_at_times,
      .text = fmt::format("Now and then ranks are late, not by their usual work, which takes about the same: "
                          "{:.0f} % of the ranks' "
                          "time is waiting for that.",
                          evidence.share(run.caused_ns) * 100),
      .advice = fmt::format("That is the machine (other jobs, interrupts, ranks that share cores) or work "
                            "that is done rarely; the "
                            "longest was {} before {}.",
                            duration_text(most->longest.ns), call_text(most->longest, run, evidence.symbols)),
      .share = evidence.share(run.caused_ns)};
}

/// Verdict if no rank can be named.
Verdict moving_imbalance(const Evidence& evidence, bool is_by_chance) {
  const Analysis& run = evidence.run;
  const uint64_t messages_ns =
      std::accumulate(run.message_waiting_ns.begin(), run.message_waiting_ns.end(), uint64_t{0});
  const bool is_for_messages = messages_ns > run.waiting_ns / 2;
  const auto call = std::ranges::max_element(run.message_waiting_ns) - run.message_waiting_ns.begin();
  std::string where = ".";
  if (is_for_messages)
    where =
        fmt::format(", most of it for messages in {}.", run.tables.message_names[static_cast<size_t>(call)]);
  else if (!run.sites.empty() && run.sites.front().waiting_ns > 0)
    where = ", most of it in " + site_text(run, run.sites.front(), evidence.symbols) + '.';
  Verdict verdict{
      .fault = Fault::moving_imbalance,
      .text = fmt::format("{}: {:.0f} % of the ranks' time is waiting for work of others{}{}",
                          is_by_chance ? "Ranks are late too seldom to tell whether it is always the same"
                                       : "No rank is late alone, they wait for one another",
                          evidence.share(run.caused_ns) * 100, where, growth_text(run)),
      .share = evidence.share(run.caused_ns)};
  if (is_for_messages) {
    verdict.advice =
        "Where ranks work one after the other (a pipeline, a ring), there is nothing to balance: smaller "
        "pieces, or more "
        "of them under way, let them work at the same time. Where the work moves from rank to rank, balance "
        "it while the "
        "program runs.";
    return verdict;
  }
  verdict.advice =
      "Balance the work while the program runs, or let the collectives not hold up those that "
      "came in time (nonblocking ones, or agents: TUTTI_AGENTS).";
  verdict.site = run.sites.empty() ? std::nullopt : std::optional<size_t>(0);
  verdict.can_be_spread = true;
  return verdict;
}

/// The culprits that are late by their usual work.
Culprits steady_ones(const Analysis& run, const Culprits& culprits) {
  Culprits found;
  for (const uint32_t rank : culprits.ranks)
    if (is_steady(run, rank)) {
      found.ranks.push_back(rank);
      found.caused_ns += run.ranks[rank].caused_ns;
    }
  return found;
}

}  // namespace

std::optional<Verdict> lateness(const Evidence& evidence) {
  const Analysis& run = evidence.run;
  if (evidence.share(run.caused_ns) < k_waiting_that_matters) return std::nullopt;
  const Culprits culprits = culprits_of(run);
  const uint32_t worst = culprits.ranks.front();
  const auto are_named = [&](const Culprits& these) {
    return these.ranks.size() * 2 <= run.run.found.size() && work_longer(run, these) &&
           part(these.caused_ns, run.caused_ns) >= k_share_to_blame;
  };
  const bool are_all_named = are_named(culprits);
  if (are_all_named && is_beyond_chance(run, culprits)) {
    const uint32_t node = run.ranks[worst].node;
    const bool causes_most = part(run.nodes[node].caused_ns, run.caused_ns) >= k_share_to_blame;
    if (causes_most && is_slow_machine(run, node)) return slow_node(evidence, node);
  }
  const Culprits steady = steady_ones(run, culprits);
  if (are_all_named && !steady.ranks.empty() && are_named(steady) && is_beyond_chance(run, steady))
    return slow_ranks(evidence, steady);
  const bool is_rare = are_all_named && steady.caused_ns * 2 < culprits.caused_ns;
  if (is_rare && culprits.ranks.size() == 1 && part(culprits.caused_ns, run.caused_ns) >= k_share_alone)
    return rank_late_at_times(evidence, worst);
  if (evidence.share(run.caused_ns) < k_moving_that_matters) return std::nullopt;
  if (is_rare || !is_steady_together(run)) return ranks_late_at_times(evidence);
  return moving_imbalance(evidence, are_all_named);
}

}  // namespace tutti::record::analysis
