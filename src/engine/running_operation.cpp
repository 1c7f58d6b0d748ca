#include "engine/running_operation.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace tutti::engine {

using base::Status;
using schedule::Peer;
using schedule::Slot;
using schedule::Task;
using schedule::TaskId;
using schedule::TaskKind;
using transport::Completion;

namespace {

/// Heap order of ready tasks: the smallest priority on top, then the smallest id.
class LessUrgent {
 public:
  explicit LessUrgent(const Plan& plan) : tasks_(plan.schedule().tasks()) {}
  bool operator()(TaskId a, TaskId b) const {
    const uint16_t priority_a = tasks_[a].priority, priority_b = tasks_[b].priority;
    return priority_a != priority_b ? priority_a > priority_b : a > b;
  }

 private:
  std::span<const Task> tasks_;
};

void push(std::vector<TaskId>& heap, const Plan& plan, TaskId id) {
  heap.push_back(id);
  std::ranges::push_heap(heap, LessUrgent(plan));
}

TaskId pop(std::vector<TaskId>& heap, const Plan& plan) {
  std::ranges::pop_heap(heap, LessUrgent(plan));
  const TaskId id = heap.back();
  heap.pop_back();
  return id;
}

constexpr uint32_t bit_of(Slot slot) {
  return 1u << static_cast<unsigned>(slot);
}

uint32_t slots_of(const Task& task) {
  return (task.source.empty() ? 0 : bit_of(task.source.slot)) |
         (task.target.empty() ? 0 : bit_of(task.target.slot));
}

std::string describe(const Task& task) {
  const char* const what = task.kind == TaskKind::send ? "send to " : "receive from ";
  const char* const whom = task.peer.kind == Peer::Kind::node ? "node " : "rank ";
  return what + (whom + std::to_string(task.peer.index));
}

}  // namespace

Status RunningOperation::reserve(const Plan& plan, const Bindings& bindings) {
  const schedule::Schedule& schedule = plan.schedule();
  try {
    waits_for_.reserve(schedule.size());
    channels_.reserve(plan.channels().size());
    startable_.reserve(plan.channels().size());
    refused_.reserve(schedule.size());
    runnable_.reserve(schedule.size());
    completed_.reserve(schedule.size());
    if (bindings.is_input_late || bindings.is_output_late) unbound_tasks_.reserve(schedule.size());
  } catch (const std::bad_alloc&) {
    return {base::Code::out_of_memory,
            "no memory for an operation of " + std::to_string(schedule.size()) + " tasks"};
  }
  const bool swaps = plan.swap_bytes() > 0 && !bindings.reducer->is_commutative();
  return scratch_.require(schedule.scratch_bytes() + (swaps ? plan.swap_bytes() : 0));
}

Status RunningOperation::begin(const Plan& plan, const Bindings& bindings, const Ports& ports) {
  if (Status ready = reserve(plan, bindings); !ready) return ready;
  const schedule::Schedule& schedule = plan.schedule();
  plan_ = &plan;
  bindings_ = bindings;
  network_ = ports.networks[bindings.network];
  local_ = bindings.network == 0 ? ports.local : network_;
  node_ = ports.node;
  unbound_ = (bindings.is_input_late ? bit_of(Slot::input) : 0) |
             (bindings.is_output_late ? bit_of(Slot::output) : 0);
  base_[static_cast<size_t>(Slot::input)] = const_cast<std::byte*>(bindings.input);  // no task writes it
  base_[static_cast<size_t>(Slot::output)] = bindings.output;
  base_[static_cast<size_t>(Slot::scratch)] = scratch_.data();
  is_exclusive_ = plan.uses_node() || (plan.addresses(Peer::Kind::local) && local_ != network_);
  node_is_writable_ = false;
  open_count_ = schedule.size();
  waits_for_.assign(schedule.indegrees().begin(), schedule.indegrees().end());
  channels_.assign(plan.channels().size(), {});
  state_ = State::waiting;
  return {};
}

void RunningOperation::launch() {
  base_[static_cast<size_t>(Slot::node)] = plan_->uses_node() ? node_->memory().data() : nullptr;
  state_ = State::running;
  for (TaskId root : plan_->roots()) make_ready(root);
  start_transfers();
  end_if_complete();
}

