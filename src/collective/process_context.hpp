#pragma once
// Services that this module requires from its environment: the MPI layer in a preloaded program, ranks as threads in
// tests.

#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithm/request.hpp"
#include "engine/driver.hpp"
#include "engine/signal.hpp"
#include "engine/wait_policy.hpp"
#include "select/arrivals.hpp"
#include "select/candidate.hpp"
#include "topology/topology.hpp"
#include "transport/network.hpp"

namespace tutti::collective {

class PlanBudget;
class Report;

using CollectiveSet = std::bitset<algorithm::k_collective_count>;

/// The settings; the same on all ranks, except the last two.
struct Options {
  /// on: call sites try candidates; all: also for calls that the rules leave to the native MPI.
  enum class Tuning : uint8_t { off, on, all } tuning = Tuning::off;
  uint32_t tuning_budget_permille = 20;
  /// The ranks exchange their arrival times at blocking calls, on a common clock.
  bool knows_arrivals = false;
  /// Minimum size (select::bytes_of_interest()) of blocking calls that return before their data is complete; nullopt:
  /// no call does.
  std::optional<uint64_t> least_early_bytes;
  /// The collectives that may return early.
  CollectiveSet early_collectives = CollectiveSet().set();
  /// Trace mode: calls still wait for all data, and the program's accesses are recorded.
  bool traces_accesses = false;
  uint32_t window = 2;  // transfers in flight per peer and direction
  /// Leader policy of two-level algorithms for which a rule names none.
  select::LeaderPolicy leader = select::LeaderPolicy::fixed;
  /// Progress modes of calls that do not block, in order of preference.
  std::vector<select::Progress> modes{select::Progress{}};
  engine::WaitPolicy wait_policy = engine::WaitPolicy::automatic;
  base::CpuShare cpu_share = base::CpuShare::own;
};

class ProcessContext {
 public:
  virtual ~ProcessContext() = default;

  virtual const Options& options() const = 0;
  virtual PlanBudget& plan_budget() = 0;
  /// nullptr: no report is wanted.
  virtual Report* report() = 0;
  virtual void log_verbose(const std::string& line) const = 0;

  /// Offset of this process's clock from the common clock.
  virtual select::CommonClock clock() const { return {}; }

  /// Creates this rank's endpoint to the other ranks of a communicator for background operations. `world_ranks` must
  /// outlive it.
  virtual std::unique_ptr<transport::Endpoint> make_endpoint(transport::Space space,
                                                             std::span<const int> world_ranks) = 0;
  /// Driver that carries out agreements.
  virtual engine::Driver& agreement_driver() = 0;
  /// Makes one progress step on agreements, if no thread does so.
  virtual void drive_agreements() = 0;
  /// Waits for the end of an agreement.
  virtual void await_agreement(engine::Signal& end) = 0;
};

/// An object that stays alive until release() has been called as often as hold().
class RefCounted {
 public:
  virtual void hold() = 0;
  virtual void release() = 0;

 protected:
  ~RefCounted() = default;
};

/// Access of a communicator to the agents of its nodes.
class AgentSource {
 public:
  /// Collective over the communicator, inside a blocking call on it: sets up missing agents if that is possible now.
  virtual void open_agents() = 0;
  /// Bytes that one operation of the agent of this rank's node may use; 0: the node has no agent. Never waits.
  virtual uint64_t agent_bytes() = 0;
  /// True if open_agents() may set agents up, or has done so; false if they are set up at the start. The same on all
  /// ranks.
  virtual bool may_have_agents() const = 0;

 protected:
  ~AgentSource() = default;
};

/// The ranks of one communicator, as seen by one of them. Referenced objects outlive every object that gets a
/// CommunicatorView.
struct CommunicatorView {
  uint32_t id = 0;  // the same on all ranks; the upper part of the tags of their messages
  int rank = 0;
  std::span<const int> world_ranks;
  const topology::Topology* topology = nullptr;
  RefCounted* owner = nullptr;    // the communicator
  AgentSource* agents = nullptr;  // nullptr: it never has agents
  /// The communicator has a twin: a duplicate on which held-back calls can be passed to the native MPI later than the
  /// program makes them (docs/adr/0009). The same on all ranks.
  bool has_twin = false;
  /// The ranks are threads of few processes: messages can be addressed to a node, every call has one operation, and no
  /// native MPI serves calls.
  bool are_threads = false;
};

}  // namespace tutti::collective
