#pragma once
// What Tutti keeps for one process between MPI_Init and MPI_Finalize.

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "base/status.hpp"
#include "base/termination.hpp"
#include "dispatch/call_site_table.hpp"
#include "dispatch/observer.hpp"
#include "dispatch/plan_cache.hpp"
#include "dispatch/report.hpp"
#include "dispatch/services.hpp"
#include "dispatch/trial_observer.hpp"
#include "engine/wait_policy.hpp"
#include "mpi/lifecycle/agents.hpp"
#include "mpi/lifecycle/comm_table.hpp"
#include "mpi/lifecycle/cpu_place.hpp"
#include "mpi/lifecycle/data_threads.hpp"
#include "mpi/lifecycle/machine_clock.hpp"
#include "mpi/lifecycle/meetings.hpp"
#include "mpi/lifecycle/node_access.hpp"
#include "mpi/lifecycle/progress_engine.hpp"
#include "mpi/lifecycle/run_record.hpp"
#include "mpi/lifecycle/twins.hpp"
#include "mpi/request/end_message.hpp"
#include "mpi/request/late_failures.hpp"
#include "mpi/request/native_persistent.hpp"
#include "mpi/request/native_requests.hpp"
#include "mpi/request/pending_requests.hpp"
#include "overlap/access_traces.hpp"
#include "overlap/early_jobs.hpp"
#include "select/access_log.hpp"
#include "select/links.hpp"
#include "select/rules.hpp"
#include "select/selector.hpp"
#include "transport/network.hpp"

namespace tutti::mpi {

/// Set up and ended by start.cpp; what it leaves behind is written by outputs.cpp.
class Runtime final : public dispatch::Services {
 public:
  /// nullptr: every call passes through. TUTTI=0, outside MPI_Init … MPI_Finalize, or set-up failed.
  static Runtime* get() { return instance_.load(std::memory_order_acquire); }
  /// What communicators() has for MPI_COMM_WORLD, on which most calls are; nullptr: nothing, or get() is nullptr.
  static Communicator* world() { return world_.load(std::memory_order_acquire); }

  /// The progress thread may be needed, so that MPI has to be initialised for it.
  static bool wants_threads();

  /// Collective over MPI_COMM_WORLD, after the native initialisation. Never fails the program: where
  /// something is in the way, all ranks pass through, and one of them says why. `program_level`: the thread
  /// level that the program itself asked for.
  static void start(int program_level);
  /// Instead of start(), where not all ranks can take part: nothing is served, whatever is called later.
  static void decline() { has_been_asked_ = true; }
  /// start() or decline() has been called.
  static bool has_been_asked() { return has_been_asked_; }
  /// The program gives up: writes what has been recorded up to now.
  static void abort();
  /// MPI_Finalize has been called: no thread of Tutti's calls the MPI any more. What it does is up to stop().
  static void begin_finalize();
  /// Collective: writes the report and gives everything back. Called within the native finalisation, when the program's
  /// callbacks for MPI_COMM_SELF have run; or instead of it.
  static void stop();
  /// The process ends without MPI_Finalize, or at least before it: writes what has been recorded up to now, and Tutti's
  /// threads leave. Calls that come nevertheless are carried out by their threads.
  static void end_process();

  const base::Settings& settings() const { return settings_; }
  const select::Selector& selector() const { return selector_; }
  /// A duplicate of MPI_COMM_WORLD that carries nothing but Tutti's messages.
  MPI_Comm private_comm() const { return private_comm_; }
  /// nullptr: all messages travel through the MPI.
  transport::Network* ucx_network() { return ucx_network_.get(); }
  int world_rank() const { return world_rank_; }
  int world_size() const { return static_cast<int>(node_of_world_rank_.size()); }
  std::span<const int32_t> node_of_world_rank() const { return node_of_world_rank_; }

  /// What carries nonblocking collectives out.
  ProgressEngine& progress() { return progress_; }