/// Node memory and back-pressure raise no events.
bool RunningOperation::awaits_event() const {
  return state_ == State::running && !is_exclusive_ && refused_.empty() && runnable_.empty() &&
         network_->capabilities().has_events;
}

void RunningOperation::make_ready(TaskId id) {
  switch (plan_->schedule().tasks()[id].kind) {
    case TaskKind::send:
    case TaskKind::recv:
      queue_channel(plan_->channel_of(id));
      break;
    case TaskKind::copy:
    case TaskKind::reduce:
      push(runnable_, *plan_, id);
      break;
    case TaskKind::nop:
      complete(id);
      break;
  }
}

void RunningOperation::complete(TaskId id) {
  // Nops complete each other recursively: the list avoids deep recursion.
  const bool is_nested = !completed_.empty();
  completed_.push_back(id);
  if (is_nested) return;
  for (size_t i = 0; i < completed_.size(); ++i) {
    --open_count_;
    if (bindings_.watcher != nullptr) bindings_.watcher->task_ended(completed_[i]);
    for (TaskId successor : plan_->schedule().successors(completed_[i]))
      if (--waits_for_[successor] == 0) make_ready(successor);
  }
  completed_.clear();
}

/// Queues the next task of a channel if it may start: in task order and within the window.
void RunningOperation::queue_channel(uint32_t index) {
  ChannelState& channel = channels_[index];
  const std::span<const TaskId> tasks = plan_->channels()[index].tasks;
  if (channel.is_queued || channel.next == tasks.size() || channel.in_flight == plan_->limits().window)
    return;
  const TaskId next = tasks[channel.next];
  if (waits_for_[next] > 0) return;
  channel.is_queued = true;
  push(startable_, *plan_, next);
}

void RunningOperation::make_startable_again(std::vector<TaskId>& tasks) {
  for (TaskId id : tasks) {
    const bool is_transfer = plan_->channel_of(id) != k_no_channel;
    push(is_transfer ? startable_ : runnable_, *plan_, id);
  }
  tasks.clear();
}

/// The list in which the task must wait before it may access its buffers; nullptr: it may start.
std::vector<TaskId>* RunningOperation::obstacle_of(const Task& task) {
  if (unbound_ != 0 && (slots_of(task) & unbound_) != 0) return &unbound_tasks_;
  if (node_is_writable_ || task.kind == TaskKind::send || task.target.slot != Slot::node) return nullptr;
  // Another rank of the node may still read the memory that the task would overwrite.
  node_is_writable_ = node_->may_write();
  return node_is_writable_ ? nullptr : &refused_;
}

void RunningOperation::bind_input(const std::byte* input) {
  bind(Slot::input, const_cast<std::byte*>(input));  // no task writes it
}

void RunningOperation::bind_output(std::byte* output) {
  bind(Slot::output, output);
}

void RunningOperation::bind(Slot slot, std::byte* address) {
  assert((unbound_ & bit_of(slot)) != 0);
  base_[static_cast<size_t>(slot)] = address;
  unbound_ &= ~bit_of(slot);
  if (state_ != State::running) return;
  make_startable_again(unbound_tasks_);
  start_transfers();
}

RunningOperation::Started RunningOperation::start(TaskId id, const Task& task) {
  transport::Endpoint& endpoint = endpoint_of(task.peer);
  const uint64_t cookie = cookie_of(id);
  Status started =
      task.kind == TaskKind::send
          ? endpoint.send(task.peer, bindings_.tag, {address(task.source), task.source.length}, cookie)
          : endpoint.recv(task.peer, bindings_.tag, {address(task.target), task.target.length}, cookie);
  if (started) return Started::yes;
  if (transport::is_try_again(started)) return Started::later;
  fail({started.code(), describe(task) + ": " + started.message(), started.native()});
  return Started::failed;
}

bool RunningOperation::start_transfers() {
  bool moved = false;
  while (!startable_.empty()) {
    const TaskId id = pop(startable_, *plan_);
    const Task& task = plan_->schedule().tasks()[id];
    if (std::vector<TaskId>* const list = obstacle_of(task)) {
      list->push_back(id);
      continue;
    }
    const Started started = start(id, task);
    if (started == Started::failed) return true;
    if (started == Started::later) {
      refused_.push_back(id);
      continue;
    }
    const uint32_t index = plan_->channel_of(id);
    ChannelState& channel = channels_[index];
    channel.is_queued = false;
    ++channel.next;
    ++channel.in_flight;
    ++transfer_count_;
    queue_channel(index);
    moved = true;
  }
  return moved;
}

