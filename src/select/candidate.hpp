#pragma once
// What can serve a collective call (DESIGN §7): the native MPI, or an algorithm with its parameters and its progress
// mode. Pure data; any thread.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "algorithm/rank_invariant_request.hpp"
#include "base/status.hpp"
#include "engine/wait_policy.hpp"

namespace tutti::select {

/// Interface of the call; the best candidate may differ between kinds.
enum class CallInterface : uint8_t { blocking, nonblocking, persistent };
inline constexpr int k_call_interface_count = 3;

std::string_view to_string(CallInterface interface);  // "blocking", …
/// Sets `kind` to the kind of that name. Returns false if there is none.
bool from_string(std::string_view name, CallInterface* interface);

/// Which thread executes a schedule (DESIGN §6). The setting `off` selects the native MPI.
enum class ProgressMode : uint8_t {
  automatic,      // as in the settings
  in_call,        // "inline": the threads that are inside MPI calls
  thread_spare,   // a progress thread with a core of its own
  thread_shared,  // a progress thread on the cores of the computation
  early,          // a progress thread, and a blocking call returns before its data is there (DESIGN §6a)
};

std::string_view to_string(ProgressMode mode);
/// Sets `mode` to the mode of that name. Returns false if there is none.
bool from_string(std::string_view name, ProgressMode* mode);

struct Progress {
  ProgressMode mode = ProgressMode::automatic;
  engine::WaitPolicy wait = engine::WaitPolicy::automatic;         // of the calling thread
  engine::WaitPolicy thread_wait = engine::WaitPolicy::automatic;  // of the progress thread
  bool operator==(const Progress&) const = default;
};

/// What acts as the leader of a node in a two-level schedule.
enum class LeaderPolicy : uint8_t {
  fixed,  // the node's first rank
  first,  // the first of its ranks to arrive; needs endpoints that address a node
  agent,  // a thread of the node's home process, which is always available
};

struct Candidate {
  algorithm::Choice choice;  // algorithm == nullptr: the native MPI, without meaning of `progress`; or agents
  Progress progress;
  LeaderPolicy leader = LeaderPolicy::fixed;
  bool is_native() const { return choice.algorithm == nullptr && !is_by_agents(); }
  /// If true, `choice` is the algorithm between the nodes' agents; without an algorithm they choose one.
  bool is_by_agents() const { return leader == LeaderPolicy::agent; }
  /// Whether its first parameter is the number of the late rank.
  bool is_for_late_rank() const { return choice.algorithm != nullptr && choice.algorithm->is_for_late_rank; }
  bool operator==(const Candidate&) const = default;
};

/// Parses "native", "agent", "agent:CHOICE" (the algorithm between the agents) or
/// "CHOICE[@MODE[:wait=POLICY][:thread_wait=POLICY]]", as in "chain:segment=64K", "ring@thread_shared:wait=sleep", or
/// "CHOICE@first" (leader policy).
/// Error: invalid_argument, with the wrong name and the nearest known one.
base::Result<Candidate> parse_candidate(algorithm::Collective collective, std::string_view text);
/// The shortest text that parse_candidate() parses to the same candidate.
std::string to_string(const Candidate& candidate);

/// Whether the algorithm may serve this request from a call of this kind. Otherwise *why_not is the reason in one line.
/// Rank-invariant.
bool applies(const algorithm::Choice& choice, const algorithm::RankInvariantRequest& request,
             const topology::Topology& topology, CallInterface interface, std::string* why_not);
/// Whether the candidate may serve this request. Otherwise *why_not is the reason in one line. Rank-invariant.
/// `no_agents`: reason why the nodes have no agents, the same on all ranks; empty: every node has one.
bool applies(const Candidate& candidate, const algorithm::RankInvariantRequest& request,
             const topology::Topology& topology, CallInterface interface, const std::string& no_agents,
             std::string* why_not);

/// Input for a list of candidates. Rank-invariant.
struct CandidateOptions {
  Candidate rule;                   // choice of the rules
  std::span<const Progress> modes;  // possible modes for the call, the preferred one first; at least one
  size_t most = 8;                  // maximum number of candidates; at least 2
  bool has_agents = false;          // agents serve the request
  bool has_late_rank = false;       // adds algorithms for a late rank, beyond `most`
  /// Further conditions, such as enough memory on every node; empty: none. Rank-invariant.
  std::function<bool(const algorithm::Choice&)> can_run = {};
};

/// The candidates for a request, without duplicates. The choice of
/// the rules comes first, in the preferred mode. The native MPI is always included, and the agents if there are any.
/// Then follow the same choice in the other modes and, alternating, other algorithms, cheapest first by their cost
/// formulas, and other parameters. Every choice passes its algorithm's guard.
std::vector<Candidate> candidates_for(const algorithm::RankInvariantRequest& request,
                                      const topology::Topology& topology, const CandidateOptions& options);

}  // namespace tutti::select