  /// Persistent collectives can be served: MPI_Start and MPI_Request_free of the program reach us, on all
  /// ranks, because no tool in front of us goes around.
  bool can_restart() const { return can_restart_; }

  /// Requests of nonblocking and persistent collectives that Tutti serves.
  PendingRequests& requests() { return requests_; }
  /// By which buffers may be guarded, preferred first.
  std::span<const overlap::guard::Mechanism> guards() const { return guards_; }
  /// Blocking collectives that have returned before their data is there.
  overlap::EarlyJobs& early_jobs() { return early_jobs_; }
  LateFailures& late_failures() { return late_failures_; }
  /// Results of which one watches what the program uses first.
  overlap::AccessTraces& access_traces() { return overlap::AccessTraces::of_process(); }
  /// What has been seen, where the run is for that (TUTTI_OVERLAP=trace).
  bool traces_accesses() const { return options_.traces_accesses; }
  select::AccessLog& access_log() { return access_log_; }
  [[gnu::always_inline]] bool has_early_calls() {
    return !early_jobs_.is_empty() || !late_failures_.is_empty() || !overlap::AccessTraces::is_empty();
  }
  /// Waits for all of them, and watches nothing any more.
  void await_early_calls();
  /// Those that a call of this thread has to wait for, which is given data at these addresses.
  void await_early_calls(std::span<const void* const> data);
  DataThreads& data_threads() { return data_threads_; }
  /// Requests of collectives that the native MPI serves, where somebody wants to know what they cost.
  NativeRequests& native_requests() { return native_requests_; }
  NativePersistent& native_persistent() { return native_persistent_; }
  /// By which the MPI hears of the ends of persistent collectives. Open where can_restart().
  EndChannel& end_channel() { return end_channel_; }

  CommTable& communicators() { return communicators_; }
  Meetings& meetings() { return meetings_; }
  Twins& twins() { return twins_; }
  NodeShare& node_share() { return node_share_; }
  Agents& agents() { return agents_; }
  /// Agents are open, or will be when ranks come late (TUTTI_AGENTS=auto). The same on all ranks.
  bool may_open_agents() const { return may_open_agents_; }
  /// Collective over `world`, which has the ranks of MPI_COMM_WORLD in their order, inside a call of the program.
  void open_agents_late(MPI_Comm world);
  /// Some rank has asked for MPI_THREAD_MULTIPLE.
  bool is_multithreaded() const { return is_multithreaded_; }
  /// Keeps what the call sites of a communicator have learned, for the end of the run. The communicator is
  /// about to go, or the run is.
  void remember_sites(const dispatch::CallSiteTable& sites, int rank);

  /// They see every call.
  const dispatch::Observers& observers() const { return observers_; }
  RunRecord& record() { return record_; }
  dispatch::TrialObserver& trial_observer() { return trial_observer_; }
  /// This rank's report up to now, as JSON; empty: none is kept.
  std::string report_text() const { return is_reporting_ ? report_.to_json(report_header()) : std::string(); }
  bool is_verbose() const { return is_verbose_; }
  /// Key under which a communicator's state hangs on it, so that it dies with it.
  int comm_keyval() const { return comm_keyval_; }

  /// One line on stderr: from rank 0 of the world, or from any rank for what only that rank knows.
  void say(const std::string& line) const;

  // Services.
  const dispatch::Options& options() const override { return options_; }
  dispatch::PlanBudget& plan_budget() override { return plan_budget_; }
  /// The record has the report's names of what serves a call.
  dispatch::Report* report() override { return is_reporting_ || record_.is_wanted() ? &report_ : nullptr; }
  void say_if_verbose(const std::string& line) const override;
  /// Over UCX where that is open.
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
  /// Of the ranks of this machine each may have one for itself.
  bool has_cores_for_ranks() const;
  void share_rules(std::vector<std::string>* problems);
  void name_outputs(std::vector<std::string>* problems);
  void share_nodes();
  /// Collective.
  void open_agents(std::vector<std::string>* problems);
  /// Collective. What is in the way, if anything.
  base::Status open_agents_over(MPI_Comm world);
  void start_tuning();
  base::Status agree_on_settings() const;
  void remember_all_sites();
  /// `why`: what ends the run.
  void write_outputs(const char* why);
  record::RankDescription record_description() const;
  void write_record(const char* why);
  /// Other ranks have started these by MPI_Comm_spawn.
  static bool is_spawned();
  int node_count() const;
  dispatch::ReportHeader report_header() const;
  void write_report();
  std::string progress_description() const;
  void write_learned();
  base::Status watch_self();
  void hand_over_to_program();

