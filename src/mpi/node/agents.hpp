#pragma once
// The agents of this process (leader policy `agent`, DESIGN §5), and a communicator's access to the agent of its node.

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "agent/agent_doorbell.hpp"
#include "agent/agent_thread.hpp"
#include "agent/board.hpp"
#include "base/settings.hpp"
#include "base/status.hpp"
#include "collective/dispatched_call.hpp"
#include "engine/engine.hpp"
#include "mpi/node/node_access.hpp"
#include "mpi/progress/progress_engine.hpp"
#include "topology/topology.hpp"
#include "transport/network.hpp"

namespace tutti::mpi {

/// State shared by all agents of a process: a network, a thread, a bell. Used by the threads of the program; open() and
/// close() by one thread only.
class Agents {
 public:
  /// Collective over `world`, with the same outcome on all ranks. Error: the obstacle. `has_two_cores`: this process
  /// has an extra core for its agents.
  base::Status open(MPI_Comm world, std::span<const int32_t> node_of_world_rank, bool has_two_cores,
                    NodeSharedMemory& shared_memory, const base::Settings& settings);
  /// Collective over `world`, called when this process has closed the boards of all communicators. Waits for the other
  /// processes, which may need its agents until they have closed theirs.
  void close(MPI_Comm world, ProgressEngine& progress);
  /// Ends the thread; `progress` takes over its work.
  void hand_over(ProgressEngine& progress, uint64_t within_ns);
  /// True if their network is the MPI's.
  bool call_mpi() const { return comm_ != MPI_COMM_NULL; }
  /// Called in a forked child.
  void abandon();

  bool are_open() const { return is_open_; }

 private:
  friend class AgentAccess;
  base::Status open_network(MPI_Comm world, size_t rank_count, const base::Settings& settings);
  /// Collective.
  void close_network();
  base::Status open_bells(MPI_Comm world, std::span<const int32_t> node_of_world_rank);
  base::Status find_flags();
  bool reach_bells() const;
  /// Number of a process on this node.
  uint32_t process_of(topology::Rank world_rank) const;
  /// Rings the bell of the process with that number on this node.
  void ring(uint32_t process) const { ringer_->ring(addresses_[process], flags_[process]); }
  base::Status add(std::unique_ptr<agent::CommunicatorAgent> communicator_agent, std::function<void()> after);
  base::Status start_thread();

  NodeSharedMemory* shared_memory_ = nullptr;
  std::unique_ptr<transport::Network> network_;
  MPI_Comm comm_ = MPI_COMM_NULL;  // of a network over the MPI
  node::Region region_;            // of the flags, if several processes share the node
  agent::AgentDoorbellFlag lone_flag_{};
  agent::AgentDoorbellFlag* flags_ = nullptr;  // by process of this node
  std::vector<sockaddr_un> addresses_;         // by process of this node
  std::vector<topology::Rank> processes_;      // of this node: ranks in MPI_COMM_WORLD, ascending
  std::optional<agent::AgentDoorbell> bell_;
  std::optional<agent::DoorbellSender> ringer_;
  std::mutex mutex_;
  std::unique_ptr<agent::AgentThread> thread_;  // started with the first agent
  bool has_left_ = false;                       // hand_over() has been called
  bool thread_has_core_ = false;
  std::atomic<bool> is_open_{false};  // atomic: agents may be opened late, while other threads read it
};

/// One rank's access to the agent of its node. Used by one thread at a time.
class AgentAccess {
 public:
  /// Never waits for another rank. `topology` and `world_ranks` outlive it.
  AgentAccess(Agents& agents, uint32_t communicator_id, const topology::Topology& topology, int rank,
              std::span<const int> world_ranks);
  AgentAccess(const AgentAccess&) = delete;
  AgentAccess& operator=(const AgentAccess&) = delete;

  /// True if the agent runs in this process.
  bool is_home() const { return is_home_; }
  /// If is_home(): called once, before any call. False: there is no agent, and `after` will not be called. Otherwise
  /// another thread calls `after` when all members have closed the board and the agent has ended.
  bool start(std::function<void()> after);
  /// Bytes of one operation; 0: this rank has no agent.
  uint64_t area_bytes() const { return board_.area_bytes(); }

  /// Carries out one call and waits for its end.
  base::Status run(const collective::AgentCall& call, const engine::Bindings& bindings,
                   ProgressEngine& progress);
  /// Ends the access: no more calls follow.
  void close();

 private:
  std::vector<int> homes() const;
  int home_of(int32_t node) const;

  Agents& agents_;
  const uint32_t id_;
  const topology::Topology& topology_;
  const int rank_;
  const std::span<const int> world_ranks_;
  const bool is_home_;
  uint32_t home_process_ = 0;  // number on this node of the process in which the agent runs
  node::Region region_;
  struct Line {
    alignas(agent::Board::k_line_bytes) std::byte bytes[agent::Board::k_line_bytes];
  };
  std::unique_ptr<Line[]> private_memory_;  // if the rank is alone on its node
  agent::Board board_;
  uint32_t next_ = 0;  // number of the next operation
};

}  // namespace tutti::mpi
