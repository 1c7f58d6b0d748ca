#pragma once
// How the ranks of a communicator agree on what they measured (select/round.hpp): an allreduce of 32 numbers
// that nobody waits for.

#include <cstdint>
#include <memory>
#include <span>

#include "engine/cpu_engine.hpp"
#include "engine/engine.hpp"
#include "engine/job.hpp"
#include "engine/signal.hpp"
#include "select/round.hpp"
#include "transport/endpoint.hpp"

namespace tutti::mpi {

class Communicator;

/// What the agreements of one communicator need: an engine and tags of their own, so that they wait for none
/// of the program's operations.
class AgreementWays {
 public:
  /// `world_ranks` stays valid.
  AgreementWays(Communicator& communicator, std::span<const int> world_ranks);

  Communicator& communicator() const { return communicator_; }
  engine::CpuEngine& engine() { return engine_; }
  const engine::Plan& plan() const { return *plan_; }

 private:
  Communicator& communicator_;
  std::unique_ptr<transport::Endpoint> endpoint_;
  engine::CpuEngine engine_;
  std::shared_ptr<const engine::Plan> plan_;
};

/// One agreement at a time, again and again. Carried out by Drivers::for_agreements(), and never abandoned: what
/// is under way keeps its communicator, whose number and memory stay in use until it has ended, even if the
/// program frees the communicator meanwhile. All ranks start their agreements of the same number equally often.
class Agreement final : public engine::Job {
 public:
  static constexpr uint32_t k_most = 256;  // numbers for the agreements of a communicator

  Agreement(AgreementWays& ways, uint32_t number) : ways_(ways), number_(number) { end_.set(); }

  void begin(const select::Contribution& mine);
  /// Of the one that has begun. Never waits.
  bool is_done();
  /// Waits for the other ranks to begin it.
  void wait();
  /// Once it is done.
  const select::Contribution& maxima() const { return maxima_; }

 private:
  void ended(const base::Status& status) override;

  AgreementWays& ways_;
  const uint32_t number_;
  uint32_t round_ = 0;
  select::Contribution maxima_{};
  engine::Signal end_;  // unset while one is under way
};

}  // namespace tutti::mpi
