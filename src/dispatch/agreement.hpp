#pragma once
// How the ranks of a communicator agree on what they measured (select/round.hpp, select/arrivals.hpp): an allreduce of
// a few numbers, or two, that calls seldom wait for.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "dispatch/services.hpp"
#include "engine/cpu_engine.hpp"
#include "engine/driver.hpp"
#include "engine/engine.hpp"
#include "engine/job.hpp"
#include "engine/signal.hpp"
#include "select/arrivals.hpp"
#include "select/round.hpp"
#include "transport/endpoint.hpp"

namespace tutti::dispatch {

/// What the agreements of one communicator share: an engine and tags of their own, so that they wait for none
/// of the program's operations.
class AgreementEndpoint {
 public:
  AgreementEndpoint(Services& services, const Group& group);

  Services& services() const { return services_; }
  const Group& group() const { return group_; }
  engine::CpuEngine& engine() { return engine_; }
  const engine::Plan& plan_for_arrivals() const { return *arrivals_; }
  const engine::Plan& plan_for_costs() const { return *costs_; }
  /// A number for the agreements of one more site; nullopt: all are taken. The same on all ranks, which ask in the same
  /// order.
  std::optional<uint32_t> take_number();

 private:
  Services& services_;
  const Group group_;
  std::unique_ptr<transport::Endpoint> endpoint_;
  engine::CpuEngine engine_;
  std::shared_ptr<const engine::Plan> arrivals_, costs_;
  uint32_t number_count_ = 0;
};

/// One agreement at a time, again and again. Carried out by Services::agreement_driver(), and never
/// abandoned: what is under way keeps its communicator, whose number and memory stay in use until it has
/// ended, even if the program frees the communicator meanwhile. All ranks start their agreements of the same
/// number equally often.
class Agreement final : public engine::Job {
 public:
  /// Numbers of the agreements of a communicator: those of its call sites, and of its node memory.
  static constexpr uint32_t k_most_sites = 255, k_node_memory = 255;

  Agreement(AgreementEndpoint& shared, uint32_t number) : shared_(shared), number_(number) { end_.set(); }

  void begin(const select::Contribution& mine);
  /// First when the ranks came, if that was measured, and then what it cost them, which depends on that.
  void begin(const select::Measured& mine);
  /// Of the one that has begun. Never waits.
  bool is_done();
  /// Waits for the other ranks to begin it.
  void wait();
  /// Once it is done.
  const select::Contribution& all() const { return all_; }
  /// nullptr: they have not been agreed on.
  const select::Arrivals* arrivals() const { return arrivals_ ? &*arrivals_ : nullptr; }

 private:
  void ended(const base::Status& status) override;
  void prepare();
  template <class T>
  void submit(T* sum, const engine::Plan& shape);

  AgreementEndpoint& shared_;
  const uint32_t number_;
  uint32_t round_ = 0;
  engine::Driver* driver_ = nullptr;  // of the one under way, first part and second
  select::Measured mine_;
  bool awaits_arrivals_ = false;
  std::optional<select::Arrivals> arrivals_;
  select::Contribution all_;
  engine::Signal end_;  // unset while one is under way
};

}  // namespace tutti::dispatch
