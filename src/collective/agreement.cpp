#include "collective/agreement.hpp"

#include <cassert>
#include <cstring>
#include <utility>

#include "algorithm/catalogue.hpp"
#include "engine/plan.hpp"

namespace tutti::collective {

using algorithm::Collective;
using select::Arrivals;
using select::RoundMeasurements;

namespace {

/// Reducer that calls T::add() on copies, because the operands may be unaligned.
template <class T>
class Sum final : public engine::Reducer {
 public:
  void apply(const std::byte* source, std::byte* target, [[maybe_unused]] uint64_t bytes) const override {
    assert(bytes == sizeof(T));
    T added, all;
    std::memcpy(&added, source, sizeof added);
    std::memcpy(&all, target, sizeof all);
    all.add(added);
    std::memcpy(target, &all, sizeof all);
  }
  bool is_commutative() const override { return true; }
};

/// Uses recursive doubling, which serves any number of ranks and needs no node memory.
std::shared_ptr<const engine::Plan> make_plan(int rank, int rank_count, uint64_t bytes) {
  const algorithm::Request request{.collective = Collective::allreduce,
                                   .rank_count = rank_count,
                                   .bytes = bytes,
                                   .element_bytes = bytes,
                                   .in_place = true};
  const algorithm::Algorithm& row = *algorithm::find(Collective::allreduce, "recursive_doubling");
  auto schedule =
      row.build(request, rank, topology::Topology::flat(rank_count), default_parameters(row)).value();
  return engine::Plan::make(std::move(schedule), {}).value();
}

}  // namespace

AgreementEndpoint::AgreementEndpoint(ProcessContext& process, const CommunicatorView& group)
    : process_(process),
      group_(group),
      endpoint_(process.make_endpoint(transport::Space::agreements, group.world_ranks)),
      engine_({.networks = {endpoint_.get()}, .local = endpoint_.get()}, process.options().wait_policy,
              process.options().cpu_share),
      arrivals_(make_plan(group.rank, group.topology->rank_count(), sizeof(Arrivals))),
      costs_(make_plan(group.rank, group.topology->rank_count(), sizeof(RoundMeasurements))) {}

std::optional<uint32_t> AgreementEndpoint::take_number() {
  if (number_count_ == Agreement::k_most_sites) return std::nullopt;
  return number_count_++;
}

template <class T>
void Agreement::submit(T* sum, const engine::Plan& shape) {
  static const auto& add = *new Sum<T>;  // outlives the exit handlers
  engine = &shared_.engine();
  plan = &shape;
  bindings = {.output = reinterpret_cast<std::byte*>(sum), .reducer = &add};
  bindings.tag = static_cast<transport::Tag>(shared_.group().id) << 16 | number_ << 8 | (round_++ & 0xFF);
  driver_->submit(this);
}

/// Selects the driver for both parts: a driver that is being stopped accepts no new agreements, but completes the
/// pending ones.
void Agreement::prepare() {
  assert(end_.is_set());
  driver_ = &shared_.process().agreement_driver();
  end_.reset();
  shared_.group().owner->hold();
}

void Agreement::begin(const RoundMeasurements& mine) {
  prepare();
  all_ = mine;
  arrivals_.reset();
  submit(&all_, shared_.plan_for_costs());
}

void Agreement::begin(const select::Measured& mine) {
  if (!mine.has_arrivals) return begin(mine.measurements(nullptr));
  prepare();
  mine_ = mine;
  awaits_arrivals_ = true;
  arrivals_ = mine.arrivals();
  submit(&*arrivals_, shared_.plan_for_arrivals());
}

void Agreement::ended(const base::Status&) {
  if (std::exchange(awaits_arrivals_, false)) {
    all_ = mine_.measurements(&*arrivals_);
    submit(&all_, shared_.plan_for_costs());
    return;
  }
  RefCounted& owner = *shared_.group().owner;
  end_.set();
  owner.release();
}

bool Agreement::is_done() {
  if (!end_.is_set()) shared_.process().drive_agreements();
  return end_.is_set();
}

void Agreement::wait() {
  shared_.process().await_agreement(end_);
}

}  // namespace tutti::collective
