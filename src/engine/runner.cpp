#include "engine/runner.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace tutti::engine {

void Runner::Waiting::push(Job* job) {
  job->next.store(nullptr, std::memory_order_relaxed);
  if (is_empty())
    first_ = job;
  else
    last_->next.store(job, std::memory_order_relaxed);
  last_ = job;
}

Job* Runner::Waiting::pop() {
  Job* const job = first_;
  first_ = job->next.load(std::memory_order_relaxed);
  return job;
}

Runner::EngineQueue& Runner::queue_of(Engine* engine) {
  const auto open = std::span(queues_).first(queue_count_);
  const auto found = std::ranges::find(open, engine, &EngineQueue::engine);
  if (found != open.end()) return *found;
  if (queue_count_ == queues_.size()) queues_.emplace_back();
  EngineQueue& queue = queues_[queue_count_++];
  queue.engine = engine;
  return queue;
}

void Runner::accept(Job* job) {
  ++job_count_;
  EngineQueue& queue = queue_of(job->engine);
  queue.waiting.push(job);
  start_waiting(queue);
}

void Runner::start_waiting(EngineQueue& queue) {
  while (!queue.waiting.is_empty() && queue.has_room() && queue.waiting.first()->is_ready())
    start(queue, queue.waiting.pop());
}

void Runner::start(EngineQueue& queue, Job* job) {
  const base::Result<Operation*> operation = job->start();
  if (operation)
    queue.running.push_back({job, *operation});
  else
    ended_.emplace_back(job, operation.status());
}

bool Runner::progress() {
  bool moved = false;
  for (EngineQueue& queue : std::span(queues_).first(queue_count_)) {
    if (queue.engine->progress()) moved = true;
    end_done(queue);
    start_waiting(queue);
  }
  close_empty_queues();
  if (ended_.empty()) return moved;
  end_collected();
  return true;
}

bool Runner::awaits_event() const {
  return std::ranges::all_of(std::span(queues_).first(queue_count_), &EngineQueue::awaits_event);
}

/// Waiting jobs become ready without an event, so the queue must not have a startable one.
bool Runner::EngineQueue::awaits_event() const {
  return (waiting.is_empty() || !has_room()) &&
         std::ranges::all_of(running, [](const Running& job) { return job.operation->awaits_event(); });
}

void Runner::close_empty_queues() {
  for (size_t i = queue_count_; i-- > 0;)
    if (queues_[i].is_empty()) std::swap(queues_[i], queues_[--queue_count_]);
}

void Runner::end_done(EngineQueue& queue) {
  std::erase_if(queue.running, [&](const Running& running) {
    if (!running.operation->is_done()) return false;
    ended_.emplace_back(running.job, running.operation->status());
    running.job->release(running.operation);
    return true;
  });
}

void Runner::end_collected() {
  // Only now: the engines of these jobs are no longer used in this round.
  Ended ended = std::exchange(ended_, std::exchange(spare_, {}));
  for (const auto& [job, status] : ended) {
    --job_count_;
    job->ended(status);
  }
  ended.clear();
  spare_ = std::move(ended);
}

}  // namespace tutti::engine
