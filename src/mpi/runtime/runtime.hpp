#pragma once
// Tutti's state of one process between MPI_Init and MPI_Finalize.

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "base/status.hpp"
#include "base/termination.hpp"
#include "collective/call_site_table.hpp"
#include "collective/observer.hpp"
#include "collective/plan_cache.hpp"
#include "collective/process_context.hpp"
#include "collective/report.hpp"
#include "collective/run_results.hpp"
#include "collective/trial_observer.hpp"
#include "engine/wait_policy.hpp"
#include "mpi/clock/global_clock.hpp"
#include "mpi/handle/comm_table.hpp"
#include "mpi/handle/native_entry_barrier.hpp"
#include "mpi/handle/twins.hpp"
#include "mpi/node/agents.hpp"
#include "mpi/node/cpu_place.hpp"
#include "mpi/node/node_access.hpp"
#include "mpi/progress/progress_engine.hpp"
#include "mpi/record/run_record.hpp"
#include "mpi/request/completion_message.hpp"
#include "mpi/request/native_persistent.hpp"
#include "mpi/request/native_requests.hpp"
#include "mpi/request/pending_requests.hpp"
#include "mpi/runtime/early_calls.hpp"
#include "select/links.hpp"
#include "select/rules.hpp"
#include "select/selector.hpp"
#include "transport/network.hpp"

namespace tutti::mpi {

/// The requests of the program that Tutti knows.
struct CallRequests {
  explicit CallRequests(const collective::Observers& observers) : native_persistent(native, observers) {}

  PendingRequests pending;  // of nonblocking and persistent collectives that Tutti serves
  NativeRequests native;    // of calls that the native MPI serves and that are timed
  NativePersistent native_persistent;
  CompletionChannel
      completions;  // notifies the MPI of the ends of persistent collectives; open if `can_restart`
  /// Persistent collectives can be served: the program's MPI_Start and MPI_Request_free reach Tutti on all ranks,
  /// because no tool bypasses it.
  bool can_restart = false;
};

/// start.cpp sets it up and ends it; outputs.cpp writes the outputs.
class Runtime final : public collective::ProcessContext {
 public:
  /// nullptr: every call passes through. TUTTI=0, outside MPI_Init … MPI_Finalize, or set-up failed.
  static Runtime* get() { return instance_.load(std::memory_order_acquire); }
  /// The entry of communicators() for MPI_COMM_WORLD, which most calls use; nullptr: none, or get() is nullptr.
  static Communicator* world() { return world_.load(std::memory_order_acquire); }

  /// True if a thread of Tutti's may call the MPI, so that MPI has to be initialised with MPI_THREAD_MULTIPLE.
  static bool wants_threads();

  /// Collective over MPI_COMM_WORLD, after the native initialisation. Never makes the program fail: if there is an
  /// obstacle, all ranks pass calls through, and one of them prints the reason. `program_level`: the thread level that
  /// the program itself requested.
  static void start(int program_level);
  /// Called instead of start() if not all ranks can take part: nothing is served, whatever is called later.
  static void decline() { has_been_asked_ = true; }
  /// start() or decline() has been called.
  static bool has_been_asked() { return has_been_asked_; }
  /// The program calls MPI_Abort: writes the outputs up to now if the run is recorded.
  static void abort();
  /// MPI_Finalize has been called. Keeps the time for the record.
  static void note_finalize();
  /// MPI_Finalize has been called: from now on no thread of Tutti's calls the MPI. stop() carries out the rest.
  static void begin_finalize();
  /// Collective: writes the outputs and releases everything. Called inside the native finalisation, after the program's
  /// callbacks for MPI_COMM_SELF have run; or instead of it.
  static void stop();
  /// The process ends without MPI_Finalize, or before it: writes the outputs up to now and ends Tutti's threads. Later
  /// calls are carried out by the threads that make them.
  static void end_process();

  const base::Settings& settings() const { return settings_; }
  const select::Selector& selector() const { return selector_; }
  /// A duplicate of MPI_COMM_WORLD for Tutti's messages only.
  MPI_Comm private_comm() const { return private_comm_; }
  /// nullptr: all messages go through the MPI.
  transport::Network* ucx_network() { return ucx_network_.get(); }
  int world_rank() const { return world_rank_; }
  int world_size() const { return static_cast<int>(node_of_world_rank_.size()); }
  std::span<const int32_t> node_of_world_rank() const { return node_of_world_rank_; }

  /// Carries out nonblocking collectives.
  ProgressEngine& progress() { return progress_; }

  CallRequests& requests() { return requests_; }
  /// Blocking collectives that have returned before their data has arrived.
  EarlyCalls& early_calls() { return early_calls_; }
  CommTable& communicators() { return communicators_; }
  NativeEntryBarriers& native_entry_barriers() { return native_entry_barriers_; }
  Twins& twins() { return twins_; }
  NodeSharedMemory& node_shared_memory() { return node_shared_memory_; }
  Agents& agents() { return agents_; }
  /// True if agents are opened when ranks are late (TUTTI_AGENTS=auto or late), before and after that; false if they
  /// are opened at the start. The same on all ranks.
  bool may_open_agents() const { return may_open_agents_; }
  /// Opens agents inside a call of the program. Collective over `world`, which has the ranks of MPI_COMM_WORLD in the
  /// same order.
  void open_agents_late(MPI_Comm world);
  /// True if the program requested MPI_THREAD_MULTIPLE on any rank.
  bool is_multithreaded() const { return is_multithreaded_; }
  /// Stores the results of a communicator's call sites until the end of the run. Called before the communicator is
  /// released, or at the end of the run.
  void remember_sites(const collective::CallSiteTable& sites, int rank);

