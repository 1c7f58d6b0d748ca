#pragma once
// Which algorithm serves a call, and why (DESIGN §7). Every decision is a function of what all ranks of the
// communicator know alike, so all ranks decide the same without talking. Native MPI ends every chain.
// The rules give the first guess; where the program's calls are to find the best themselves, select/tuner.hpp
// starts from it.

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "base/settings.hpp"
#include "select/rules.hpp"
#include "topology/topology.hpp"

namespace tutti::select {

struct Decision {
  Candidate use;            // in ProgressMode::automatic where the rule says nothing
  std::string reason;       // one line, for reports
  bool is_binding = false;  // a person wants it so: a setting, or a rule of their file that nobody learned
  bool is_native() const { return use.is_native(); }
};

/// The size by which rules and reports class a call, the same on every rank:
///   bcast: the message; reduce, allreduce, scan, exscan, reduce_scatter(_block): the whole vector;
///   allgather, gather, scatter, alltoall: one block; allgatherv: the average block, rounded down.
/// False for barrier (*bytes = 0 is given, known) and where only some ranks know it: gatherv, scatterv,
/// alltoallv, alltoallw. A rule with a range of bytes never matches an unknown size.
bool bytes_of_interest(const algorithm::Request& request, uint64_t* bytes);
/// Whether the calls of a collective have such a size.
bool has_bytes_of_interest(algorithm::Collective collective);

/// The rules that can matter on one communicator. Immutable; any thread.
class CommunicatorRules {
 public:
  /// Fast and exact: true when no rule can take a call of this size away from the native MPI.
  /// Allocates nothing. `binding_reason`: set to the reason of the rule where a person wants it so, else nullptr.
  bool is_native(algorithm::Collective collective, uint64_t bytes, bool bytes_known,
                 CallKind kind = CallKind::blocking, const std::string** binding_reason = nullptr) const;

  /// Decides. Ask once per kind of call and keep the answer.
  Decision decide(const algorithm::Request& request, const topology::Topology& topology,
                  CallKind kind = CallKind::blocking) const;

  /// A rule takes calls of that kind away from the native MPI, and no person has written it.
  bool leaves_choice(CallKind kind) const;

  /// As applies() has it.
  const std::string& no_agents() const { return no_agents_; }

 private:
  friend class Selector;
  struct PerCollective {
    std::vector<const Rule*> rules;  // in order of precedence
  };
  std::shared_ptr<const std::vector<Rule>> all_;
  std::vector<PerCollective> by_collective_;
  std::string no_agents_;
};

/// The text of a rules file, and what messages call it.
struct RulesText {
  std::string name;
  std::string text;
};

/// The files that the settings name, in order of precedence: TUTTI_RULES, then TUTTI_LEARN where there is
/// something in it already. What cannot be read adds one line to `problems`.
std::vector<RulesText> read_rules_files(const base::Settings& settings, std::vector<std::string>* problems);

/// All rules of a process, in order of precedence: forced by settings, the user's rules file, built-in.
class Selector {
 public:
  /// A rules file or a forced algorithm that makes no sense adds one line to `problems` and is left out
  /// whole. `mpi`: the one that the process uses (k_mpi_names); rules for others do not count.
  static Selector from_settings(const base::Settings& settings, std::span<const RulesText> files,
                                std::vector<std::string>* problems, std::string_view mpi = {});
  /// Reads the files that the settings name.
  static Selector from_settings(const base::Settings& settings, std::vector<std::string>* problems,
                                std::string_view mpi = {}) {
    return from_settings(settings, read_rules_files(settings, problems), problems, mpi);
  }

  /// Before for_communicator(): as applies() has it.
  void set_no_agents(std::string why) { no_agents_ = std::move(why); }
  /// A rule wants them for calls of some kind.
  bool wants_agents() const;

  /// Before for_communicator(): whether the built-in rules hold, which are for slow links.
  void set_slow_links(bool are_slow) { has_slow_links_ = are_slow; }
  /// A rule may take calls that do not block away from the native MPI, on a communicator of ranks of `world`.
  bool could_serve_nonblocking(const topology::Topology& world) const;
  /// The same, wherever the ranks are.
  bool could_serve_nonblocking() const;

  std::shared_ptr<const CommunicatorRules> for_communicator(const topology::Topology& topology) const;

 private:
  std::shared_ptr<const std::vector<Rule>> rules_;
  bool holds(const Rule& rule) const { return has_slow_links_ || !rule.is_built_in; }

  std::string no_agents_ = "nobody has set agents up";
  bool has_slow_links_ = true;
};

}  // namespace tutti::select
