#include "dispatch/agreement.hpp"

#include <cassert>
#include <cstring>
#include <utility>

#include "algorithm/catalogue.hpp"
#include "engine/plan.hpp"

namespace tutti::dispatch {

using algorithm::Collective;
using select::Contribution;

namespace {

/// Contribution::add(), wherever the two lie.
class Sum final : public engine::Reducer {
 public:
  void apply(const std::byte* source, std::byte* target, [[maybe_unused]] uint64_t bytes) const override {
    assert(bytes == sizeof(Contribution));
    Contribution added, all;
    std::memcpy(&added, source, sizeof added);
    std::memcpy(&all, target, sizeof all);
    all.add(added);
    std::memcpy(target, &all, sizeof all);
  }
  bool is_commutative() const override { return true; }
};

/// Recursive doubling serves every number of ranks and uses no node memory.
std::shared_ptr<const engine::Plan> make_plan(int rank, int rank_count) {
  const algorithm::Request request{.collective = Collective::allreduce,
                                   .rank_count = rank_count,
                                   .bytes = sizeof(Contribution),
                                   .element_bytes = sizeof(Contribution),
                                   .in_place = true};
  const algorithm::Algorithm& row = *algorithm::find(Collective::allreduce, "recursive_doubling");
  auto schedule =
      row.build(request, rank, topology::Topology::flat(rank_count), default_parameters(row)).value();
  return engine::Plan::make(std::move(schedule), {}).value();
}

}  // namespace

AgreementEndpoint::AgreementEndpoint(Services& services, const Group& group)
    : services_(services),
      group_(group),
      endpoint_(services.make_endpoint(transport::Space::agreements, group.world_ranks)),
      engine_({.networks = {endpoint_.get()}, .local = endpoint_.get()}, services.options().wait_policy,
              services.options().ranks_on_machine),
      plan_(make_plan(group.rank, group.topology->rank_count())) {}

void Agreement::begin(const Contribution& mine) {
  assert(end_.is_set());
  static const Sum sum;
  const Group& group = shared_.group();
  all_ = mine;
  engine = &shared_.engine();
  plan = &shared_.plan();
  bindings = {.output = reinterpret_cast<std::byte*>(&all_), .reducer = &sum};
  bindings.tag = static_cast<transport::Tag>(group.id) << 16 | number_ << 8 | (round_++ & 0xFF);
  end_.reset();
  group.owner->hold();
  shared_.services().agreement_driver().submit(this);
}

void Agreement::ended(const base::Status&) {
  Held& owner = *shared_.group().owner;
  end_.set();
  owner.release();
}

bool Agreement::is_done() {
  if (!end_.is_set()) shared_.services().drive_agreements();
  return end_.is_set();
}

void Agreement::wait() {
  shared_.services().await_agreement(end_);
}

}  // namespace tutti::dispatch
