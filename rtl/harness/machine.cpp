#include "machine.hpp"

#include <fmt/format.h>

#include <array>
#include <initializer_list>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "offload/model/simulation.hpp"
#include "offload/nic/engine.hpp"
#include "rtl_engine.hpp"

namespace tutti::rtl {

using namespace offload;
using base::Result;
using model::RunOptions;
using model::RunResult;

namespace {

/// Hash of the transfers of an engine and their cycles.
struct Digest {
  uint64_t value = 0, transfers = 0;

  void add(uint64_t cycle, uint64_t port, std::initializer_list<uint64_t> words) {
    ++transfers;
    value = base::mixed(value ^ cycle) + port;
    for (const uint64_t word : words) value = base::mixed(value ^ word);
  }
  void add(uint64_t cycle, uint64_t port, const nic::Packet& packet) {
    const auto header = header_words(packet);
    add(cycle, port, {header[0], header[1]});
    for (uint32_t i = 0; i < packet.words; ++i) value = base::mixed(value ^ packet.payload[i]);
  }
};

/// Forwards all calls to an engine and keeps a digest of its transfers.
class Observed final : public nic::EngineModel {
 public:
  Observed(std::unique_ptr<nic::EngineModel> engine, Digest& digest)
      : engine_(std::move(engine)), digest_(digest) {}

  nic::Outputs outputs() const override { return engine_->outputs(); }
  uint64_t wake(uint64_t now) const override { return engine_->wake(now); }
  nic::EngineCounters counters() const override { return engine_->counters(); }

  void step(uint64_t now, const nic::Inputs& inputs) override {
    const nic::Outputs outputs = engine_->outputs();
    if (outputs.irq) digest_.add(now, 0, {});
    if (inputs.pio != nullptr && outputs.pio_ready) digest_.add(now, 1, {inputs.pio->data});
    if (inputs.bell != nullptr && outputs.bell_ready) digest_.add(now, 2, {inputs.bell->address});
    if (inputs.rdata != nullptr && outputs.rdata_ready) digest_.add(now, 3, {inputs.rdata->data});
    if (inputs.rxq != nullptr && outputs.rxq_ready) digest_.add(now, 4, *inputs.rxq);
    if (inputs.rxp != nullptr && outputs.rxp_ready) digest_.add(now, 5, *inputs.rxp);
    if (outputs.rd != nullptr && inputs.rd_ready)
      digest_.add(now, 6, {outputs.rd->address, outputs.rd->words});
    if (outputs.wr != nullptr && inputs.wr_ready)
      digest_.add(now, 7, {outputs.wr->address, outputs.wr->data, outputs.wr->is_last ? 1u : 0u});
    if (outputs.txq != nullptr && inputs.txq_ready) digest_.add(now, 8, *outputs.txq);
    if (outputs.txp != nullptr && inputs.txp_ready) digest_.add(now, 9, *outputs.txp);
    engine_->step(now, inputs);
  }

