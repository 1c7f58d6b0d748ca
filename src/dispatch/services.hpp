#pragma once
// What this room needs from below: the MPI in a preloaded program, threads as ranks in tests.

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

namespace tutti::dispatch {

class PlanBudget;
class Report;

using CollectiveSet = std::bitset<algorithm::k_collective_count>;

/// What the settings say; the same on all ranks, but for the two last.
struct Options {
  /// Call sites try candidates; all: those too that the rules leave to the native MPI.
  enum class Tuning : uint8_t { off, on, all } tuning = Tuning::off;
  uint32_t tuning_budget_permille = 20;
  /// The ranks tell each other when they came to blocking calls, by clocks that have been compared.
  bool knows_arrivals = false;
  /// Blocking calls return before their data is there, where it is of that size at least, as
  /// select::bytes_of_interest() has it; nullopt: never.
  std::optional<uint64_t> least_early_bytes;
  /// The collectives that do.
  CollectiveSet early_collectives = CollectiveSet().set();
  /// Trace mode: calls still wait for all data, and the program's accesses are recorded.
  bool traces_accesses = false;
  uint32_t window = 2;  // transfers in flight per peer and direction
  /// How calls that do not block can be carried out, preferred way first.
  std::vector<select::Progress> modes{select::Progress{}};
  engine::WaitPolicy wait_policy = engine::WaitPolicy::automatic;
  base::CpuShare cpu_share = base::CpuShare::own;
};

class Services {
 public:
  virtual ~Services() = default;

  virtual const Options& options() const = 0;
  virtual PlanBudget& plan_budget() = 0;
  /// nullptr: no report is wanted.
  virtual Report* report() = 0;
  virtual void say_if_verbose(const std::string& line) const = 0;

  /// This process's clock beside the others'.
  virtual select::CommonClock clock() const { return {}; }

  /// One rank's endpoint to the others of a communicator for what no call blocks in. `world_ranks` stays
  /// valid.
  virtual std::unique_ptr<transport::Endpoint> make_endpoint(transport::Space space,
                                                             std::span<const int> world_ranks) = 0;
  /// Carries out what the ranks agree on.
  virtual engine::Driver& agreement_driver() = 0;
  /// One step of that, where no thread makes it.
  virtual void drive_agreements() = 0;
  /// Waits for the end of an agreement.
  virtual void await_agreement(engine::Signal& end) = 0;
};

/// Something that stays until it has been released as often as it was held.
class Held {
 public:
  virtual void hold() = 0;
  virtual void release() = 0;

 protected:
  ~Held() = default;
};

/// A communicator's way to the agents of its nodes.
class AgentSource {
 public:
  /// Collective over the communicator, inside a blocking call on it: sets up what is missing, if that can be done now.
  virtual void open_agents() = 0;
  /// Bytes of one operation that this rank's node has for its agent; 0: it has none. Never waits.
  virtual uint64_t agent_bytes() = 0;
  /// Agents are there, or open_agents() may bring them. The same on all ranks.
  virtual bool may_have_agents() const = 0;

 protected:
  ~AgentSource() = default;
};

/// The ranks of one communicator, seen from one of them. What is referred to outlives what is given this.
struct Group {
  uint32_t id = 0;  // the same on all of them, upper part of their messages' tags
  int rank = 0;
  std::span<const int> world_ranks;
  const topology::Topology* topology = nullptr;
  Held* owner = nullptr;          // the communicator
  AgentSource* agents = nullptr;  // nullptr: it never has any
  /// The native MPI can carry calls out that are made later than the program makes them: it has a communicator for them
  /// alone (docs/adr/0009). The same on all ranks.
  bool has_twin = false;
};

}  // namespace tutti::dispatch