bool RunningOperation::step() {
  if (state_ != State::running) return false;
  if (!refused_.empty()) make_startable_again(refused_);
  bool moved = start_transfers();
  if (state_ == State::running && run_local_task()) moved = true;
  return moved;
}

bool RunningOperation::run_local_task() {
  while (!runnable_.empty()) {
    const TaskId id = pop(runnable_, *plan_);
    const Task& task = plan_->schedule().tasks()[id];
    if (std::vector<TaskId>* const list = obstacle_of(task)) {
      list->push_back(id);
      continue;
    }
    if (bindings_.watcher == nullptr || !bindings_.watcher->has_done(id)) execute(task);
    complete(id);
    start_transfers();  // transfers that waited for this task start before anything else
    end_if_complete();
    return true;
  }
  return false;
}

void RunningOperation::execute(const Task& task) {
  if (task.kind == TaskKind::reduce) return reduce(task);
  std::memmove(address(task.target), address(task.source), task.source.length);
}

void RunningOperation::reduce(const Task& task) {
  const std::byte* const source = address(task.source);
  std::byte* const target = address(task.target);
  const uint64_t bytes = task.target.length;
  if (task.order == schedule::OperandOrder::source_first || bindings_.reducer->is_commutative())
    return bindings_.reducer->apply(source, target, bytes);
  // The operator computes only target = source op target; the other order needs the operands swapped.
  std::byte* const swapped = scratch_.data() + plan_->schedule().scratch_bytes();
  std::memcpy(swapped, source, bytes);
  bindings_.reducer->apply(target, swapped, bytes);
  std::memcpy(target, swapped, bytes);
}

void RunningOperation::on_completion(TaskId id, const Completion& completion) {
  --transfer_count_;
  waits_for_[id] = k_has_ended;
  const uint32_t index = plan_->channel_of(id);
  --channels_[index].in_flight;
  if (completion.code == base::Code::invalid_argument) {
    note(error_of(id, completion));
  } else if (completion.code != base::Code::ok) {
    fail(error_of(id, completion));
  }
  if (state_ == State::running) {
    complete(id);
    queue_channel(index);
  }
  end_if_complete();
}

Status RunningOperation::error_of(TaskId id, const Completion& completion) const {
  return {
      completion.code,
      describe(plan_->schedule().tasks()[id]) + " failed: " + std::string(base::to_string(completion.code)),
      completion.native};
}

/// Keeps only the first error.
void RunningOperation::note(Status status) {
  if (status_) status_ = std::move(status);
}

void RunningOperation::fail(Status status) {
  if (state_ != State::running) return;
  note(std::move(status));
  state_ = State::draining;
  startable_.clear();
  runnable_.clear();
  refused_.clear();
  unbound_tasks_.clear();
  cancel_transfers();
  end_if_complete();
}

void RunningOperation::cancel_transfers() {
  for (size_t index = 0; index < channels_.size(); ++index) {
    const std::span<const TaskId> started = plan_->channels()[index].tasks.first(channels_[index].next);
    for (const TaskId id : started)
      if (waits_for_[id] != k_has_ended) endpoint_of(plan_->channels()[index].peer).cancel(cookie_of(id));
  }
}

void RunningOperation::end_if_complete() {
  if (state_ == State::running && open_count_ == 0) return end();
  if (state_ == State::draining && transfer_count_ == 0) end();
}

void RunningOperation::end() {
  if (plan_->uses_node()) node_->end_operation();
  state_ = State::done;
}

void RunningOperation::reset() {
  state_ = State::idle;
  plan_ = nullptr;
  status_ = {};
  scratch_.trim();
}

size_t RunningOperation::footprint_bytes() const {
  return sizeof *this + scratch_.capacity_bytes() + waits_for_.capacity() * sizeof(uint32_t) +
         channels_.capacity() * sizeof(ChannelState) +
         (startable_.capacity() + runnable_.capacity() + refused_.capacity() + unbound_tasks_.capacity() +
          completed_.capacity()) *
             sizeof(TaskId);
}

}  // namespace tutti::engine
