#pragma once
// The thread of a process that is home to agents. It sleeps while nothing can be done: no CPU time is spent then.

#include <pthread.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "agent/bell.hpp"
#include "agent/station.hpp"
#include "base/status.hpp"
#include "transport/network.hpp"

namespace tutti::agent {

/// Any thread but its own, one at a time but for progress().
class AgentThread {
 public:
  /// Only this thread and the endpoints of its agents use `network`; both must outlive the thread. Without a
  /// core beside those of the ranks it sleeps sooner. Errors: system, out_of_memory.
  static base::Result<std::unique_ptr<AgentThread>> start(transport::Network& network, Bell& bell,
                                                          bool has_own_core);
  /// stop() or abandon() has been called.
  ~AgentThread();
  AgentThread(const AgentThread&) = delete;
  AgentThread& operator=(const AgentThread&) = delete;

  /// From now on the thread moves it on. When it is over, it is destroyed, and then `after` called, on the thread.
  void add(std::unique_ptr<Station> station, std::function<void()> after);
  /// Stations that are not over yet.
  size_t station_count() const;

  static constexpr uint64_t k_forever_ns = uint64_t{1} << 60;  // 36 years
  /// Ends the thread, whatever is under way, and leaves its stations to progress(). False: it has not ended within that
  /// time; then progress() begins when it has.
  bool hand_over(uint64_t within_ns);
  /// After hand_over(), any thread: moves the stations on, unless another thread does. True when something moved.
  bool progress();

  /// Ends the thread, whatever is under way. False: it has not ended by then, or operations were under way: what it was
  /// given stays in use.
  bool stop(uint64_t within_ns = k_forever_ns);
  /// In a forked child, where it does not exist.
  void abandon();

 private:
  class Loop;
  explicit AgentThread(std::unique_ptr<Loop> loop);

  std::unique_ptr<Loop> loop_;  // stays behind where it cannot end
  pthread_t thread_{};
  bool has_thread_ = true;
};

}  // namespace tutti::agent
