#pragma once
// Agreement of the ranks of a communicator on their measurements (select/round.hpp, select/arrivals.hpp): one or two
// small allreduce operations in the background, for which calls seldom wait.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "collective/process_context.hpp"
#include "engine/cpu_engine.hpp"
#include "engine/driver.hpp"
#include "engine/engine.hpp"
#include "engine/job.hpp"
#include "engine/signal.hpp"
#include "select/arrivals.hpp"
#include "select/round.hpp"
#include "transport/endpoint.hpp"

namespace tutti::collective {

/// State shared by the agreements of one communicator. They have their own engine and tags, so that they do not wait
/// for the program's operations.
class AgreementEndpoint {
 public:
  AgreementEndpoint(ProcessContext& process, const CommunicatorView& group);

  ProcessContext& process() const { return process_; }
  const CommunicatorView& group() const { return group_; }
  engine::CpuEngine& engine() { return engine_; }
  const engine::Plan& plan_for_arrivals() const { return *arrivals_; }
  const engine::Plan& plan_for_costs() const { return *costs_; }
  /// Number for the agreements of one more site; nullopt: all are taken. The same on all ranks, because they take
  /// numbers in the same order.
  std::optional<uint32_t> take_number();

 private:
  ProcessContext& process_;
  const CommunicatorView group_;
  std::unique_ptr<transport::Endpoint> endpoint_;
  engine::CpuEngine engine_;
  std::shared_ptr<const engine::Plan> arrivals_, costs_;
  uint32_t number_count_ = 0;
};

/// Runs agreements one after the other on ProcessContext::agreement_driver(). A pending agreement is never abandoned:
/// it holds its communicator, whose id and memory stay in use until the agreement ends, even if the program frees the
/// communicator meanwhile. All ranks begin the agreements of one number equally often.
class Agreement final : public engine::Job {
 public:
  /// Numbers of a communicator's agreements: 0 to k_most_sites - 1 for its sites, k_node_memory for its node memory.
  static constexpr uint32_t k_most_sites = 255, k_node_memory = 255;

  Agreement(AgreementEndpoint& shared, uint32_t number) : shared_(shared), number_(number) { end_.set(); }

  void begin(const select::RoundMeasurements& mine);
  /// Agrees on the arrival times first, if they were measured, and then on the costs, which depend on them.
  void begin(const select::Measured& mine);
  /// True if no agreement is pending. Does not wait.
  bool is_done();
  /// Waits until the pending agreement has ended, for which all ranks must have begun it.
  void wait();
  /// The result; valid once is_done().
  const select::RoundMeasurements& all() const { return all_; }
  /// nullptr: this agreement had no arrival times.
  const select::Arrivals* arrivals() const { return arrivals_ ? &*arrivals_ : nullptr; }

 private:
  void ended(const base::Status& status) override;
  void prepare();
  template <class T>
  void submit(T* sum, const engine::Plan& shape);

  AgreementEndpoint& shared_;
  const uint32_t number_;
  uint32_t round_ = 0;
  engine::Driver* driver_ = nullptr;  // of both parts of the latest agreement
  select::Measured mine_;
  bool awaits_arrivals_ = false;
  std::optional<select::Arrivals> arrivals_;
  select::RoundMeasurements all_;
  engine::Signal end_;  // unset while an agreement is pending
};

}  // namespace tutti::collective
