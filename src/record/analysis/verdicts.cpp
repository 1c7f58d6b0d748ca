#include "record/analysis/verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "record/analysis/late_ranks.hpp"

namespace tutti::record::analysis {

namespace {

uint64_t median_ns(const LogHistogram& of) {
  return of.quantile(0.5);
}

/// Another choice for the same site, and its time.
struct Alternative {
  std::string choice, where;
  uint64_t median_ns = 0;
};

const std::pair<const uint32_t, ChoiceSums>& most_used(const Site& site) {
  return *std::ranges::max_element(site.choices, {}, [](const auto& one) { return one.second.calls; });
}

std::optional<Alternative> alternative_in(const Analysis& run, const Site& site) {
  const auto* const used = &most_used(site);
  std::optional<Alternative> best;
  for (const auto& [number, sums] : site.choices) {
    constexpr uint64_t k_enough = 5;
    if (number == used->first || sums.calls < k_enough) continue;
    const uint64_t ns = median_ns(sums.transfer);
    if (!best || ns < best->median_ns) best = Alternative{run.tables.choices[number].choice, "", ns};
  }
  return best;
}

/// Alternative in another run at the same code location, with the same collective and size.
std::optional<Alternative> alternative_against(const Evidence& evidence, const Site& site) {
  if (evidence.against == nullptr) return std::nullopt;
  const Analysis& other = *evidence.against;
  const CodeLocation& place = evidence.run.tables.places[site.key.place];
  for (const Site& candidate : other.sites) {
    const CodeLocation& its = other.tables.places[candidate.key.place];
    const bool is_same = !candidate.choices.empty() && its.module == place.module &&
                         its.offset == place.offset && candidate.key.collective == site.key.collective &&
                         candidate.key.size_class == site.key.size_class &&
                         candidate.members.size() == site.members.size();
    if (!is_same) continue;
    const auto its_used = &most_used(candidate);
    const std::string& choice = other.tables.choices[its_used->first].choice;
    if (choice == evidence.run.tables.choices[most_used(site).first].choice) return std::nullopt;
    return Alternative{choice, " (in the other run)", median_ns(its_used->second.transfer)};
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
    const RunTables::Served& served = evidence.run.tables.choices[used->first];
    const bool is_asked_for = !served.reason.empty() && !served.reason.starts_with("run-time selection");
    // Run-time selection has already compared its choice with the others.
    const std::optional<Alternative> in_this_run =
        is_asked_for ? alternative_in(evidence.run, site) : std::optional<Alternative>();
    for (const auto& rival : {in_this_run, alternative_against(evidence, site)}) {
      if (!rival || static_cast<double>(rival->median_ns) > k_better * static_cast<double>(own_ns)) continue;
      return Verdict{
          .fault = Fault::wrong_algorithm,
          .text = fmt::format("{} is served by {}, whose transfer takes {}; {}{} takes {}.",
                              site_text(evidence.run, site, evidence.symbols), served.choice,
                              duration_text(own_ns), rival->choice, rival->where,
                              duration_text(rival->median_ns)),
          .advice =
              is_asked_for
                  ? fmt::format("It is asked for ({}): take that out, and let run-time selection choose "
                                "(TUTTI_TUNE=on).",
                                served.reason)
                  : fmt::format("Ask for {} there (tutti run --set, or a rule).", rival->choice),
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

/// Verdict if no rank can be named and much of the time is in calls with an unknown awaited rank.
std::optional<Verdict> cannot_tell(const Evidence& evidence) {
  const std::map<std::string, uint64_t>& by_call = evidence.run.unknown_ns;
  uint64_t sum_ns = 0;
  for (const auto& [name, ns] : by_call) sum_ns += ns;
  const double share = evidence.share(sum_ns);
  if (share < k_unknown_that_matters) return std::nullopt;
  const auto most = std::ranges::max_element(by_call, {}, [](const auto& one) { return one.second; });
  const bool is_test = most->first.starts_with("MPI_Test") || most->first.ends_with("probe") ||
                       most->first.starts_with("MPI_Request");
  return Verdict{
      .fault = Fault::cannot_tell,
      .text = fmt::format("It cannot be told whether ranks are late: {:.0f} % of their time is in calls "
                          "whose awaited rank is not recorded, most of it in {}.",
                          share * 100, most->first),
      .advice = is_test ? "Between two tests of a loop a rank may wait or compute: see what it is with "
                          "MPI_Wait in place of the loop."
                        : "Requests of messages and collectives that C has started are known.",
      .share = share};
}

/// Verdict without late ranks and slow transfers. In a run of small calls, waiting without a rank to blame may still be
/// large.
Verdict nothing_wrong(const Evidence& evidence) {
  const double waiting = evidence.share(evidence.run.waiting_ns);
  const double transfer = evidence.share(evidence.run.transfer_ns);
  const std::string shares =
      fmt::format("{:.1f} % of the ranks' time is waiting in MPI calls, {:.1f} % transfer.", waiting * 100,
                  transfer * 100);
  if (transfer >= k_transfer_that_rules)
    return {.fault = Fault::mostly_transfer,
            .text = "Most of the run is in MPI, and late ranks are no reason: " + shares,
            .advice =
                "Communicate less often or less, or run on fewer ranks; whether other algorithms are faster "
                "says a record of another run (tutti report --against).",
            .share = transfer};
  if (auto unknown = cannot_tell(evidence)) return *unknown;
  if (waiting < k_moving_that_matters)
    return {.fault = Fault::nothing_wrong, .text = "Nothing is wrong: " + shares};
  return {
      .fault = Fault::nothing_wrong,
      .text =
          "No rank's work is to blame: " + shares +
          " Ranks wait because they leave the calls before at different times, as they do where many calls "
          "are small or ranks share cores."};
}

}  // namespace

std::string_view to_string(Fault fault) {
  constexpr std::string_view k_names[] = {
      "unfinished",    "slow_rank",       "slow_node",       "late_at_times", "moving_imbalance",
      "slow_transfer", "wrong_algorithm", "mostly_transfer", "cannot_tell",   "nothing_wrong"};
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

std::vector<Verdict> verdicts_of(const Analysis& analysis, const Analysis* against, Symbols* symbols) {
  const Evidence evidence{.run = analysis, .against = against, .symbols = symbols};
  std::vector<Verdict> verdicts;
  // Late ranks also make transfers longer if the MPI delays ranks that need not wait, so they come first.
  for (const auto find : {lateness, wrong_algorithm, slow_transfer})
    if (std::optional<Verdict> found = find(evidence)) verdicts.push_back(std::move(*found));
  if (verdicts.size() > 1 && verdicts[0].fault != Fault::wrong_algorithm &&
      verdicts[1].fault == Fault::wrong_algorithm && verdicts[1].share > k_far_more * verdicts[0].share)
    std::swap(verdicts[0], verdicts[1]);
  if (!verdicts.empty()) return verdicts;
  return {nothing_wrong(evidence)};
}

}  // namespace tutti::record::analysis
