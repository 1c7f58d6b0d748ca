#pragma once
// What Tutti keeps for one process between MPI_Init and MPI_Finalize.

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "base/status.hpp"
#include "engine/wait_policy.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/drivers.hpp"
#include "mpi/end_message.hpp"
#include "mpi/meetings.hpp"
#include "mpi/native_trials.hpp"
#include "mpi/node_access.hpp"
#include "mpi/pending_requests.hpp"
#include "mpi/plan_cache.hpp"
#include "mpi/report.hpp"
#include "select/selector.hpp"
#include "transport/network.hpp"

namespace tutti::mpi {

class Runtime {
 public:
  /// nullptr: every call passes through. TUTTI=0, outside MPI_Init … MPI_Finalize, or set-up failed.
  static Runtime* get() { return instance_.load(std::memory_order_acquire); }

  /// The progress thread may be needed, so that MPI has to be initialised for it.
  static bool wants_threads();

  /// Collective over MPI_COMM_WORLD, after the native initialisation. Never fails the program: where
  /// something is in the way, all ranks pass through, and one of them says why. `program_level`: the thread
  /// level that the program itself asked for.
  static void start(int program_level);
  /// start() has been called.
  static bool has_been_asked() { return has_been_asked_; }
  /// Before the native finalisation: writes the report and gives everything back.
  static void stop();

  const base::Settings& settings() const { return settings_; }
  const select::Selector& selector() const { return selector_; }
  /// A duplicate of MPI_COMM_WORLD that carries nothing but Tutti's messages.
  MPI_Comm private_comm() const { return private_comm_; }
  /// Another, for what the ranks agree on.
  MPI_Comm agreement_comm() const { return agreement_comm_; }
  /// nullptr: all messages travel through the MPI.
  transport::Network* second_network() { return second_network_.get(); }
  /// The way of one rank of a communicator to the others for what no call blocks in: over the second network
  /// where there is one. `world_ranks` stays valid.
  std::unique_ptr<transport::Endpoint> make_way(transport::Space space, std::span<const int> world_ranks);
  int world_rank() const { return world_rank_; }
  int world_size() const { return static_cast<int>(node_of_world_rank_.size()); }
  std::span<const int32_t> node_of_world_rank() const { return node_of_world_rank_; }
  engine::WaitPolicy wait_policy() const { return wait_policy_; }
  /// Ranks of the job on this machine: they compete for its cores, whatever TUTTI_NODES says.
  uint32_t ranks_on_machine() const { return ranks_on_machine_; }

  /// Who carries nonblocking collectives out.
  Drivers& drivers() { return drivers_; }

  /// Call sites try candidates (TUTTI_TUNE); all: those too that the rules leave to the native MPI.
  bool is_tuning() const { return tuning_ != Tuning::off; }
  bool tunes_all() const { return tuning_ == Tuning::all; }

  /// Persistent collectives can be served: MPI_Start and MPI_Request_free of the program reach us, on all
  /// ranks, because no tool in front of us goes around.
  bool can_restart() const { return can_restart_; }

  /// Requests of nonblocking and persistent collectives that Tutti serves.
  PendingRequests& requests() { return requests_; }
  /// Requests of nonblocking collectives that the native MPI serves on trial.
  NativeTrials& native_trials() { return native_trials_; }
  /// By which the MPI hears of the ends of persistent collectives. Open where can_restart().
  EndChannel& end_channel() { return end_channel_; }

  CommTable& communicators() { return communicators_; }
  Meetings& meetings() { return meetings_; }
  NodeShare& node_share() { return node_share_; }
  PlanBudget& plan_budget() { return plan_budget_; }
  /// Keeps what the call sites of a communicator have learned, for the end of the run. The communicator is
  /// about to go, or the run is.
  void remember_sites(const Communicator& communicator);

  /// nullptr: no report is wanted, so nobody need read the clock.
  Report* report() { return is_reporting_ ? &report_ : nullptr; }
  bool is_verbose() const { return is_verbose_; }
  /// Key under which a communicator's state hangs on it, so that it dies with it.
  int comm_keyval() const { return comm_keyval_; }

  /// One line on stderr: from rank 0 of the world, or from any rank for what only that rank knows.
  void say(const std::string& line) const;
  void say_if_verbose(const std::string& line) const;

 private:
  explicit Runtime(base::Settings settings) : settings_(std::move(settings)) {}
  ~Runtime();

  base::Status meet();
  base::Status set_up(int program_level, std::vector<std::string>* problems);
  base::Status find_nodes(std::vector<std::string>* problems);
  void share_rules(std::vector<std::string>* problems);
  void share_nodes();
  void start_tuning();
  base::Status agree_on_settings() const;
  void remember_all_sites();
  void write_report();
  std::string progress_description() const;
  void write_learned();
  static void at_exit();

  /// Collective.
  void start_drivers(int program_level, std::vector<std::string>* problems);
  /// Collective.
  void open_network(std::vector<std::string>* problems);
  /// Collective, once nothing is under way here.
  void close_network();
  /// Collective.
  void prepare_restarts();
  static void forget_drivers();

  static std::atomic<Runtime*> instance_;
  static bool has_been_asked_;

  base::Settings settings_;
  select::Selector selector_;
  MPI_Comm private_comm_ = MPI_COMM_NULL;
  MPI_Comm agreement_comm_ = MPI_COMM_NULL;
  std::unique_ptr<transport::Network> second_network_;
  std::string network_description_;
  enum class Tuning : uint8_t { off, on, all } tuning_ = Tuning::off;
  int world_rank_ = 0;
  std::vector<int32_t> node_of_world_rank_;
  std::vector<int32_t> machine_of_world_rank_;
  uint32_t ranks_on_machine_ = 1;
  engine::WaitPolicy wait_policy_ = engine::WaitPolicy::automatic;
  bool is_verbose_ = false;
  bool is_reporting_ = false;
  int process_id_ = 0;  // a forked child writes no report
  uint64_t started_ns_ = 0;
  int comm_keyval_ = MPI_KEYVAL_INVALID;
  NodeShare node_share_;
  PlanBudget plan_budget_;
  Report report_;
  std::mutex learned_mutex_;
  std::vector<select::Rule> learned_;
  bool can_restart_ = false;
  EndChannel end_channel_;
  PendingRequests requests_;
  Drivers drivers_;
  CommTable communicators_;
  Meetings meetings_;
  NativeTrials native_trials_;
};

}  // namespace tutti::mpi
