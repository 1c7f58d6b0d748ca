#include "engine/cpu_engine.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <new>
#include <string>

#include "engine/inline_progress.hpp"
#include "engine/running_operation.hpp"

namespace tutti::engine {

using base::Result;
using base::Status;
using schedule::Peer;
using schedule::Slot;
using transport::Completion;

namespace {

void make_room(std::vector<RunningOperation*>& list, size_t count) {
  if (list.capacity() < count) list.reserve(2 * count);
}

}  // namespace

CpuEngine::CpuEngine(Ports ports, WaitPolicy policy, base::CpuShare share, InlineProgress* beside)
    : ports_(ports), waiter_(policy, share), beside_(beside) {}

CpuEngine::~CpuEngine() {
  assert(std::ranges::all_of(pool_, &RunningOperation::is_idle));
}

Status CpuEngine::check(const Plan& plan, const Bindings& bindings) const {
  const transport::Endpoint* const network =
      bindings.network < ports_.networks.size() ? ports_.networks[bindings.network] : nullptr;
  if (network == nullptr)
    return Status::invalid_argument("engine: there is no network number " + std::to_string(bindings.network));
  if (plan.addresses(Peer::Kind::local) && bindings.network == 0 && ports_.local == nullptr)
    return Status::invalid_argument(
        "engine: the schedule needs an endpoint inside the node, and there is none");
  if (plan.addresses(Peer::Kind::node) && !network->capabilities().can_address_node)
    return Status::invalid_argument(
        "engine: the schedule addresses nodes, and the network endpoint only ranks");
  if (plan.reduces() && bindings.reducer == nullptr)
    return Status::invalid_argument("engine: the schedule reduces, and there is no operator");
  if (plan.touches(Slot::input) && bindings.input == nullptr && !bindings.is_input_late)
    return Status::invalid_argument("engine: the schedule reads an input, and there is none");
  if (plan.touches(Slot::output) && bindings.output == nullptr && !bindings.is_output_late)
    return Status::invalid_argument("engine: the schedule writes an output, and there is none");
  if (!plan.uses_node()) return {};
  if (ports_.node == nullptr)
    return Status::invalid_argument("engine: the schedule uses the node's memory, and there is none");
  const size_t available = ports_.node->memory().size();
  if (available < plan.schedule().node_bytes())
    return Status::not_supported("engine: the schedule needs " +
                                 std::to_string(plan.schedule().node_bytes()) +
                                 " bytes of the node's memory, which has " + std::to_string(available));
  return {};
}

RunningOperation* CpuEngine::acquire() {
  if (free_.empty()) {
    make_room(active_, pool_.size() + 1);
    make_room(free_, pool_.size() + 1);
    pool_.push_back(std::make_unique<RunningOperation>(static_cast<uint32_t>(pool_.size())));
    return pool_.back().get();
  }
  RunningOperation* const operation = free_.back();
  free_.pop_back();
  return operation;
}

Result<Operation*> CpuEngine::start(const Plan& plan, const Bindings& bindings) {
  if (Status sound = check(plan, bindings); !sound) return sound;
  RunningOperation* operation = nullptr;
  try {
    operation = acquire();
  } catch (const std::bad_alloc&) {
    return Status{base::Code::out_of_memory, "engine: no memory for one more operation"};
  }
  if (Status ready = operation->begin(plan, bindings, ports_); !ready) {
    free_.push_back(operation);
    return ready;
  }
  active_.push_back(operation);
  launch_waiting();
  retire_done();
  return operation;
}

/// Launches the operations that may start: of the exclusive ones only the oldest.
void CpuEngine::launch_waiting() {
  bool is_taken = false;
  for (RunningOperation* operation : active_) {
    if (operation->is_waiting() && !(operation->is_exclusive() && is_taken)) operation->launch();
    if (operation->is_exclusive() && !operation->is_done()) is_taken = true;
  }
}

bool CpuEngine::poll(transport::Endpoint& endpoint) {
  std::array<Completion, 16> done;
  bool moved = false;
  for (size_t count = done.size(); count == done.size();) {
    count = endpoint.poll(done);
    for (const Completion& completion : std::span(done).first(count)) {
      RunningOperation& operation = *pool_[static_cast<size_t>(completion.cookie >> 32)];
      operation.on_completion(static_cast<schedule::TaskId>(completion.cookie), completion);
      moved = true;
    }
  }
  return moved;
}

bool CpuEngine::poll_networks() {
  uint32_t used = 0;  // one bit per network
  for (const RunningOperation* operation : active_) used |= 1u << operation->network();
  bool moved = false;
  for (size_t i = 0; i < ports_.networks.size() && ports_.networks[i] != nullptr; ++i)
    if ((active_.empty() || (used >> i & 1) != 0) && poll(*ports_.networks[i])) moved = true;
  return moved;
}

bool CpuEngine::progress() {
  bool moved = poll_networks();
  if (ports_.local != nullptr && ports_.local != ports_.networks[0] && poll(*ports_.local)) moved = true;
  for (RunningOperation* operation : active_)
    if (operation->step()) moved = true;
  if (retire_done()) launch_waiting();
  return moved;
}

bool CpuEngine::retire_done() {
  return std::erase_if(active_, [](const RunningOperation* operation) { return operation->is_done(); }) > 0;
}

void CpuEngine::release(Operation* operation) {
  assert(operation->is_done());
  auto* const ended = static_cast<RunningOperation*>(operation);
  ended->reset();
  free_.push_back(ended);
}

bool CpuEngine::progress_beside() {
  return beside_ != nullptr && beside_->has_jobs() && beside_->progress();
}

Status CpuEngine::wait(Operation* operation) {
  waiter_.busy();
  while (!operation->is_done()) {
    const bool moved = progress();
    if (progress_beside() || moved)
      waiter_.busy();
    else if (ports_.bell != nullptr && waiter_.is_napping())
      nap();
    else
      waiter_.idle();
  }
  Status status = operation->status();
  release(operation);
  return status;
}

/// Sleeps until a rank of this node rings, or as long as a nap would take: the network cannot end this sleep.
void CpuEngine::nap() {
  ports_.bell->prepare();
  const bool moved = progress();
  if (progress_beside() || moved) {
    ports_.bell->cancel();
    return waiter_.busy();
  }
  ports_.bell->sleep(waiter_.nap_ns());
  waiter_.napped();
}

size_t CpuEngine::footprint_bytes() const {
  size_t bytes = sizeof *this + active_.capacity() * sizeof(RunningOperation*) +
                 free_.capacity() * sizeof(RunningOperation*) +
                 pool_.capacity() * sizeof(std::unique_ptr<RunningOperation>);
  for (const std::unique_ptr<RunningOperation>& operation : pool_) bytes += operation->footprint_bytes();
  return bytes;
}

}  // namespace tutti::engine
