#include "offload/model/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "arrival/duration.hpp"
#include "base/random.hpp"

namespace tutti::offload::model {

using base::Status;

namespace {

uint64_t draw(const Workload& workload, uint32_t node, uint32_t which, uint64_t salt) {
  return base::mixed(base::mixed(workload.seed ^ salt) ^ (uint64_t{which} << 32 | node));
}

constexpr uint64_t k_most_spread_ns = 1'000'000'000;  // the longest spread that a run simulates

bool is_chance(double value) {
  return value >= 0 && value < 1;
}

Status check_faults(const Workload& workload) {
  const network::Faults& faults = workload.faults;
  for (const double chance : {faults.loss, faults.corruption, faults.duplication, faults.reordering})
    if (!is_chance(chance))
      return Status::invalid_argument(fmt::format("a chance of a fault is in [0, 1), not {}", chance));
  if (faults.delay_cycles < 1)
    return Status::invalid_argument("delays of reordered packets are at least a cycle");
  return {};
}

/// Options that only a descriptor supports are rejected, not ignored.
Status check_software(const Workload& workload) {
  if (workload.op != Operator::none)
    return Status::invalid_argument("the software engine of the model has barriers only");
  if (workload.window > 1)
    return Status::invalid_argument("software barriers of the model are blocking: a window of 1");
  if (workload.from_memory || workload.completion != Completion::queue_entry || workload.communicators > 1)
    return Status::invalid_argument(
        "the software engine has no descriptors: queue, completion and communicators are for offload");
  if (workload.faults.any())
    return Status::invalid_argument(
        "the software barrier rests on a transport that loses nothing; faults are for offload");
  return {};
}

}  // namespace

Status check(const Workload& workload) {
  const auto refuse = [](std::string_view what, auto least, auto most, auto value) {
    return Status::invalid_argument(fmt::format("{}: {} to {}, not {}", what, least, most, value));
  };
  if (workload.nodes < 1 || workload.nodes > 1u << 20) return refuse("nodes", 1, 1u << 20, workload.nodes);
  if (workload.radix < 2 || workload.radix > 16) return refuse("radix", 2, 16, workload.radix);
  if (workload.op == Operator::none && workload.shape == pattern::DisseminationShape::symmetric &&
      workload.radix % 2 == 0)
    return Status::invalid_argument(
        fmt::format("the symmetric shape needs an odd radix, not {}", workload.radix));
  if (workload.repeats < 1 || workload.repeats > 10'000'000)
    return refuse("repeats", 1, 10'000'000, workload.repeats);
  if (workload.communicators < 1 || workload.communicators > 1024)
    return refuse("communicators", 1, 1024, workload.communicators);
  if (workload.window < 1 || workload.window > 1024) return refuse("window", 1, 1024, workload.window);
  if (Status status = arrival::check(workload.arrivals, workload.nodes); !status) return status;
  if (workload.arrivals.spread_ns + workload.arrivals.mean_ns > k_most_spread_ns)
    return Status::invalid_argument(fmt::format("arrivals {}: at most {} apart",
                                                arrival::to_text(workload.arrivals),
                                                arrival::format_duration(k_most_spread_ns)));
  if (!is_chance(workload.background))
    return Status::invalid_argument(fmt::format("background load is in [0, 1), not {}", workload.background));
  if (workload.background_bytes < 1 || workload.background_bytes > 4096)
    return refuse("background bytes", 1, 4096, workload.background_bytes);
  if (workload.op != Operator::none && (workload.elements < 1 || workload.elements > k_most_elements))
    return refuse("elements", 1, k_most_elements, workload.elements);
  if (workload.engine == EngineChoice::software)
    if (Status status = check_software(workload); !status) return status;
  return check_faults(workload);
}

double delay_ns(const Workload& workload, uint32_t node, uint32_t which) {
  return arrival::delay_ns(workload.arrivals, workload.seed, {.rank = node, .ranks = workload.nodes}, which);
}

std::array<uint64_t, k_most_elements> operand_of(const Workload& workload, uint32_t node, uint32_t which) {
  std::array<uint64_t, k_most_elements> operand{};
  for (uint32_t i = 0; i < workload.elements; ++i) {
    const uint64_t chance = draw(workload, node, which, 16 + i);
    if (workload.type == ElementType::float64)
      // Values of very different magnitude, so that sums depend on the order.
      operand[i] =
          std::bit_cast<uint64_t>(std::ldexp(base::as_fraction(chance) - 0.5, static_cast<int>(chance % 64)));
    else
      operand[i] = chance >> (workload.type == ElementType::uint64 ? 0 : 1);
  }
  return operand;
}

Descriptor descriptor_of(const Workload& workload, uint32_t node, uint32_t which, std::vector<Round> rounds) {
  Descriptor descriptor;
  const bool is_barrier = workload.op == Operator::none;
  descriptor.kind = is_barrier ? Kind::barrier : Kind::allreduce;
  descriptor.completion = workload.completion;
  descriptor.barrier_id = static_cast<uint16_t>(which % workload.communicators);
  descriptor.epoch = workload.first_epoch + which / workload.communicators;
  descriptor.nodes = workload.nodes;
  descriptor.rank = node;
  descriptor.completion_address = 0x40000000 + uint64_t{which} * 128;
  if (!is_barrier) {
    descriptor.op = workload.op;
    descriptor.type = workload.type;
    descriptor.element_count = workload.elements;
    descriptor.operand = operand_of(workload, node, which);
  }
  descriptor.rounds = std::move(rounds);
  return descriptor;
}

void Journal::arrives(uint32_t which, uint64_t cycle) {
  CollectiveRecord& record = records_[which];
  ++record.arrived;
  record.first_arrival = std::min(record.first_arrival, cycle);
  record.last_arrival = std::max(record.last_arrival, cycle);
}

void Journal::reports(uint32_t which, uint64_t cycle) {
  records_[which].first_report = std::min(records_[which].first_report, cycle);
}

uint64_t Journal::early() const {
  return static_cast<uint64_t>(std::count_if(
      records_.begin(), records_.end(),
      [](const CollectiveRecord& record) { return record.first_report < record.last_arrival; }));
}

void Journal::completes(uint32_t which, uint64_t cycle, std::span<const uint64_t> result) {
  CollectiveRecord& record = records_[which];
  if (record.completed == 0)
    std::copy(result.begin(), result.end(), record.result.begin());
  else if (!std::equal(result.begin(), result.end(), record.result.begin()))
    ++differing_;
  ++record.completed;
  ++done_;
  record.first_completion = std::min(record.first_completion, cycle);
  record.last_completion = std::max(record.last_completion, cycle);
}

}  // namespace tutti::offload::model
