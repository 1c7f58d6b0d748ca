#include "engine/runner.hpp"

#include <algorithm>
#include <utility>

namespace tutti::engine {

using base::Status;

Runner::Lane& Runner::lane_of(Engine* engine) {
  const auto found = std::ranges::find(lanes_, engine, &Lane::engine);
  if (found != lanes_.end()) return *found;
  lanes_.push_back({engine, {}, {}});
  return lanes_.back();
}

void Runner::accept(Job* job) {
  Lane& lane = lane_of(job->engine);
  if (lane.running.size() >= k_most_running || !lane.waiting.empty())
    lane.waiting.push_back(job);
  else
    start(lane, job);
}

void Runner::start(Lane& lane, Job* job) {
  const base::Result<Operation*> operation = lane.engine->start(*job->plan, job->bindings);
  if (operation)
    lane.running.push_back({job, *operation});
  else
    ended_.emplace_back(job, operation.status());
}

bool Runner::progress() {
  bool moved = false;
  for (Lane& lane : lanes_) {
    if (lane.engine->progress()) moved = true;
    end_done(lane);
    while (!lane.waiting.empty() && lane.running.size() < k_most_running) {
      Job* const job = lane.waiting.front();
      lane.waiting.pop_front();
      start(lane, job);
    }
  }
  std::erase_if(lanes_, [](const Lane& lane) { return lane.running.empty() && lane.waiting.empty(); });
  if (ended_.empty()) return moved;
  end_collected();
  return true;
}

void Runner::end_done(Lane& lane) {
  std::erase_if(lane.running, [&](const Running& running) {
    if (!running.operation->is_done()) return false;
    ended_.emplace_back(running.job, running.operation->status());
    lane.engine->release(running.operation);
    return true;
  });
}

void Runner::end_collected() {
  // Only now: the driver is through with the engines whose jobs these were.
  const auto ended = std::exchange(ended_, {});
  for (const auto& [job, status] : ended) job->ended(status);
}

}  // namespace tutti::engine
