#pragma once
// What a collective call can be served by (DESIGN §7): the native MPI, or an algorithm with its parameters
// and the way it makes progress. Pure data; any thread.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "base/status.hpp"
#include "engine/wait_policy.hpp"

namespace tutti::select {

/// How the program calls: what is best for one kind need not be for another.
enum class CallKind : uint8_t { blocking, nonblocking, persistent };
inline constexpr int k_call_kind_count = 3;

std::string_view to_string(CallKind kind);  // "blocking", …
/// The kind of that name; false when there is none.
bool from_string(std::string_view name, CallKind* kind);

/// Who carries a schedule out (DESIGN §6). `off` is the native MPI.
enum class ProgressMode : uint8_t {
  automatic,      // as the settings say
  in_call,        // "inline": whoever is inside an MPI call
  thread_spare,   // a progress thread with a core of its own
  thread_shared,  // a progress thread on the cores of the computation
  early,          // a progress thread, and a blocking call returns before its data is there (DESIGN §6a)
};

std::string_view to_string(ProgressMode mode);
/// The mode of that name; false when there is none.
bool from_string(std::string_view name, ProgressMode* mode);

struct Progress {
  ProgressMode mode = ProgressMode::automatic;
  engine::WaitPolicy wait = engine::WaitPolicy::automatic;         // of the thread that called
  engine::WaitPolicy thread_wait = engine::WaitPolicy::automatic;  // of the progress thread
  bool operator==(const Progress&) const = default;
};

/// Who plays the leader of a node in a two-level schedule.
enum class LeaderPolicy : uint8_t {
  fixed,  // the node's first rank
  first,  // the first of its ranks to arrive; needs endpoints that address a node
  agent,  // a thread of the node's home process, which is always there
};

struct Candidate {
  algorithm::Choice choice;  // algorithm == nullptr: the native MPI, and `progress` says nothing; or agents
  Progress progress;
  LeaderPolicy leader = LeaderPolicy::fixed;
  bool is_native() const { return choice.algorithm == nullptr && !is_by_agents(); }
  /// Then `choice` is what the nodes' agents do among themselves; without an algorithm they choose.
  bool is_by_agents() const { return leader == LeaderPolicy::agent; }
  /// Its first parameter says which rank comes late.
  bool is_for_late_rank() const { return choice.algorithm != nullptr && choice.algorithm->is_for_late_rank; }
  bool operator==(const Candidate&) const = default;
};

/// Reads "native", "agent", "agent:CHOICE" (of what the agents do among themselves) or
/// "CHOICE[@MODE[:wait=POLICY][:thread_wait=POLICY]]", as in "chain:segment=64K", "ring@thread_shared:wait=sleep".
/// Error: invalid_argument, naming the word at fault and the nearest known one.
base::Result<Candidate> parse_candidate(algorithm::Collective collective, std::string_view text);
/// The shortest text that parse_candidate() reads back as the same candidate.
std::string to_string(const Candidate& candidate);

/// May the algorithm serve this request of such a call? Otherwise *why_not says why in one line. Gives the same
/// answer on every rank.
bool applies(const algorithm::Choice& choice, const algorithm::Request& request,
             const topology::Topology& topology, CallKind kind, std::string* why_not);
/// May it serve this request? Otherwise *why_not says why in one line. Gives the same answer on every rank.
/// `no_agents`: why no node has an agent, the same on all ranks; empty: every node has one.
bool applies(const Candidate& candidate, const algorithm::Request& request,
             const topology::Topology& topology, CallKind kind, const std::string& no_agents,
             std::string* why_not);

/// What a list of candidates is made from. Everything here is the same on all ranks.
struct CandidateOptions {
  Candidate rule;                   // what the rules would choose
  std::span<const Progress> modes;  // that the call can be served in, preferred one first; at least one
  size_t most = 8;                  // candidates; at least 2
  bool has_agents = false;          // which serve the request
  bool has_late_rank = false;       // algorithms for a rank that comes late are worth a place, beyond `most`
  /// Further conditions, such as enough memory on every node; empty: none. Same answer on all ranks.
  std::function<bool(const algorithm::Choice&)> can_run = {};
};

/// The candidates for a request, of which only what all ranks know alike is looked at (pass the part that
/// they share). The choice of the rules comes first, in the preferred mode, and the native MPI is always
/// among them, and the agents where there are any; then the same choice in the other modes, and by turns other
/// algorithms, cheapest by their formulas first, and other parameters. Every choice passes its algorithm's guard.
/// No candidate twice.
std::vector<Candidate> candidates_for(const algorithm::Request& request, const topology::Topology& topology,
                                      const CandidateOptions& options);

}  // namespace tutti::select