  /// The observers of every call.
  const collective::Observers& observers() const { return observers_; }
  RunRecord& record() { return record_; }
  collective::TrialObserver& trial_observer() { return trial_observer_; }
  /// This rank's report up to now, as JSON; empty: there is no report.
  std::string report_text() const { return is_reporting_ ? report_.to_json(report_header()) : std::string(); }
  bool is_verbose() const { return is_verbose_; }
  /// Key of the attribute whose deletion releases a communicator's state.
  int comm_keyval() const { return comm_keyval_; }

  /// Prints one line on stderr, on rank 0 of MPI_COMM_WORLD only.
  void log(const std::string& line) const;

  // ProcessContext.
  const collective::Options& options() const override { return options_; }
  collective::PlanBudget& plan_budget() override { return plan_budget_; }
  /// Also present for a record, which takes the names of choices from the report's lines.
  collective::Report* report() override { return is_reporting_ || record_.is_wanted() ? &report_ : nullptr; }
  void log_verbose(const std::string& line) const override;
  /// Uses UCX if it is open.
  std::unique_ptr<transport::Endpoint> make_endpoint(transport::Space space,
                                                     std::span<const int> world_ranks) override;
  select::CommonClock clock() const override { return clock_.get(); }
  engine::Driver& agreement_driver() override { return progress_.for_agreements(); }
  void drive_agreements() override { progress_.drive_agreements(); }
  void await_agreement(engine::Signal& end) override { progress_.await_agreement(end); }

 private:
  explicit Runtime(base::Settings settings) : settings_(std::move(settings)) {}
  ~Runtime() override;

  base::Status meet();
  base::Status set_up(int program_level, std::vector<std::string>* problems);
  base::Status find_nodes(std::vector<std::string>* problems);
  /// Collective.
  void find_links();
  /// True if the ranks of this machine need not share cores.
  bool has_cores_for_ranks() const;
  void share_rules(std::vector<std::string>* problems);
  void name_outputs(std::vector<std::string>* problems);
  void share_nodes();
  /// Collective.
  void open_agents(std::vector<std::string>* problems);
  /// Collective. Error: the obstacle.
  base::Status open_agents_over(MPI_Comm world);
  void start_tuning();
  base::Status agree_on_settings() const;
  void remember_all_sites();
  /// `why`: the event that ends the run.
  void write_outputs(const char* why);
  record::RankDescription record_description() const;
  void write_record(const char* why);
  /// True if the ranks have been started by MPI_Comm_spawn.
  static bool is_spawned();
  int node_count() const;
  collective::ReportHeader report_header() const;
  void write_report();
  std::string progress_description() const;
  void write_learned();
  base::Status watch_self();
  void hand_over_to_program();

  /// Collective.
  void start_progress(int program_level, std::vector<std::string>* problems);
  /// Collective.
  void open_network(std::vector<std::string>* problems);
  /// Collective, called when no operation is pending here.
  void close_network();
  /// Collective.
  void prepare_restarts();
  /// Collective.
  void prepare_early_calls(std::vector<std::string>* problems);
  void write_access_log();
  void find_guards(std::vector<std::string>* problems);
  static void before_fork();
  static void forget_progress();

  static std::atomic<Runtime*> instance_;
  static std::atomic<Communicator*> world_;
  static bool has_been_asked_;

  base::Settings settings_;
  collective::Options options_;
  select::Selector selector_;
  MPI_Comm private_comm_ = MPI_COMM_NULL;
  MPI_Comm agreement_comm_ = MPI_COMM_NULL;  // for agreements; also the twin of MPI_COMM_WORLD
  std::unique_ptr<transport::Network> ucx_network_;
  std::string network_description_;
  std::optional<select::Links> links_;  // nullopt: there is only one node
  int world_rank_ = 0;
  std::vector<int32_t> node_of_world_rank_;
  std::vector<int32_t> machine_of_world_rank_;
  CpuPlace cpu_place_;
  uint64_t naps_in_init_ = 0;  // not reported: in MPI_Init ranks sleep whatever their share of the processors
  bool is_verbose_ = false;
  bool is_reporting_ = false;
  std::string report_target_;  // on rank 0: "summary", "memory", "-" or an absolute path
  int process_id_ = 0;         // a forked child writes no report
  uint64_t started_ns_ = 0;
  uint64_t finalize_ns_ = 0;  // the program entered MPI_Finalize; 0: not yet
  int comm_keyval_ = MPI_KEYVAL_INVALID;
  int self_keyval_ = MPI_KEYVAL_INVALID;
  bool has_handed_over_ = false;
  NodeSharedMemory node_shared_memory_;
  Agents agents_;
  bool may_open_agents_ = false, is_multithreaded_ = false;
  bool has_tried_agents_ = false;
  GlobalClock clock_;
  collective::PlanBudget plan_budget_;
  collective::Report report_;
  RunRecord record_;
  collective::Observers observers_;
  collective::TrialObserver trial_observer_;
  collective::RunResults results_;
  std::mutex outputs_mutex_;
  bool has_written_ = false;
  std::unique_ptr<base::OnTermination> on_termination_;
  CallRequests requests_{observers_};
  ProgressEngine progress_;
  EarlyCalls early_calls_{progress_};
  CommTable communicators_;
  NativeEntryBarriers native_entry_barriers_;
  Twins twins_;
};

/// The same as served(), by a lookup in the table.
Communicator* served_by_table(MPI_Comm comm);

/// Tutti's state for a communicator of the program; nullptr: Tutti does not serve it.
[[gnu::always_inline]] inline Communicator* served(MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD) [[likely]]
    return Runtime::world();
  return served_by_table(comm);
}

}  // namespace tutti::mpi
