#include "agent/agent.hpp"

#include <algorithm>
#include <utility>

#include "agent/between_nodes.hpp"

namespace tutti::agent {

using algorithm::Collective;
using base::Status;

namespace {

constexpr size_t k_most_plans = 32;

/// Plans do not depend on the offset of a part in its call.
Description key_of(Description description) {
  description.begin = 0;
  description.float_mode = {};
  description.block_bytes = description.bytes;
  return description;
}

}  // namespace

// Not in the anonymous namespace because Work, which has external linkage, has a member of this type.
class KernelReducer final : public engine::Reducer {
 public:
  void bind(const Description& description) {
    kernel_ = find_reduce_kernel(description.op, description.element);
    element_bytes_ = engine::element_bytes(description.element);
    mode_ = description.float_mode;
  }
  void apply(const std::byte* source, std::byte* target, uint64_t bytes) const override {
    const base::InFloatMode mode(mode_);
    kernel_(source, target, bytes / element_bytes_);
  }
  bool is_commutative() const override { return true; }

 private:
  engine::ReduceKernel kernel_ = nullptr;
  base::FloatMode mode_;
  uint64_t element_bytes_ = 1;
};

/// The state of an operation as long as it is pending.
struct Agent::Work {
  State state = State::unknown;
  bool was_announced = false;  // by another node
  Description description;
  std::shared_ptr<const engine::Plan> plan;
  KernelReducer reducer;
  engine::Operation* operation = nullptr;
};

Agent::Agent(const Board& board, const Topology& topology, Rank me, engine::Engine& engine,
             Announcements& announcements, transport::Tag first_tag, uint32_t first_sequence)
    : board_(board),
      topology_(topology),
      nodes_(Topology::flat(topology.node_count())),
      me_(me),
      node_(topology.node_of(me)),
      members_(static_cast<uint32_t>(topology.ranks_of(node_).size())),
      engine_(engine),
      announcements_(announcements),
      first_tag_(first_tag),
      first_open_(first_sequence),
      works_(Board::k_entries) {}

Agent::~Agent() = default;

Agent::Work& Agent::work(uint32_t sequence) {
  return works_[sequence % Board::k_entries];
}

/// True if another node announces the operation to this one.
bool Agent::is_announced(const Description& description) const {
  return description.collective == Collective::bcast && topology_.node_of(description.root) != node_;
}

bool Agent::advance() {
  bool has_moved = announcements_.progress();
  has_moved |= take_announcements();
  const uint32_t first = first_open_;
  for (uint32_t sequence = first; sequence != first + Board::k_entries; ++sequence)
    if (board_.is_free_for(sequence)) has_moved |= advance(sequence);
  if (running_ > 0) has_moved |= engine_.progress();
  return has_moved;
}

/// An announcement whose entry is not free yet has to wait for the members of this node.
bool Agent::take_announcements() {
  return announcements_.deliver([this](const Announcement& announcement) {
    const uint32_t ahead = announcement.sequence - first_open_;
    if (ahead >= Board::k_entries || !board_.is_free_for(announcement.sequence)) return false;
    board_.describe(announcement.sequence, announcement.description);
    work(announcement.sequence).was_announced = true;
    announcements_.forward(announcement, topology_.node_of(announcement.description.root));
    return true;
  });
}

bool Agent::advance(uint32_t sequence) {
  Work& one = work(sequence);
  switch (one.state) {
    case State::unknown:
      return learn(sequence, one);
    case State::described:
      return await_deposits(sequence, one);
    case State::deposited:
      return start(sequence, one);
    case State::running:
      return end(sequence, one);
    default:
      return recycle(sequence, one);
  }
}

bool Agent::learn(uint32_t sequence, Work& one) {
  if (!board_.is_described(sequence)) return false;
  one.state = State::described;
  one.description = board_.entry(sequence).description;
  ++under_way_;
  if (one.description.collective == Collective::bcast && !is_announced(one.description))
    announcements_.forward({.sequence = sequence, .description = one.description}, node_);
  await_deposits(sequence, one);
  return true;
}

bool Agent::await_deposits(uint32_t sequence, Work& one) {
  const Layout layout(topology_, one.description, me_);
  if (board_.entry(sequence).deposited.load(std::memory_order_acquire) != layout.deposit_count())
    return false;
  if (combines(one.description.collective)) {
    one.reducer.bind(one.description);
    combine(sequence, layout, one.reducer);
  }
  one.state = State::deposited;
  start(sequence, one);
  return true;
}

/// The other nodes wait for this one, so out_of_memory is not final: the start is retried.
bool Agent::start(uint32_t sequence, Work& one) {
  const Layout layout(topology_, one.description, me_);
  const Status status = start_operation(sequence, layout, one);
  if (status) {
    one.state = State::running;
    ++running_;
  } else if (status.code() != base::Code::out_of_memory) {
    finish(sequence, one, status.code());
  }
  return one.state != State::deposited;
}

Status Agent::start_operation(uint32_t sequence, const Layout& layout, Work& one) {
  auto plan = plan_for(one.description, layout);
  if (!plan) return plan.status();
  one.plan = std::move(*plan);
  std::byte* const area = board_.area(sequence);
  auto started = engine_.start(*one.plan, {.input = area,
                                           .output = area + layout.output_begin(),
                                           .reducer = &one.reducer,
                                           .tag = first_tag_ + sequence % k_tag_count});
  if (started) one.operation = *started;
  return started.status();
}

bool Agent::end(uint32_t sequence, Work& one) {
  if (!one.operation->is_done()) return false;
  const base::Code code = one.operation->status().code();
  engine_.release(std::exchange(one.operation, nullptr));
  --running_;
  finish(sequence, one, code);
  return true;
}

void Agent::finish(uint32_t sequence, Work& one, base::Code code) {
  BoardEntry& entry = board_.entry(sequence);
  entry.error.store(static_cast<int32_t>(code), std::memory_order_relaxed);
  entry.done.store(sequence + 1, std::memory_order_release);
  one.state = State::done;
}

bool Agent::recycle(uint32_t sequence, Work& one) {
  BoardEntry& entry = board_.entry(sequence);
  if (entry.left.load(std::memory_order_acquire) != members_) return false;
  // The announcement must still be forwarded, and must not be applied to the next use of the entry.
  if (is_announced(one.description) && !one.was_announced) return false;
  entry.deposited.store(0, std::memory_order_relaxed);
  entry.left.store(0, std::memory_order_relaxed);
  const uint32_t next = sequence + Board::k_entries;
  entry.claimed.store(next, std::memory_order_relaxed);
  entry.described.store(next, std::memory_order_relaxed);
  entry.done.store(next, std::memory_order_relaxed);
  entry.turn.store(next, std::memory_order_release);
  one.state = State::unknown;
  one.was_announced = false;
  one.plan.reset();
  --under_way_;
  while (work(first_open_).state == State::unknown && !board_.is_free_for(first_open_)) ++first_open_;
  return true;
}

/// Combines in member order, independent of arrival order: results are bitwise reproducible.
void Agent::combine(uint32_t sequence, const Layout& layout, const engine::Reducer& reducer) const {
  std::byte* const area = board_.area(sequence);
  const uint64_t bytes = layout.vector_bytes();
  for (uint32_t member = 1; member < members_; ++member) reducer.apply(area + member * bytes, area, bytes);
}

base::Result<std::shared_ptr<const engine::Plan>> Agent::plan_for(const Description& description,
                                                                  const Layout& layout) {
  const Description key = key_of(description);
  const auto known = std::ranges::find(plans_, key, &CachedPlan::key);
  if (known != plans_.end()) {
    std::rotate(plans_.begin(), known, known + 1);
    return plans_.front().plan;
  }
  const algorithm::OwnedRequest request = layout.between_nodes();
  const algorithm::Choice choice = choose_between_nodes(request.get(), nodes_, description);
  auto schedule = choice.algorithm->build(request.get(), node_, nodes_, choice.parameters);
  if (!schedule) return schedule.status();
  auto plan = engine::Plan::make(std::move(*schedule), {});
  if (!plan) return plan.status();
  if (plans_.size() == k_most_plans) plans_.pop_back();
  plans_.insert(plans_.begin(), {key, *plan});
  return *plan;
}

}  // namespace tutti::agent
