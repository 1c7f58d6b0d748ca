#include "record/analysis/ending.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "record/analysis/sittings.hpp"
#include "record/analysis/verdicts.hpp"

namespace tutti::record::analysis {

namespace {

/// A run that did not finish is reported as hung after this time without progress. The first limit is for runs that
/// were ended from outside or still run; the second for runs that ended after a rank's end, which launchers notice
/// late.
constexpr int64_t k_hung_ns = 1'000'000'000, k_hung_before_end_ns = 10 * k_hung_ns;

/// "signal 9 (Killed)".
std::string signal_text(int signal) {
  const char* const name = strsignal(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("signal {} ({})", signal, name);
}

bool is_open_mpi(const RunFiles& run) {
  return run.first().description.mpi.find("Open MPI") != std::string::npos;
}

/// Signal of a process, derived from how the launcher ended; 0: none. Shells and Open MPI report 128 + the signal,
/// MPICH the signal; under Open MPI a small status is the program's own, or an error of the MPI.
int signal_of(const RunFiles& run) {
  if (!run.launcher) return 0;
  if (run.launcher->signal != 0) return run.launcher->signal;
  const int status = run.launcher->exit_status;
  const int signal = status > 128 ? status - 128 : is_open_mpi(run) ? 0 : status;
  const bool may_be_one = signal == SIGKILL || signal == SIGSEGV || signal == SIGBUS || signal == SIGABRT ||
                          signal == SIGFPE || signal == SIGILL || signal == SIGTERM;
  return may_be_one ? signal : 0;
}

/// What the end of the launcher says about a process without a final file; empty: nothing.
std::string launcher_text(const RunFiles& run) {
  const std::optional<LauncherEnd>& launcher = run.launcher;
  if (!launcher) return {};
  if (launcher->signal != 0) return "; the launcher ended by " + signal_text(launcher->signal);
  if (launcher->exit_status == 0) return {};
  const int signal = signal_of(run);
  return fmt::format("; the launcher ended with status {}{}", launcher->exit_status,
                     signal != 0 ? ", as after " + signal_text(signal) : "");
}

struct ProcessEnds {
  std::map<std::string, Ranks> by_word;
  Ranks silent, running, unfinished, finalized;
};

ProcessEnds process_ends_of(const RunFiles& run) {
  ProcessEnds ends;
  for (const RankOfRun& rank : run.found) {
    const RankDescription& says = rank.description;
    if (rank.is_running && !run.launcher)  // once the launcher has ended, the others are about to
      ends.running.push_back(says.rank);
    else if (rank.is_live || says.ended_by.empty())
      ends.silent.push_back(says.rank);
    else
      ends.by_word[says.ended_by].push_back(says.rank);
    (rank.is_finalized() ? ends.finalized : ends.unfinished).push_back(says.rank);
  }
  return ends;
}

/// How a run ended that was not finalized, and whether the end of a rank was the reason.
struct Reason {
  std::string text;
  bool is_of_rank = false;
};

/// Whether ranks that sit in calls wait for a rank that gave its last sign of life before they came. A rank that went
/// on after all of them had come has done its part of their calls.
class AwaitedSinceLastSign {
 public:
  explicit AwaitedSinceLastSign(const Analysis& of) : of_(of), last_ns_(of.run.ranks, INT64_MIN) {
    for (size_t i = 0; i < of.run.found.size(); ++i)
      last_ns_[of.run.found[i].description.rank] = of.assembled.last_signs_ns[i];
  }

  bool operator()(uint32_t rank) const {
    return std::ranges::any_of(of_.assembled.open_waits,
                               [&](const OpenWait& wait) {
                                 const bool may_be = wait.peers.empty() || contains(wait.peers, rank);
                                 return may_be && is_after_last_sign(wait.arrival_ns, rank);
                               }) ||
           std::ranges::any_of(of_.assembled.unfinished,
                               [&](const CallInstance& call) { return is_awaited_in(call, rank); });
  }

 private:
  static bool contains(const Ranks& ranks, uint32_t rank) {
    return std::ranges::find(ranks, rank) != ranks.end();
  }
  bool is_after_last_sign(int64_t arrival_ns, uint32_t rank) const {
    if (of_.clock_error_ns == k_unknown_ns) return true;
    return last_ns_[rank] == INT64_MIN ||
           arrival_ns >= last_ns_[rank] - 2 * static_cast<int64_t>(of_.clock_error_ns);
  }
  bool is_awaited_in(const CallInstance& call, uint32_t rank) const {
    const Ranks& members = of_.tables.groups[call.group].members;
    const auto member = std::ranges::find(members, rank) - members.begin();
    const bool is_absent =
        static_cast<size_t>(member) < members.size() && !call.calls[static_cast<size_t>(member)].is_present;
    return call.interface == select::CallInterface::blocking && is_absent &&
           std::ranges::any_of(call.calls, [&](const MemberCall& one) {
             return is_under_way(one) && is_after_last_sign(one.arrival_ns, rank);
           });
  }

  const Analysis& of_;
  std::vector<int64_t> last_ns_;  // by rank
};

/// Text for ranks that ended alike. Those in no call for which others wait ended first, if they are the fewer ones.
/// `is_one_first`: the end of one of them has caused that of the others.
std::string in_their_order(const Analysis& of, const Ranks& ranks, const Sittings& sittings,
                           const std::string& what, bool is_one_first) {
  const auto is_outside = [&](uint32_t rank) { return sittings.is_outside(rank); };
  const AwaitedSinceLastSign is_awaited(of);
  Ranks first, then;
  std::ranges::copy_if(ranks, std::back_inserter(first),
                       [&](uint32_t rank) { return is_outside(rank) && is_awaited(rank); });
  if (first.empty()) std::ranges::copy_if(ranks, std::back_inserter(first), is_outside);
  std::ranges::set_difference(ranks, first, std::back_inserter(then));
  const bool is_known = !first.empty() && !then.empty() && (first.size() == 1 || first.size() < then.size());
  const Ranks& told = is_known ? first : ranks;
  std::string text = fmt::format("{} {}", ranks_text(told), what);
  if (is_one_first && told.size() > 1) text += " (it cannot be told which of them was the first)";
  return is_known ? text + ", then " + ranks_text(then) : text;
}

/// Tests the possible reasons in order of precedence: the first that applies explains why the other ranks ended.
Reason reason_of(const Analysis& of, const ProcessEnds& ends, const Sittings& sittings) {
  const RunFiles& run = of.run;
  constexpr const char* k_term = "SIGTERM";
  const auto& words = ends.by_word;
  const auto who = [&](const char* word) { return ranks_text(words.at(word)); };
  if (words.contains("MPI_Abort")) return {"MPI_Abort on " + who("MPI_Abort"), true};
  if (!ends.running.empty()) return {ranks_text(ends.running) + " still running"};
  if (words.contains("exit")) return {"exit without MPI_Finalize on " + who("exit"), true};
  if (run.launcher && run.launcher->interruption != 0)
    return {"ended from outside: the launcher got " + signal_text(run.launcher->interruption)};
  const bool has_term = words.contains(k_term);
  const int signal = signal_of(run);
  const bool is_term_first = has_term && (ends.silent.empty() || signal == SIGTERM ||
                                          (signal == 0 && words.at(k_term).size() < ends.silent.size()));
  if (ends.silent.empty() || is_term_first) {
    const std::string word = has_term ? k_term : words.rbegin()->first;
    return {in_their_order(of, words.at(word), sittings, "ended by " + word, false), has_term};
  }
  const bool is_error_of_mpi = run.launcher && run.launcher->exit_status != 0 && signal == 0;
  return {in_their_order(of, ends.silent, sittings,
                         is_error_of_mpi ? "ended by an error of the MPI, or by _exit" : "killed, or crashed",
                         run.launcher && run.launcher->signal == 0) +
              launcher_text(run),
          true};
}

/// Text if ranks of one communicator have called different collectives and some of them are still in the call;
/// otherwise empty.
std::string mismatch_text(const Analysis& of, const Sittings& sittings, Symbols* symbols) {
  for (const Sitting& one : sittings.all) {
    if (one.call == nullptr || !is_mismatched(*one.call)) continue;
    std::map<std::string, Ranks> by_call;
    const Ranks& members = of.tables.groups[one.call->group].members;
    for (size_t i = 0; i < members.size(); ++i)
      if (one.call->calls[i].is_present)
        by_call[call_text(of, one.call->calls[i], symbols)].push_back(members[i]);
    std::vector<std::pair<std::string, Ranks>> order(by_call.begin(), by_call.end());
    std::ranges::stable_sort(order, {}, [](const auto& of_call) { return of_call.second.size(); });
    std::string text;
    for (auto& [call, ranks] : order) {
      std::ranges::sort(ranks);
      text += fmt::format("{}{} called {}", text.empty() ? "" : ", ", ranks_text(ranks), call);
    }
    return text;
  }
  return {};
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
  const Sittings sittings = sittings_of(of, ends.unfinished, ends.finalized, symbols);
  const Reason reason = reason_of(of, ends, sittings);
  Ending ending{.how = reason.text, .where = {}, .advice = {}};
  const std::string mismatch = mismatch_text(of, sittings, symbols);
  ending.where = mismatch.empty() ? where_text(sittings, !ends.running.empty())
                                  : mismatch + ": the program's calls do not match";
  ending.has_awaited = !sittings.inside.empty();
  if (!mismatch.empty()) ending.advice = "Look at what leads these ranks to different calls.";
  if (sittings.all.empty()) return ending;
  const int64_t last_ns = std::ranges::max_element(sittings.all, {}, &Sitting::since_ns)->since_ns;
  const int64_t still_ns = latest_end_ns(of) - std::max(last_ns, of.last_progress_ns);
  if (still_ns < (reason.is_of_rank ? k_hung_before_end_ns : k_hung_ns)) return ending;
  ending.how = fmt::format("hung: no call began or ended in the last {}; {}",
                           duration_text(static_cast<uint64_t>(still_ns)), ending.how);
  if (mismatch.empty()) ending.advice = hung_advice(of, sittings);
  return ending;
}

}  // namespace tutti::record::analysis
