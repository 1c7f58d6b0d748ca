#include "mpi/agreement.hpp"

#include <cassert>
#include <utility>

#include "algorithm/catalogue.hpp"
#include "engine/plan.hpp"
#include "engine/reduce_kernels.hpp"
#include "mpi/communicator.hpp"
#include "mpi/runtime.hpp"

namespace tutti::mpi {

using algorithm::Collective;
using select::Contribution;

namespace {

/// The element-wise maximum of numbers of 64 bits.
class Maximum final : public engine::Reducer {
 public:
  void apply(const std::byte* source, std::byte* target, uint64_t bytes) const override {
    kernel_(source, target, bytes / sizeof(uint64_t));
  }
  bool is_commutative() const override { return true; }

 private:
  engine::ReduceKernel kernel_ =
      engine::find_reduce_kernel(engine::Operator::max, engine::ElementType::uint64);
};

/// Recursive doubling serves every number of ranks and uses no node memory.
std::shared_ptr<const engine::Plan> make_plan(int rank, int rank_count) {
  const algorithm::Request request{.collective = Collective::allreduce,
                                   .rank_count = rank_count,
                                   .bytes = sizeof(Contribution),
                                   .element_bytes = sizeof(uint64_t),
                                   .in_place = true};
  const algorithm::Algorithm& row = *algorithm::find(Collective::allreduce, "recursive_doubling");
  auto schedule =
      row.build(request, rank, topology::Topology::flat(rank_count), default_parameters(row)).value();
  return engine::Plan::make(std::move(schedule), {}).value();
}

}  // namespace

AgreementWays::AgreementWays(Communicator& communicator, std::span<const int> world_ranks)
    : communicator_(communicator),
      endpoint_(communicator.runtime().make_way(transport::Space::agreements, world_ranks)),
      engine_({.network = endpoint_.get(), .local = endpoint_.get()}, communicator.runtime().wait_policy(),
              communicator.runtime().ranks_on_machine()),
      plan_(make_plan(communicator.rank(), communicator.size())) {}

void Agreement::begin(const Contribution& mine) {
  assert(end_.is_set());
  static const Maximum maximum;
  Communicator& communicator = ways_.communicator();
  maxima_ = mine;
  engine = &ways_.engine();
  plan = &ways_.plan();
  bindings = {.output = reinterpret_cast<std::byte*>(maxima_.data()), .reducer = &maximum};
  bindings.tag = static_cast<transport::Tag>(communicator.id()) << 16 | number_ << 8 | (round_++ & 0xFF);
  end_.reset();
  communicator.hold();
  communicator.runtime().drivers().for_agreements().submit(this);
}

void Agreement::ended(const base::Status&) {
  Communicator& communicator = ways_.communicator();
  end_.set();
  communicator.let_go();
}

bool Agreement::is_done() {
  if (!end_.is_set()) ways_.communicator().runtime().drivers().drive_agreements();
  return end_.is_set();
}

void Agreement::wait() {
  ways_.communicator().runtime().drivers().await_agreement(end_);
}

}  // namespace tutti::mpi
