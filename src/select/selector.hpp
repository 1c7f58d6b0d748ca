#pragma once
// Selects the algorithm that serves a call, and states the reason (DESIGN §7). Every decision depends only on
// rank-invariant data, so all ranks decide alike without communication. If no rule applies, the native MPI serves the
// call. Rules give the initial choice; select/tuner.hpp starts from it if run-time selection is on.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "algorithm/rank_invariant_request.hpp"
#include "base/settings.hpp"
#include "select/rules.hpp"
#include "topology/topology.hpp"

namespace tutti::select {

struct Decision {
  Candidate use;            // ProgressMode::automatic if the rule names no mode
  std::string reason;       // one line, for reports
  bool is_binding = false;  // set by the user: a setting, or a rule in a file that was not learned
  bool is_native() const { return use.is_native(); }
};

/// Size of a call for rules and reports, the same on every rank (algorithm::CallSize). Returns false if only some ranks
/// know it. A rule with a range of bytes never matches an unknown size.
bool bytes_of_interest(const algorithm::RankInvariantRequest& request, uint64_t* bytes);
/// Whether the calls of a collective have a size that all ranks know.
bool has_bytes_of_interest(algorithm::Collective collective);

/// The rules that are relevant for one communicator. Immutable; any thread.
class CommunicatorRules {
 public:
  /// Fast test: true if the first matching rule is native, or none matches. Does not allocate. `binding_reason`: set to
  /// the reason of that rule if the user wrote it, otherwise to nullptr.
  bool is_native(algorithm::Collective collective, uint64_t bytes, bool bytes_known,
                 CallInterface interface = CallInterface::blocking,
                 const std::string** binding_reason = nullptr) const;

  /// Further conditions, such as enough memory on every node. Error: the reason. Rank-invariant.
  using CanServe = std::function<base::Status(const Candidate&)>;
  /// The decision for a call: the first rule that matches, applies() and satisfies `can_serve`. Expensive: call it once
  /// per kind of call and store the result.
  Decision decide(const algorithm::RankInvariantRequest& request, const topology::Topology& topology,
                  CallInterface interface = CallInterface::blocking, const CanServe& can_serve = {}) const;

  /// Whether a rule that the user did not write lets Tutti serve calls of that kind.
  bool leaves_choice(CallInterface interface) const;

  /// As in applies().
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

/// The text of a rules file, and its name in messages.
struct RulesText {
  std::string name;
  std::string text;
};

/// Reads the files that the settings name, in order of precedence: TUTTI_RULES, then TUTTI_LEARN unless it is missing
/// or empty. A file that cannot be read adds one line to `problems`.
std::vector<RulesText> read_rules_files(const base::Settings& settings, std::vector<std::string>* problems);

/// All rules of a process, in order of precedence: forced by settings, from the user's rules files, built-in.
class Selector {
 public:
  /// An invalid rules file or forced algorithm adds one line to `problems` and is ignored completely. `mpi`: the MPI of
  /// the process (k_mpi_names); rules for others are ignored. Where ranks are threads, built-in rules for them precede
  /// the others, and rules that leave calls to the native MPI or were learned between processes are ignored.
  static Selector from_settings(const base::Settings& settings, std::span<const RulesText> files,
                                std::vector<std::string>* problems, std::string_view mpi = {});
  /// As above, with the files that the settings name.
  static Selector from_settings(const base::Settings& settings, std::vector<std::string>* problems,
                                std::string_view mpi = {}) {
    return from_settings(settings, read_rules_files(settings, problems), problems, mpi);
  }

  /// Reason as in applies(). Call before for_communicator().
  void set_no_agents(std::string why) { no_agents_ = std::move(why); }
  /// Whether a rule uses agents for calls of some kind.
  bool wants_agents() const;

  /// Sets whether the built-in rules apply, which are for slow links. Call before for_communicator().
  void set_slow_links(bool are_slow) { has_slow_links_ = are_slow; }
  /// Whether a rule may let Tutti serve nonblocking or persistent calls on a communicator of ranks of `world`.
  bool could_serve_nonblocking(const topology::Topology& world) const;
  /// The same for any topology.
  bool could_serve_nonblocking() const;

  std::shared_ptr<const CommunicatorRules> for_communicator(const topology::Topology& topology) const;

 private:
  std::shared_ptr<const std::vector<Rule>> rules_;
  bool holds(const Rule& rule) const { return has_slow_links_ || !rule.is_built_in; }

  std::string no_agents_ = "no agents are set up";
  bool has_slow_links_ = true;
};

}  // namespace tutti::select
