#include "simulate/executor.hpp"

#include <algorithm>
#include <utility>

#include "simulate/simulated_execution.hpp"

namespace tutti::simulate {

using base::Result;
using base::Status;

Result<SimulationOutcome> execute(Cast& cast, const Costs& costs,
                                  const interconnect::NetworkTopology* topology, const AskToStop& stops) {
  return SimulatedExecution(cast, costs, topology).run(stops);
}

SimulatedExecution::SimulatedExecution(Cast& cast, const Costs& costs,
                                       const interconnect::NetworkTopology* topology)
    : cast_(cast), costs_(costs), topology_(topology), open_actors_(cast.actor_count()) {
  const uint32_t actors = cast.actor_count();
  actors_.resize(actors);
  shapes_.resize(actors);
  outcome_.ends_ps.resize(actors);
  nodes_of_.reserve(actors);
  for (Actor actor = 0; actor < actors; ++actor) {
    nodes_of_.push_back(cast.node_of(actor));
    events_.add(cast.arrival_ps(actor), {.kind = Kind::arrive, .actor = actor});
  }
  nodes_.resize(cast.node_count());
  if (topology != nullptr) links_free_.resize(size_t{topology->routers()} * topology->ports());
}

Result<SimulationOutcome> SimulatedExecution::run(const AskToStop& stops) {
  constexpr uint64_t k_often = 1 << 16;
  while (!events_.is_empty() && status_.is_ok()) {
    const auto [time, event] = events_.take();
    now_ = later(time, 0);
    if (status_.is_ok()) handle(event);
    if (++outcome_.counters.events % k_often == 0 && stops && stops())
      return Status::not_supported("stopped");
  }
  if (!status_) return status_;
  if (open_actors_ > 0) return why_unfinished();
  return std::move(outcome_);
}

void SimulatedExecution::handle(const Event& event) {
  switch (event.kind) {
    case Kind::arrive:
      return arrive(event.actor);
    case Kind::cpu_done:
      return end_work(event.actor, event.task);
    case Kind::hop:
      return hop(event);
    case Kind::head:
      return come_in(event);
    case Kind::data:
    case Kind::ask:
      return deliver(event);
    case Kind::invite:
      actors_[event.actor]->stage(event.task) = Stage::invited;
      actors_[event.actor]->push_message(event.task);
      return run(event.actor);
    case Kind::sent:
      complete(event.actor, event.task);
      return run(event.actor);
    case Kind::memory:
      return memory_moves(event.actor, event.where);
  }
}

void SimulatedExecution::arrive(Actor actor) {
  const Result<const Shape*> shape = cast_.shape_of(actor);
  if (!shape) {
    status_ = shape.status();
    return;
  }
  shapes_[actor] = *shape;
  actors_[actor] = ActorState::make(**shape, memory_);
  outcome_.counters.tasks += (*shape)->size();
  for (const TaskId root : (*shape)->roots()) make_ready(actor, root);
  if (const auto early = early_.find(actor); early != early_.end()) {
    for (const Event& event : std::exchange(early->second, {})) deliver(event);
    early_.erase(early);
  }
  std::vector<Event>& parked = nodes_[nodes_of_[actor]].parked;
  if (!parked.empty() && cast_.leader_of(nodes_of_[actor]) == actor)
    for (const Event& event : std::exchange(parked, {})) deliver(event);
  run(actor);
}

void SimulatedExecution::make_ready(Actor actor, TaskId id) {
  ActorState& state = *actors_[actor];
  const Step& step = state.shape.step(id);
  switch (step.kind) {
    case StepKind::send:
      if (costs_.starts_in_order) return queue_channel(actor, step.channel);
      return state.push(ActorState::Urgency::send, step.priority, id);
    case StepKind::recv:
      if (costs_.starts_in_order) return queue_channel(actor, step.channel);
      return start_receive(actor, id);
    case StepKind::copy:
    case StepKind::reduce:
    case StepKind::calc:
      return state.push(ActorState::Urgency::local, step.priority, id);
    case StepKind::nop:
      return complete(actor, id);
  }
}

void SimulatedExecution::release(Actor actor, TaskId successor) {
  if (--actors_[actor]->waits_for(successor) == 0) make_ready(actor, successor);
}

void SimulatedExecution::note_begin(Actor actor, TaskId id) {
  for (const TaskId successor : actors_[actor]->shape.successors_of_begin(id)) release(actor, successor);
}

/// Starts transfers by the engine's rule (engine/running_operation.cpp): in task order, within the window.
void SimulatedExecution::queue_channel(Actor actor, uint32_t index) {
  if (!costs_.starts_in_order) return;
  ActorState& state = *actors_[actor];
  const ShapeChannel& channel = state.shape.channels()[index];
  ActorState::Channel& at = state.channel(index);
  while (!at.is_queued && at.next < channel.count && at.in_flight < costs_.window) {
    const TaskId next = state.shape.channel_task(channel, at.next);
    if (state.waits_for(next) > 0) return;
    if (channel.is_send) {
      at.is_queued = true;
      return state.push(ActorState::Urgency::send, state.shape.step(next).priority, next);
    }
    start_receive(actor, next);
  }
}

/// A receive costs nothing until a request or data has arrived.
void SimulatedExecution::start_receive(Actor actor, TaskId id) {
  ActorState& state = *actors_[actor];
  ActorState::Channel& channel = state.channel(state.shape.step(id).channel);
  ++channel.next;
  ++channel.in_flight;
  Stage& stage = state.stage(id);
  const bool is_something_here = stage != Stage::waits;
  stage = stage == Stage::here ? Stage::arrived : stage == Stage::asked ? Stage::announced : Stage::started;
  if (is_something_here) state.push_message(id);
  note_begin(actor, id);
}

void SimulatedExecution::complete(Actor actor, TaskId id) {
  // Chains of nops complete each other; the list avoids recursion.
  const bool is_nested = !completed_.empty();
  completed_.push_back(id);
  if (is_nested) return;
  ActorState& state = *actors_[actor];
  for (size_t i = 0; i < completed_.size(); ++i) {
    --state.open;
    const Step& step = state.shape.step(completed_[i]);
    if (step.channel != k_none) {
      --state.channel(step.channel).in_flight;
      queue_channel(actor, step.channel);
    }
    for (const TaskId successor : state.shape.successors(completed_[i])) release(actor, successor);
  }
  completed_.clear();
}

/// Starts ready work on idle CPUs. Afterwards the actor may have ended.
void SimulatedExecution::run(Actor actor) {
  if (actors_[actor] == nullptr) return;
  ActorState& state = *actors_[actor];
  const uint32_t cpus = state.shape.cpu_count();
  bool is_idle = true;
  // Work that one CPU begins may make tasks of another CPU ready, so each start causes another round.
  for (uint32_t index = 0, left = cpus; left > 0; index = (index + 1) % cpus, --left) {
    ActorState::Cpu& cpu = state.cpu(index);
    if (!cpu.is_busy && !cpu.ready.empty()) {
      cpu.is_busy = true;
      begin_work(actor, ActorState::pop(cpu));
      left = cpus;
    }
    is_idle = is_idle && !cpu.is_busy;
  }
  if (state.open > 0 || !is_idle) return;
  outcome_.ends_ps[actor] = now_;
  actors_[actor].reset();
  --open_actors_;
}

void SimulatedExecution::be_busy(Actor actor, TaskId with, uint64_t ps) {
  events_.add(now_ + ps, {.kind = Kind::cpu_done, .actor = actor, .task = with});
}

void SimulatedExecution::begin_work(Actor actor, TaskId id) {
  const Step& step = shapes_[actor]->step(id);
  switch (step.kind) {
    case StepKind::send:
      return begin_send(actor, id);
    case StepKind::recv:
      return begin_receive(actor, id);
    case StepKind::copy:
      copy(actor, id, 0);
      break;
    case StepKind::reduce:
      be_busy(actor, id, costs_.reduce.of_bytes(step.bytes));
      break;
    case StepKind::calc:
      be_busy(actor, id, step.bytes);
      break;
    case StepKind::nop:
      break;
  }
  note_begin(actor, id);
}

void SimulatedExecution::begin_send(Actor actor, TaskId id) {
  ActorState& state = *actors_[actor];
  const Step& step = state.shape.step(id);
  if (state.stage(id) == Stage::invited) {
    inject(actor, id, now_ + costs_.cpu.once_ps);
    return be_busy(actor, id, costs_.cpu.once_ps);
  }
  state.stage(id) = Stage::started;
  ActorState::Channel& channel = state.channel(step.channel);
  channel.is_queued = false;
  ++channel.next;
  ++channel.in_flight;
  queue_channel(actor, step.channel);
  note_begin(actor, id);
  const bool is_short = is_eager(actor, id);
  if (is_inside(actor, id)) {
    ++outcome_.counters.local_messages;
    outcome_.counters.local_bytes += step.bytes;
    if (is_short) return copy(actor, id, costs_.local_cpu.once_ps);
    return be_busy(actor, id, costs_.local_cpu.once_ps);
  }
  ++outcome_.counters.messages;
  outcome_.counters.bytes += step.bytes;
  if (is_short) inject(actor, id, now_ + costs_.cpu.once_ps);
  be_busy(actor, id, is_short ? costs_.cpu.of_message(step.bytes) : costs_.cpu.once_ps);
}

void SimulatedExecution::begin_receive(Actor actor, TaskId id) {
  if (is_inside(actor, id)) return copy(actor, id, costs_.local_cpu.once_ps);
  const bool is_asked = actors_[actor]->stage(id) == Stage::announced;
  be_busy(actor, id, is_asked ? costs_.cpu.once_ps : costs_.cpu.of_message(bytes_of(actor, id)));
}

void SimulatedExecution::end_work(Actor actor, TaskId id) {
  ActorState& state = *actors_[actor];
  const Step& step = state.shape.step(id);
  state.cpu(step.cpu).is_busy = false;
  if (step.kind == StepKind::send)
    end_send(actor, id);
  else if (step.kind == StepKind::recv)
    end_receive(actor, id);
  else
    complete(actor, id);
  run(actor);
}

void SimulatedExecution::end_send(Actor actor, TaskId id) {
  if (actors_[actor]->stage(id) == Stage::invited) return;  // complete only when the NIC has sent all of it
  const bool is_local = is_inside(actor, id), is_short = is_eager(actor, id);
  if (is_local || !is_short)
    events_.add(now_ + (is_local ? costs_.local_latency_ps : costs_.latency_ps),
                {.kind = is_short ? Kind::data : Kind::ask, .actor = actor, .task = id});
  if (is_short) complete(actor, id);
}

void SimulatedExecution::end_receive(Actor actor, TaskId id) {
  Stage& stage = actors_[actor]->stage(id);
  const bool was_asked = stage == Stage::announced;
  if (was_asked) answer(actor, id);
  if (was_asked && !is_inside(actor, id))
    stage = Stage::started;
  else
    complete(actor, id);
}

/// Occupies the CPU until the copy is done, and for `further_ps` more.
void SimulatedExecution::copy(Actor actor, TaskId with, uint64_t further_ps) {
  const uint64_t bytes = bytes_of(actor, with);
  if (bytes <= costs_.cache_bytes) return be_busy(actor, with, costs_.copy.of_bytes(bytes) + further_ps);
  const uint32_t node = nodes_of_[actor];
  std::optional<SharedMemory>& memory = nodes_[node].memory;
  if (!memory) memory.emplace(costs_.copy.per_byte_fs, costs_.shared_fs_per_byte);
  uint32_t place = static_cast<uint32_t>(copies_.size());
  if (free_copies_.empty()) {
    copies_.emplace_back();
  } else {
    place = free_copies_.back();
    free_copies_.pop_back();
  }
  copies_[place] = {actor, with, further_ps};
  memory->start(now_, place, bytes);
  announce_memory(node);
}

void SimulatedExecution::announce_memory(uint32_t node) {
  const std::optional<uint64_t> end = nodes_[node].memory->next_end();
  if (!end) return;
  events_.add(*end, {.kind = Kind::memory, .actor = node, .where = ++nodes_[node].announcement});
}

void SimulatedExecution::memory_moves(uint32_t node, uint32_t announcement) {
  if (announcement != nodes_[node].announcement) return;  // outdated: another copy has started since
  ended_copies_.clear();
  nodes_[node].memory->take_ended(now_, ended_copies_);
  for (const uint32_t place : ended_copies_) {
    be_busy(copies_[place].actor, copies_[place].task, copies_[place].further_ps);
    free_copies_.push_back(place);
  }
  announce_memory(node);
}

/// Virtual time has a limit, so far below the maximum of its type that adding a price cannot overflow.
uint64_t SimulatedExecution::later(uint64_t than, uint64_t by) {
  constexpr uint64_t k_end_ps = uint64_t{1} << 63;
  if (than < k_end_ps && by < k_end_ps - than) return than + by;
  fail("takes more than 106 days of virtual time");
  return 0;
}

void SimulatedExecution::fail(std::string what) {
  if (status_.is_ok()) status_ = Status::internal(std::move(what));
}

}  // namespace tutti::simulate
