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

Runner::Lane& Runner::lane_of(Engine* engine) {
  const auto open = std::span(lanes_).first(lane_count_);
  const auto found = std::ranges::find(open, engine, &Lane::engine);
  if (found != open.end()) return *found;
  if (lane_count_ == lanes_.size()) lanes_.emplace_back();
  Lane& lane = lanes_[lane_count_++];
  lane.engine = engine;
  return lane;
}

void Runner::accept(Job* job) {
  ++job_count_;
  Lane& lane = lane_of(job->engine);
  lane.waiting.push(job);
  start_waiting(lane);
}

void Runner::start_waiting(Lane& lane) {
  while (!lane.waiting.is_empty() && lane.has_room() && lane.waiting.first()->is_ready())
    start(lane, lane.waiting.pop());
}

void Runner::start(Lane& lane, Job* job) {
  const base::Result<Operation*> operation = job->start();
  if (operation)
    lane.running.push_back({job, *operation});
  else
    ended_.emplace_back(job, operation.status());
}

bool Runner::progress() {
  bool moved = false;
  for (Lane& lane : std::span(lanes_).first(lane_count_)) {
    if (lane.engine->progress()) moved = true;
    end_done(lane);
    start_waiting(lane);
  }
  close_empty_lanes();
  if (ended_.empty()) return moved;
  end_collected();
  return true;
}

bool Runner::awaits_event() const {
  return std::ranges::all_of(std::span(lanes_).first(lane_count_), &Lane::awaits_event);
}

/// Waiting jobs become ready without an event, so the lane must not have a startable one.
bool Runner::Lane::awaits_event() const {
  return (waiting.is_empty() || !has_room()) &&
         std::ranges::all_of(running, [](const Running& job) { return job.operation->awaits_event(); });
}

void Runner::close_empty_lanes() {
  for (size_t i = lane_count_; i-- > 0;)
    if (lanes_[i].is_empty()) std::swap(lanes_[i], lanes_[--lane_count_]);
}

void Runner::end_done(Lane& lane) {
  std::erase_if(lane.running, [&](const Running& running) {
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
