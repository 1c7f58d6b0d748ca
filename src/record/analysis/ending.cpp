#include "record/analysis/ending.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "record/analysis/verdicts.hpp"

namespace tutti::record::analysis {

namespace {

using Ranks = std::vector<uint32_t>;

/// Without progress for so long, a run that did not finish is said to have hung: one that was ended from outside or
/// goes on, and one that the end of a rank has ended, which takes launchers a while to notice.
constexpr int64_t k_hung_ns = 1'000'000'000, k_hung_before_end_ns = 10 * k_hung_ns;

/// "signal 9 (Killed)".
std::string signal_text(int signal) {
  const char* const name = strsignal(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("signal {} ({})", signal, name);
}

/// What the launcher's end tells of a process that has left no word; empty: nothing.
std::string launcher_text(const std::optional<LauncherEnd>& launcher) {
  if (!launcher) return {};
  if (launcher->signal != 0) return "; the launcher ended by " + signal_text(launcher->signal);
  if (launcher->exit_status == 0) return {};
  // Shells and Open MPI say 128 + the signal of a process, MPICH the signal.
  const int signal = launcher->exit_status > 128 ? launcher->exit_status - 128 : launcher->exit_status;
  const bool may_be_one = signal == SIGKILL || signal == SIGSEGV || signal == SIGBUS || signal == SIGABRT ||
                          signal == SIGFPE || signal == SIGILL || signal == SIGTERM;
  return fmt::format("; the launcher ended with status {}{}", launcher->exit_status,
                     may_be_one ? ", as after " + signal_text(signal) : "");
}

struct ProcessEnds {
  std::map<std::string, Ranks> by_word;
  Ranks silent, running, unfinished;
};

ProcessEnds process_ends_of(const RunFiles& run) {
  ProcessEnds ends;
  for (const RankOfRun& rank : run.found) {
    const RankDescription& says = rank.description;
    if (rank.is_running && !run.launcher)  // others are about to end
      ends.running.push_back(says.rank);
    else if (rank.is_live)
      ends.silent.push_back(says.rank);
    else
      ends.by_word[says.ended_by].push_back(says.rank);
    if (rank.is_live || says.ended_by != "MPI_Finalize") ends.unfinished.push_back(says.rank);
  }
  return ends;
}

/// How a run ended that was not finalized, and whether a rank's own end was the reason.
struct Reason {
  std::string text;
  bool is_of_rank = false;
};

/// What comes first is why the others ended.
Reason reason_of(const ProcessEnds& ends, const std::optional<LauncherEnd>& launcher) {
  const auto who = [&](const char* word) { return ranks_text(ends.by_word.at(word)); };
  if (ends.by_word.contains("MPI_Abort")) return {"MPI_Abort on " + who("MPI_Abort"), true};
  if (!ends.running.empty()) return {ranks_text(ends.running) + " still running"};
  if (ends.by_word.contains("exit")) return {"exit without MPI_Finalize on " + who("exit"), true};
  if (launcher && launcher->interruption != 0)
    return {"ended from outside: the launcher got " + signal_text(launcher->interruption)};
  if (!ends.silent.empty())
    return {fmt::format("{} killed, or crashed{}", ranks_text(ends.silent), launcher_text(launcher)), true};
  const auto& [word, ranks] = *ends.by_word.rbegin();  // SIGTERM, after MPI_Finalize
  return {fmt::format("{} ended by {}", ranks_text(ranks), word)};
}

/// Who is in a call that has not ended.
struct Sitting {
  const CallInstance* call = nullptr;
  Ranks inside, absent;
  uint32_t place = 0;
  int64_t since_ns = INT64_MIN;  // the last one's arrival
};

std::vector<Sitting> sitting_in(const Analysis& of) {
  std::vector<Sitting> all;
  for (const CallInstance& call : of.assembled.unfinished) {
    if (call.interface != select::CallKind::blocking) continue;
    Sitting sitting{.call = &call, .inside = {}, .absent = {}};
    const Ranks& members = of.tables.groups[call.group].members;
    for (size_t i = 0; i < members.size(); ++i) {
      const MemberCall& one = call.calls[i];
      if (!one.is_present) sitting.absent.push_back(members[i]);
      if (!is_under_way(one)) continue;
      sitting.inside.push_back(members[i]);
      sitting.place = one.place;
      sitting.since_ns = std::max(sitting.since_ns, one.arrival_ns);
    }
    std::ranges::sort(sitting.inside);
    std::ranges::sort(sitting.absent);
    all.push_back(std::move(sitting));
  }
  return all;
}

std::string call_text(const Analysis& of, const Sitting& sitting, Symbols* symbols) {
  return fmt::format("{} in {}", algorithm::to_string(sitting.call->collective),
                     symbols->name(of.tables.places[sitting.place]));
}

std::string where_text(const Analysis& of, const std::vector<Sitting>& all, const ProcessEnds& ends,
                       Symbols* symbols) {
  constexpr size_t k_most_told = 4;
  const bool goes_on = !ends.running.empty();
  std::string text;
  std::set<uint32_t> inside;
  for (size_t i = 0; i < all.size(); ++i) {
    inside.insert(all[i].inside.begin(), all[i].inside.end());
    if (i < k_most_told)
      text += fmt::format("{}{} {} in {}", text.empty() ? "" : ", ", ranks_text(all[i].inside),
                          goes_on && all[i].inside.size() == 1 ? "sits"
                          : goes_on                            ? "sit"
                                                               : "sat",
                          call_text(of, all[i], symbols));
  }
  if (all.size() > k_most_told) text += fmt::format(", others in {} calls more", all.size() - k_most_told);
  Ranks outside;
  for (const uint32_t rank : ends.unfinished)
    if (!inside.contains(rank)) outside.push_back(rank);
  if (!outside.empty())
    text += fmt::format("{}{} in no collective call", text.empty() ? "" : ", ", ranks_text(outside));
  return text;
}

/// For runs in which nothing moved any more.
std::string hung_advice(const Analysis& of, const std::vector<Sitting>& all, Symbols* symbols) {
  for (const Sitting& one : all)
    for (const Sitting& other : all)
      if (&one != &other && one.call->group == other.call->group)
        return fmt::format("The calls do not match: {} in {}, {} in {}.", ranks_text(one.inside),
                           call_text(of, one, symbols), ranks_text(other.inside),
                           call_text(of, other, symbols));
  const Sitting& first = all.front();
  return first.absent.empty()
             ? fmt::format(
                   "All ranks have come to {}: run it with TUTTI=0, to see whether the call ends there.",
                   call_text(of, first, symbols))
             : fmt::format("Find out what keeps {} from {}.", ranks_text(first.absent),
                           call_text(of, first, symbols));
}

int64_t latest_end_ns(const Analysis& of) {
  return *std::ranges::max_element(of.ends_ns);
}

}  // namespace

std::string ranks_text(const std::vector<uint32_t>& sorted) {
  constexpr size_t k_most_runs = 8;
  std::string text = sorted.size() == 1 ? "rank" : "ranks";
  size_t runs = 0;
  for (size_t first = 0; first < sorted.size(); ++runs) {
    size_t last = first;
    while (last + 1 < sorted.size() && sorted[last + 1] == sorted[last] + 1) ++last;
    if (runs == k_most_runs) return text + ", …";
    text += fmt::format("{} {}", runs == 0 ? "" : ",", sorted[first]);
    if (last > first) text += fmt::format("{}{}", last == first + 1 ? ", " : "-", sorted[last]);
    first = last + 1;
  }
  return text;
}

Ending ending_of(const Analysis& of, Symbols* symbols) {
  const ProcessEnds ends = process_ends_of(of.run);
  if (ends.unfinished.empty()) return {.is_finalized = true, .how = "finalized", .where = {}, .advice = {}};
  const Reason reason = reason_of(ends, of.run.launcher);
  Ending ending{.how = reason.text, .where = {}, .advice = {}};
  const std::vector<Sitting> all = sitting_in(of);
  ending.where = where_text(of, all, ends, symbols);
  if (all.empty()) return ending;
  const int64_t last_ns = std::ranges::max_element(all, {}, &Sitting::since_ns)->since_ns;
  const int64_t still_ns = latest_end_ns(of) - std::max(last_ns, of.last_progress_ns);
  if (still_ns < (reason.is_of_rank ? k_hung_before_end_ns : k_hung_ns)) return ending;
  ending.how = fmt::format("hung: no call began or ended in the last {}; {}",
                           duration_text(static_cast<uint64_t>(still_ns)), ending.how);
  ending.advice = hung_advice(of, all, symbols);
  return ending;
}

}  // namespace tutti::record::analysis
