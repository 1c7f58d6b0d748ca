#pragma once
// The thread that runs the agents whose home is this process. It sleeps and uses no CPU time while nothing
// can be done.

#include <pthread.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "agent/agent_doorbell.hpp"
#include "agent/communicator_agent.hpp"
#include "base/status.hpp"
#include "transport/network.hpp"

namespace tutti::agent {

/// Called by any thread except its own, by one at a time; progress() is exempt from this limit.
class AgentThread {
 public:
  /// Only this thread and the endpoints of its agents use `network`; both must outlive the thread. Without a
  /// core beside those of the ranks it sleeps sooner. Errors: system, out_of_memory.
  static base::Result<std::unique_ptr<AgentThread>> start(transport::Network& network, AgentDoorbell& bell,
                                                          bool has_own_core);
  /// Requires that stop() or abandon() was called.
  ~AgentThread();
  AgentThread(const AgentThread&) = delete;
  AgentThread& operator=(const AgentThread&) = delete;

  /// From now on the thread advances the agent. Once it has ended, the thread destroys it and calls `after`.
  void add(std::unique_ptr<CommunicatorAgent> communicator_agent, std::function<void()> after);
  /// Number of agents of communicators that have not ended.
  size_t station_count() const;

  static constexpr uint64_t k_forever_ns = uint64_t{1} << 60;  // 36 years
  /// Ends the thread, with operations pending or not, and leaves its agents of communicators to progress(). False: it
  /// has not ended within that time; progress() works once it has.
  bool hand_over(uint64_t within_ns);
  /// After hand_over(), any thread: advances the agents of communicators, unless another thread does. True if something
  /// moved.
  bool progress();

  /// Ends the thread, with operations pending or not. False: it has not ended within that time, or operations
  /// were pending: the objects passed to it stay in use.
  bool stop(uint64_t within_ns = k_forever_ns);
  /// For a forked child, where the thread does not exist.
  void abandon();

 private:
  class Loop;
  explicit AgentThread(std::unique_ptr<Loop> loop);

  std::unique_ptr<Loop> loop_;  // not freed if the thread does not end
  pthread_t thread_{};
  bool has_thread_ = true;
};

}  // namespace tutti::agent
