#pragma once
// Drives jobs of any number of engines: what a progress thread does all day, and what MPI calls do where
// there is none (DESIGN §6).

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "engine/job.hpp"

namespace tutti::engine {

/// Used by one thread at a time.
///
/// Jobs of one engine start in the order in which they were accepted, which is the same on all ranks; at most
/// k_most_running of them are under way, the others wait. Jobs of different engines know nothing of each
/// other.
class Runner {
 public:
  static constexpr size_t k_most_running = 64;

  /// Takes a job over. It has started when this returns, unless others of its engine are before it.
  void accept(Job* job);
  /// Moves everything on, once. True when something moved.
  bool progress();
  bool has_jobs() const { return !lanes_.empty(); }

 private:
  struct Running {
    Job* job;
    Operation* operation;
  };
  /// The jobs of one engine.
  struct Lane {
    Engine* engine;
    std::vector<Running> running;
    std::deque<Job*> waiting;
  };

  Lane& lane_of(Engine* engine);
  void start(Lane& lane, Job* job);
  void end_done(Lane& lane);
  void end_collected();

  std::vector<Lane> lanes_;
  // Jobs that have ended and have not been told: ended() may come back with new jobs.
  std::vector<std::pair<Job*, base::Status>> ended_;
};

}  // namespace tutti::engine
