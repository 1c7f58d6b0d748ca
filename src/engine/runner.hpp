#pragma once
// Advances the jobs of any number of engines, for the progress thread and for inline progress (DESIGN §6).

#include <cstddef>
#include <utility>
#include <vector>

#include "engine/job.hpp"

namespace tutti::engine {

/// Used by one thread at a time.
///
/// Jobs of one engine start in the order in which they were accepted, which is the same on all ranks. At most
/// k_most_running of them are running; the others wait, as do those behind a job that is not ready. Jobs of
/// different engines are independent. Allocates only while the number of jobs or engines in progress reaches
/// a new maximum.
class Runner {
 public:
  static constexpr size_t k_most_running = 64;

  /// Accepts a job, and starts it unless it is not ready or has to wait for others of its engine.
  void accept(Job* job);
  /// Advances all jobs once. True if something moved.
  bool progress();
  bool has_jobs() const { return job_count_ > 0; }
  /// After a progress() that moved nothing: true if only an event of the network can move a job on.
  bool awaits_event() const;
  /// Number of jobs that were accepted and whose ended() has not been called.
  size_t job_count() const { return job_count_; }

 private:
  struct Running {
    Job* job;
    Operation* operation;
  };
  /// Jobs in order of arrival, linked by Job::next.
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
  struct EngineQueue {
    Engine* engine = nullptr;
    std::vector<Running> running;
    Waiting waiting;
    bool is_empty() const { return running.empty() && waiting.is_empty(); }
    bool has_room() const { return running.size() < k_most_running; }
    bool awaits_event() const;
  };

  EngineQueue& queue_of(Engine* engine);
  void start(EngineQueue& queue, Job* job);
  void start_waiting(EngineQueue& queue);
  void end_done(EngineQueue& queue);
  void close_empty_queues();
  void end_collected();

  using Ended = std::vector<std::pair<Job*, base::Status>>;

  std::vector<EngineQueue> queues_;  // the first queue_count_ are in use; the others keep their memory
  size_t queue_count_ = 0;
  size_t job_count_ = 0;
  Ended ended_;  // ended() is still to be called: it may submit new jobs
  Ended spare_;  // memory for the next ended_
};

}  // namespace tutti::engine