  /// Collective.
  void start_progress(int program_level, std::vector<std::string>* problems);
  /// Collective.
  void open_network(std::vector<std::string>* problems);
  /// Collective, once nothing is under way here.
  void close_network();
  /// Collective.
  void prepare_restarts();
  /// Collective.
  void prepare_early_calls(std::vector<std::string>* problems);
  void write_access_log();
  void find_guards(std::vector<std::string>* problems);
  /// Result: what is in the way of those that do not work here.
  std::string try_guards();
  static void before_fork();
  static void forget_progress();

  static std::atomic<Runtime*> instance_;
  static std::atomic<Communicator*> world_;
  static bool has_been_asked_;

  base::Settings settings_;
  dispatch::Options options_;
  select::Selector selector_;
  MPI_Comm private_comm_ = MPI_COMM_NULL;
  MPI_Comm agreement_comm_ = MPI_COMM_NULL;  // for what the ranks agree on; also the twin of MPI_COMM_WORLD
  std::unique_ptr<transport::Network> ucx_network_;
  std::string network_description_;
  std::optional<select::Links> links_;  // where there are several nodes
  int world_rank_ = 0;
  std::vector<int32_t> node_of_world_rank_;
  std::vector<int32_t> machine_of_world_rank_;
  CpuPlace cpu_place_;
  uint64_t naps_in_init_ = 0;  // where ranks wait politely, whatever they have
  bool is_verbose_ = false;
  bool is_reporting_ = false;
  std::string learned_file_;   // an absolute name; empty: nothing is kept
  std::string report_target_;  // of rank 0: "summary", "-" or an absolute name
  int process_id_ = 0;         // a forked child writes no report
  uint64_t started_ns_ = 0;
  int comm_keyval_ = MPI_KEYVAL_INVALID;
  int self_keyval_ = MPI_KEYVAL_INVALID;
  bool has_handed_over_ = false;
  NodeShare node_share_;
  Agents agents_;
  bool may_open_agents_ = false, is_multithreaded_ = false;
  bool has_tried_agents_ = false;
  MachineClock clock_;
  dispatch::PlanBudget plan_budget_;
  dispatch::Report report_;
  RunRecord record_;
  dispatch::Observers observers_;
  dispatch::TrialObserver trial_observer_;
  std::mutex learned_mutex_;
  std::vector<select::Rule> learned_;
  std::mutex outputs_mutex_;
  bool has_written_ = false;
  std::unique_ptr<base::OnTermination> on_termination_;
  std::map<std::string, size_t> not_learned_;  // call sites, by the reason
  bool can_restart_ = false;
  EndChannel end_channel_;
  PendingRequests requests_;
  std::vector<overlap::guard::Mechanism> guards_;
  overlap::EarlyJobs early_jobs_;
  select::AccessLog access_log_;
  LateFailures late_failures_;
  DataThreads data_threads_;
  ProgressEngine progress_;
  CommTable communicators_;
  Meetings meetings_;
  Twins twins_;
  NativeRequests native_requests_;
  NativePersistent native_persistent_{native_requests_, observers_};
};

/// The same as served(), by the table.
Communicator* served_by_table(MPI_Comm comm);

/// What Tutti keeps for a communicator of the program; nullptr: it does not serve it.
[[gnu::always_inline]] inline Communicator* served(MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD) [[likely]]
    return Runtime::world();
  return served_by_table(comm);
}

}  // namespace tutti::mpi