 private:
  std::unique_ptr<nic::EngineModel> engine_;
  Digest& digest_;
};

struct Run {
  RunResult result;
  std::vector<Digest> digests;  // by node
};

Result<Run> run(const MachinePattern& pattern, bool is_rtl) {
  Run run;
  run.digests.resize(pattern.workload.nodes);
  uint32_t made = 0;
  RunOptions options;
  options.make_engine = [&](const nic::EngineConfiguration& configuration) {
    std::unique_ptr<nic::EngineModel> engine;
    if (is_rtl)
      engine = std::make_unique<RtlEngine>(configuration, made + 1, !pattern.is_every_cycle);
    else
      engine = std::make_unique<nic::Engine>(configuration);
    return std::make_unique<Observed>(std::move(engine), run.digests.at(made++));
  };
  auto result = simulate(pattern.parameters, pattern.workload, options);
  if (!result) return result.status();
  run.result = std::move(*result);
  return run;
}

std::string difference(const Run& model, const Run& rtl) {
  for (size_t i = 0; i < model.result.records.size(); ++i) {
    const auto &left = model.result.records[i], &right = rtl.result.records[i];
    if (left.last_completion != right.last_completion || left.first_completion != right.first_completion)
      return fmt::format("collective {}: the model completes in cycles {} to {}, the RTL in {} to {}", i,
                         left.first_completion, left.last_completion, right.first_completion,
                         right.last_completion);
    if (left.result != right.result) return fmt::format("collective {}: results differ", i);
  }
  for (size_t node = 0; node < model.digests.size(); ++node)
    if (model.digests[node].value != rtl.digests[node].value)
      return fmt::format("node {}: some transfer differs", node);
  if (!(model.result.network == rtl.result.network)) return "the networks have carried different packets";
  return {};
}

}  // namespace

MachinePattern random_pattern(uint64_t seed, uint32_t nodes) {
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t bound) { return random() % bound; };
  MachinePattern pattern;
  model::Parameters& parameters = pattern.parameters;
  model::Workload& workload = pattern.workload;
  parameters.damq_depth = static_cast<double>(1 + seed % 16);
  parameters.backoff_ns = static_cast<double>(100 + below(2000));
  parameters.strict = below(4) == 0 ? 1 : 0;
  workload.nodes = nodes;
  workload.seed = seed;
  workload.radix = static_cast<uint32_t>(2 + below(15));
  workload.shape = workload.radix % 2 == 1 && below(2) == 0 ? pattern::DisseminationShape::symmetric
                                                            : pattern::DisseminationShape::forward;
  if (below(3) == 0) {
    workload.type = static_cast<ElementType>(1 + below(3));
    workload.op = static_cast<Operator>(1 + below(workload.type == ElementType::float64 ? 3 : 5));
    workload.elements = static_cast<uint8_t>(1 + below(8));
  }
  workload.repeats = static_cast<uint32_t>(1 + below(2));
  workload.communicators = static_cast<uint32_t>(1 + below(2));
  workload.window = static_cast<uint32_t>(1 + below(2));
  constexpr std::array k_arrivals = {arrival::Kind::none,        arrival::Kind::uniform,
                                     arrival::Kind::exponential, arrival::Kind::one_late,
                                     arrival::Kind::ascending,   arrival::Kind::halves};
  workload.arrivals.kind = k_arrivals[below(k_arrivals.size())];
  workload.arrivals.spread_ns = below(8) == 0 ? below(20000) : below(5000);
  workload.from_memory = below(3) == 0;
  workload.completion = static_cast<Completion>(1 + below(3));
  if (below(5) == 0) workload.background = static_cast<double>(below(50)) / 100;
  if (below(8) == 0) {
    parameters.timeout_ns = 6000;
    workload.faults = {.loss = 0.01, .duplication = 0.02, .reordering = 0.02, .seed = seed};
  }
  return pattern;
}

Result<MachineComparison> compare_machines(const MachinePattern& pattern) {
  const model::Timing timing = timing_of(pattern.parameters);
  if (base::Status status = check(timing.engine); !status) return status;
  const auto model = run(pattern, false);
  if (!model) return model.status();
  const auto rtl = run(pattern, true);
  if (!rtl) return rtl.status();
  MachineComparison comparison;
  comparison.model_cycles = model->result.cycles;
  comparison.rtl_cycles = rtl->result.cycles;
  for (const Digest& digest : model->digests) comparison.transfers += digest.transfers;
  comparison.nacks = model->result.engines.nacks;
  comparison.early = model->result.early + rtl->result.early;
  comparison.differing = model->result.differing + rtl->result.differing;
  comparison.difference = difference(*model, *rtl);
  return comparison;
}

std::string describe(const MachinePattern& pattern) {
  const model::Workload& workload = pattern.workload;
  std::string what = "barrier";
  if (workload.op != Operator::none)
    what = fmt::format("allreduce {} of {} {}", to_string(workload.op), workload.elements,
                       to_string(workload.type));
  return fmt::format("{} nodes, depth {}, {} × {}, radix {}, arrivals {}, window {}{}{}{}{}", workload.nodes,
                     pattern.parameters.damq_depth, workload.repeats, what, workload.radix,
                     arrival::to_text(workload.arrivals), workload.window,
                     workload.from_memory ? ", from memory" : "",
                     pattern.parameters.strict > 0 ? ", strict" : "",
                     workload.background > 0 ? ", background" : "", workload.faults.any() ? ", losses" : "");
}

}  // namespace tutti::rtl
