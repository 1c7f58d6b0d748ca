#pragma once
// Drives jobs of any number of engines: what a progress thread does all day, and what MPI calls do where
// there is none (DESIGN §6).

#include <cstddef>
#include <utility>
#include <vector>

#include "engine/job.hpp"

namespace tutti::engine {

/// Used by one thread at a time.
///
/// Jobs of one engine start in the order in which they were accepted, which is the same on all ranks; at most
/// k_most_running of them are under way, the others wait, as they do behind a job that is not ready. Jobs of
/// different engines know nothing of each other. Once as many jobs and engines as now have been under way at
/// the same time, nothing is allocated.
class Runner {
 public:
  static constexpr size_t k_most_running = 64;

  /// Takes a job over. It has started when this returns, unless it is not ready or others of its engine are
  /// before it.
  void accept(Job* job);
  /// Moves everything on, once. True when something moved.
  bool progress();
  bool has_jobs() const { return job_count_ > 0; }
  /// Where progress() moves nothing: it will not before an event of the network.
  bool awaits_event() const;
  /// Jobs that were accepted and have not heard of their end.
  size_t job_count() const { return job_count_; }

 private:
  struct Running {
    Job* job;
    Operation* operation;
  };
  /// Jobs in the order in which they came, by their own links.
  class Waiting {
   public:
    bool is_empty() const { return first_ == nullptr; }
    Job* first() const { return first_; }
    void push(Job* job);
    Job* pop();

   private:
    Job* first_ = nullptr;
    Job* last_ = nullptr;
  };
  /// The jobs of one engine.
  struct Lane {
    Engine* engine = nullptr;
    std::vector<Running> running;
    Waiting waiting;
    bool is_empty() const { return running.empty() && waiting.is_empty(); }
    bool has_room() const { return running.size() < k_most_running; }
    bool awaits_event() const;
  };

  Lane& lane_of(Engine* engine);
  void start(Lane& lane, Job* job);
  void start_waiting(Lane& lane);
  void end_done(Lane& lane);
  void close_empty_lanes();
  void end_collected();

  using Ended = std::vector<std::pair<Job*, base::Status>>;

  std::vector<Lane> lanes_;  // the first lane_count_; the others keep their memory for the next engine
  size_t lane_count_ = 0;
  size_t job_count_ = 0;
  Ended ended_;  // have ended and have not been told: ended() may come back with new jobs
  Ended spare_;  // memory for the next ended_
};

}  // namespace tutti::engine
