#include "mpi/runtime/runtime.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <utility>

#include "base/clock.hpp"
#include "base/standard_error.hpp"
#include "base/termination.hpp"
#include "base/text.hpp"
#include "collective/early_return_policy.hpp"
#include "collective/mpi/data/datatype.hpp"
#include "collective/mpi/data/device_memory.hpp"
#include "collective/mpi/data/local_check.hpp"
#include "mpi/bootstrap/launch_place.hpp"
#include "mpi/bootstrap/program_symbols.hpp"
#include "mpi/communicator/adopt.hpp"
#include "mpi/communicator/communicator.hpp"
#include "mpi/native/agreement.hpp"
#include "mpi/native/library_version.hpp"
#include "mpi/native/next_mpi.hpp"
#include "mpi/network/link_probe.hpp"
#include "mpi/network/ucx_library.hpp"
#include "mpi/network/ucx_network.hpp"
#include "mpi/recorded_calls/recorded_messages.hpp"
#include "overlap/guard/mechanism.hpp"
#include "overlap/guard/unit.hpp"
#include "topology/node_map.hpp"
#include "transport/mpi/mpi_endpoint.hpp"

namespace tutti::mpi {

using base::Status;

namespace {

Status mpi_error(const char* what, int code) {
  return {base::Code::mpi, what, code};
}

/// Broadcasts rank 0's text, which may be empty. An error leaves it empty.
void share_text(std::string* text, MPI_Comm comm) {
  constexpr uint64_t k_most_bytes = INT_MAX;  // a count of MPI
  uint64_t bytes = text->size() <= k_most_bytes ? text->size() : 0;
  const int code = PMPI_Bcast(&bytes, 1, MPI_UINT64_T, 0, comm);
  text->resize(code == MPI_SUCCESS ? bytes : 0);
  if (!text->empty()) PMPI_Bcast(text->data(), static_cast<int>(bytes), MPI_CHAR, 0, comm);
}

/// True if the program would fail with MPI_THREAD_MULTIPLE. Open MPI 4 has one-sided communication over TCP (osc/pt2pt)
/// only without it.
bool refuses_threads() {
  if (program_has_race_detector()) return true;
#ifdef OPEN_MPI
  return library_version().is("Open MPI", 4) && program_uses_one_sided();
#else
  return program_has_locked_callbacks();
#endif
}

/// The smallest MPI_TAG_UB with which every communicator number fits into a tag.
constexpr int k_needed_tag_ub = (k_comm_id_count << 16) - 1;

/// True if the settings do not let Tutti serve calls that do not block, as far as one process knows before the MPI is
/// initialised: the built-in rules do not apply on one node or over a fast network.
bool is_without_rules_for_nonblocking(const base::Settings& settings) {
  if (settings.text("TUTTI_TUNE") == "all" || !settings.text("TUTTI_RULES").empty() ||
      !settings.text("TUTTI_LEARN").empty())
    return false;
  const bool is_on_one_node = settings.text("TUTTI_NODES").empty() && is_launched_on_one_node();
  const bool is_over_fast_links = settings.text("TUTTI_LINKS") == "fast" ||
                                  (settings.text("TUTTI_LINKS") == "auto" && has_fast_network());
  if (!is_on_one_node && !is_over_fast_links) return false;
  std::vector<std::string> problems;  // start() reports them
  select::Selector selector = select::Selector::from_settings(settings, {}, &problems);
  selector.set_slow_links(false);
  return !selector.could_serve_nonblocking();
}

}  // namespace

bool Runtime::wants_threads() {
  std::vector<std::string> problems;  // start() reports them
  const base::Settings settings = base::Settings::of_process(&problems);
  const std::string_view mode = settings.text("TUTTI_PROGRESS");
  if (!settings.flag("TUTTI")) return false;
  const bool has_agents_over_mpi =
      settings.text("TUTTI_AGENTS") == "on" && settings.text("TUTTI_TRANSPORT") == "mpi";
  if (has_agents_over_mpi && !refuses_threads()) return true;
  if (!settings.text("TUTTI_RECORD").empty() && settings.number("TUTTI_RECORD_CLOCK_SYNC_INTERVAL") != 0 &&
      !refuses_threads())
    return true;
  if (mode == "off" || mode == "inline") return false;
  if (refuses_threads()) return false;
  if (settings.text("TUTTI_OVERLAP") != "off" && !program_uses_one_sided()) return true;
  if (mode == "auto" && program_uses_one_sided()) return false;
  if (mode != "auto" || program_calls_collectives_of_ours()) return true;
  return program_calls_nonblocking_collectives() && !is_without_rules_for_nonblocking(settings);
}

void Runtime::start(int program_level) {
  has_been_asked_ = true;
  base::remember_standard_error();
  std::vector<std::string> problems;
  base::Settings settings = base::Settings::of_process(&problems);
  const bool is_on = settings.flag("TUTTI");
  int size = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!is_on && size < 2) return;
  auto* runtime = new Runtime(std::move(settings));
  PMPI_Comm_rank(MPI_COMM_WORLD, &runtime->world_rank_);
  Status status = size > 1 ? runtime->meet() : Status::not_supported("there is only one rank");
  // TUTTI=0 on all ranks needs no message. If only some ranks have it, meet() fails on all.
  if (status && !is_on) {
    delete runtime;
    return;
  }
  if (status) status = runtime->set_up(program_level, &problems);
  for (const std::string& problem : problems) runtime->log(problem);
  if (!status) {
    const bool is_worth_a_line = size > 1 || runtime->is_verbose_;
    if (is_worth_a_line) runtime->log(status.message() + "; all collectives are left to the native MPI");
    delete runtime;
    return;
  }
  const bool has_outputs = !runtime->results_.learned_file().empty() || runtime->record_.is_wanted();
  if ((runtime->is_reporting_ && runtime->world_rank_ == 0) || has_outputs)
    runtime->on_termination_ = base::OnTermination::install([runtime] { runtime->write_outputs("SIGTERM"); });
  instance_.store(runtime, std::memory_order_release);
  NativeWords::rank_in_world = runtime->world_rank_;
  world_.store(runtime->communicators().find(MPI_COMM_WORLD), std::memory_order_release);
  begin_refusals();
}

/// The first collective step of the ranks, whatever their settings are.
Status Runtime::meet() {
  if (const int code = PMPI_Comm_dup(MPI_COMM_WORLD, &private_comm_); code != MPI_SUCCESS)
    return mpi_error("MPI_COMM_WORLD cannot be duplicated", code);
  PMPI_Comm_set_errhandler(private_comm_, MPI_ERRORS_RETURN);
  // Also a duplicate of MPI_COMM_WORLD: whether MPI_Dist_graph_create hangs in Open MPI 4.1 (topo/treematch) depends on
  // whether MPI_COMM_WORLD has been duplicated an even or odd number of times. So Tutti duplicates it twice
  // (tests/preload/c/graphs.c).
  if (const int code = PMPI_Comm_dup(MPI_COMM_WORLD, &agreement_comm_); code != MPI_SUCCESS)
    return mpi_error("a communicator cannot be duplicated", code);
  PMPI_Comm_set_errhandler(agreement_comm_, MPI_ERRORS_RETURN);
  return agree_on_settings();
}

Status Runtime::set_up(int program_level, std::vector<std::string>* problems) {
  started_ns_ = base::monotonic_ns();
  process_id_ = getpid();
  is_verbose_ = settings_.flag("TUTTI_VERBOSE");
  is_reporting_ = settings_.text("TUTTI_REPORT") != "none" && !settings_.text("TUTTI_REPORT").empty();
  plan_budget_.set_limit(settings_.number("TUTTI_PLAN_CACHE"));
  share_rules(problems);
  name_outputs(problems);
  const std::string_view wait = settings_.text("TUTTI_WAIT");
  engine::from_string(wait == "auto" ? "automatic" : wait, &options_.wait_policy);
  options_.window = static_cast<uint32_t>(settings_.number("TUTTI_WINDOW"));
  options_.tuning_budget_permille = static_cast<uint32_t>(settings_.number("TUTTI_TUNE_BUDGET"));
  if (is_reporting_) observers_.add(report_, collective::Times::of_some);

  // All ranks carry out every step up to the agreement, even after a failure, so that no rank waits in vain.
  if (Status status = find_nodes(problems); !status) return status;
  find_links();
  start_tuning();
  if (const Status status =
          record_.open(settings_, private_comm_, machine_of_world_rank_, is_spawned(), record_description());
      !status)
    problems->push_back("TUTTI_RECORD: " + status.message() + "; this rank is not recorded");
  if (const Status status = record_.keep_clocks(settings_, private_comm_, machine_of_world_rank_); !status)
    problems->push_back("TUTTI_RECORD_CLOCK_SYNC_INTERVAL: " + status.message() +
                        "; clocks are compared when the run begins and ends");
  if (record_.observer() != nullptr) {
    observers_.add(*record_.observer());
    stand_between(recorded_messages);
  }
  prepare_device_memory();
  Status local = prepare_datatypes(private_comm_);
  if (local) local = make_comm_keyval(&comm_keyval_);
  if (local) local = watch_self();
  if (local) local = native_entry_barriers_.open();
  if (local) local = twins_.open(agreement_comm_, communicator_of_twin);
  if (!all_agree(private_comm_, local.is_ok()))
    return local ? Status::internal("another rank could not be set up") : local;
  share_nodes();
  start_progress(program_level, problems);
  is_multithreaded_ = !all_agree(private_comm_, program_level != MPI_THREAD_MULTIPLE);
  prepare_early_calls(problems);
  open_agents(problems);
  reset_ids();
  adopt_world(*this);
  naps_in_init_ = engine::nap_count();
  return {};
}

/// Rank 0 reads the rules files for all ranks: other jobs may be writing learned rules, and all ranks need the same.
void Runtime::share_rules(std::vector<std::string>* problems) {
  std::vector<select::RulesText> files;
  if (world_rank_ == 0) files = select::read_rules_files(settings_, problems);
  uint64_t count = files.size();
  PMPI_Bcast(&count, 1, MPI_UINT64_T, 0, private_comm_);
  files.resize(count);
  for (select::RulesText& file : files) {
    share_text(&file.name, private_comm_);
    share_text(&file.text, private_comm_);
  }
#ifdef OPEN_MPI
  constexpr std::string_view mpi = "openmpi";
#else
  constexpr std::string_view mpi = "mpich";
#endif
  selector_ = select::Selector::from_settings(settings_, files, problems, mpi);
}

/// Compares the settings of all ranks: different settings would lead to different decisions, and to a deadlock.
Status Runtime::agree_on_settings() const {
  int* tag_ub = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag_ub, &found);
  const bool has_tags = found && *tag_ub >= k_needed_tag_ub;
  const uint64_t mine = settings_.fingerprint();
  uint64_t most[3] = {mine, ~mine, has_tags ? 0u : 1u};  // maximum; complement of the minimum; lacks tags
  const int code = PMPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_UINT64_T, MPI_MAX, private_comm_);
  if (code != MPI_SUCCESS) return mpi_error("the ranks cannot compare their settings", code);
  if (most[2] != 0) return Status::not_supported("this MPI has tags of less than 28 bits");
  if (most[0] != ~most[1])
    return Status::invalid_argument("the ranks have different TUTTI_* settings; give all the same");
  return {};
}

Status Runtime::find_nodes(std::vector<std::string>* problems) {
  int size = 0;
  PMPI_Comm_size(private_comm_, &size);
  const topology::NodeIdentity mine = topology::this_node_identity();
  std::vector<topology::NodeIdentity> all(static_cast<size_t>(size));
  if (const int code =
          PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, private_comm_);
      code != MPI_SUCCESS)
    return mpi_error("the ranks cannot tell each other their nodes", code);
  node_of_world_rank_ = topology::node_of_each_rank(all);
  machine_of_world_rank_ = topology::machine_of_each_rank(all);
  auto cpus = find_cpu_place(private_comm_, machine_of_world_rank_);
  if (!cpus) return cpus.status();
  cpu_place_ = std::move(*cpus);
  options_.cpu_share = cpu_place_.share;
  engine::prepare_thread_for_naps();
  const std::string_view wanted = settings_.text("TUTTI_NODES");
  if (wanted.empty()) return {};
  auto prescribed = topology::parse_nodes(wanted, size);
  const Status status = prescribed ? topology::check_nodes(*prescribed, all) : prescribed.status();
  if (status)
    node_of_world_rank_ = std::move(*prescribed);
  else
    problems->push_back(status.message() + "; ignored");
  return {};
}

/// Determines the speed of the links between nodes: the built-in rules are for links of 1 Gbit/s.
void Runtime::find_links() {
  const auto& nodes = node_of_world_rank_;
  if (std::ranges::adjacent_find(nodes, std::not_equal_to{}) == nodes.end()) return;
  const std::string_view wanted = settings_.text("TUTTI_LINKS");
  links_ = wanted == "auto" ? probe_links(private_comm_, nodes) : select::Links::said(wanted == "slow");
  selector_.set_slow_links(links_->are_slow);
  log_verbose("between nodes: " + links_->description());
}

/// Sets up shared memory. Tutti works without it, but more slowly inside a node.
void Runtime::share_nodes() {
  const Status status = node_shared_memory_.set_up(private_comm_, node_of_world_rank_, settings_);
  if (!status) log(status.message() + "; ranks of this node use the MPI instead");
}

/// On shared cores, ranks are late because other ranks occupy their cores, and an agent would compete for them, too.
bool Runtime::has_cores_for_ranks() const {
  return options_.cpu_share != base::CpuShare::shared;
}

void Runtime::open_agents(std::vector<std::string>* problems) {
  const std::string_view wanted = settings_.text("TUTTI_AGENTS");
  const bool are_wanted = wanted == "on" || (wanted != "off" && selector_.wants_agents());
  const bool looks_for_late =
      links_ && links_->are_slow && options_.tuning != collective::Options::Tuning::off;
  may_open_agents_ = !are_wanted && looks_for_late && wanted != "off" &&
                     settings_.text("TUTTI_TRANSPORT") != "mpi" &&
                     (wanted == "late" || all_agree(private_comm_, has_cores_for_ranks()));
  options_.knows_arrivals = looks_for_late && (are_wanted || may_open_agents_);
  if (options_.knows_arrivals) clock_ = GlobalClock(private_comm_, machine_of_world_rank_);
  if (!are_wanted)
    return selector_.set_no_agents(may_open_agents_
                                       ? "there are no agents before ranks come late (TUTTI_AGENTS)"
                                       : "there are no agents (TUTTI_AGENTS)");
  const Status status = open_agents_over(private_comm_);
  selector_.set_no_agents(status ? std::string() : "there are no agents: " + status.message());
  if (!status) problems->push_back("TUTTI_AGENTS: no agents: " + status.message());
}

Status Runtime::open_agents_over(MPI_Comm world) {
  has_tried_agents_ = true;
  Status status = agents_.open(world, node_of_world_rank_, cpu_place_.place.can_have_two_cores,
                               node_shared_memory_, settings_);
  if (status) log_verbose("every node has agents");
  return status;
}

void Runtime::open_agents_late(MPI_Comm world) {
  if (has_tried_agents_) return;
  if (const Status status = open_agents_over(world); !status)
    log_verbose("ranks come late, and there are no agents: " + status.message());
}

void Runtime::start_tuning() {
  const std::string_view wanted = settings_.text("TUTTI_TUNE");
  if (wanted == "off") return;
  using Tuning = collective::Options::Tuning;
  options_.tuning = wanted == "all" ? Tuning::all : Tuning::on;
}

void Runtime::start_progress(int program_level, std::vector<std::string>* problems) {
  progress_.set_wait(options_.wait_policy, options_.cpu_share);
  log_verbose("ranks wait by TUTTI_WAIT=" + std::string(settings_.text("TUTTI_WAIT")) +
              "; the processors of this one are " + cpu_place_.description);
  const bool could_serve =
      options_.tuning == collective::Options::Tuning::all ||
      selector_.could_serve_nonblocking(topology::Topology::from_node_of_rank(node_of_world_rank_).value());
  const World world{.comm = private_comm_,
                    .rank = world_rank_,
                    .rank_count = world_size(),
                    .place = cpu_place_.place,
                    .could_serve = could_serve};
  if (settings_.text("TUTTI_OVERLAP") != "off") progress_.look_after(early_calls_.jobs());
  progress_.start(settings_, program_level, world, problems);
  if (progress_.has_seats()) options_.modes.push_back({.mode = select::ProgressMode::thread_shared});
  if (progress_.has_choice()) options_.modes.push_back({.mode = select::ProgressMode::in_call});
  open_network(problems);
  log_verbose("nonblocking collectives: " + progress_description());
  if (progress_.is_serving()) prepare_restarts();
  static const int registered = pthread_atfork(before_fork, nullptr, forget_progress);
  static_cast<void>(registered);
}

void Runtime::open_network(std::vector<std::string>* problems) {
  auto opened = open_ucx_network(private_comm_, node_of_world_rank_, settings_, progress_);
  if (!opened) {
    const std::string obstacle = "messages go through the MPI: " + opened.status().message();
    network_description_ = "; " + obstacle;
    if (settings_.text("TUTTI_TRANSPORT") != "auto") problems->push_back("TUTTI_TRANSPORT: " + obstacle);
    return;
  }
  ucx_network_ = std::move(*opened);
  if (ucx_network_ == nullptr) return;
  network_description_ = "; messages go over " + std::string(ucx_network_->name());
  progress_.use(*ucx_network_);
}

std::string Runtime::progress_description() const {
  return progress_.description() + network_description_;
}

void Runtime::prepare_restarts() {
  requests_.can_restart = all_agree(private_comm_, starts_reach_us() && requests_.completions.open().is_ok());
}

/// Early-return calls need a progress thread on every rank that carries them out while the program computes.
void Runtime::prepare_early_calls(std::vector<std::string>* problems) {
  if (settings_.text("TUTTI_OVERLAP") == "off") return;
  const auto refuse = [&](const std::string& why) {
    problems->push_back("TUTTI_OVERLAP: blocking collectives wait for their data, because " + why);
  };
  if (!progress_.has_thread()) return refuse("there is no progress thread (" + progress_.description() + ")");
  const auto collectives = collective::parse_early_collectives(settings_.text("TUTTI_OVERLAP_COLLECTIVES"));
  if (!collectives) return refuse("TUTTI_OVERLAP_COLLECTIVES: " + collectives.status().message());
  find_guards(problems);
  if (is_multithreaded_) early_calls_.watch_threads();
  options_.early_collectives = *collectives;
  options_.least_early_bytes = settings_.number("TUTTI_OVERLAP_BYTES");
  options_.traces_accesses = settings_.text("TUTTI_OVERLAP") == "trace";
}

/// A rank without a guard waits inside its calls, which does not affect the other ranks.
void Runtime::find_guards(std::vector<std::string>* problems) {
  std::string why = "the program calls PMPI_* itself";  // possibly with data that has not arrived
  if (!program_passes_by())
    why = early_calls_.find_guards(settings_.text("TUTTI_OVERLAP_GUARD"), ucx_network_ == nullptr);
  if (early_calls_.guards().empty())
    return problems->push_back("TUTTI_OVERLAP: calls of rank 0 wait for their data: " + why);
  log_verbose("buffers are guarded by " + std::string(to_string(early_calls_.guards().front())) +
              " in units of " + base::format_bytes(overlap::guard::unit_bytes()));
}

/// Waits for early calls, because a child process would have the guarded pages but no thread that completes them.
void Runtime::before_fork() {
  Runtime* const runtime = get();
  if (runtime != nullptr && runtime->process_id_ == getpid()) runtime->early_calls_.await();
}

/// Called in a forked child, which has none of Tutti's threads and must not use MPI.
void Runtime::forget_progress() {
  if (Runtime* runtime = get()) {
    runtime->progress_.abandon();
    runtime->agents_.abandon();
  }
}

/// Sets an attribute of MPI_COMM_SELF whose deletion calls stop(). MPI_Finalize first deletes these attributes, in
/// reverse order of their creation (MPI 4.0, section 11.2.4), so the program's callbacks, which may communicate, have
/// run by then.
Status Runtime::watch_self() {
  const auto freed = [](MPI_Comm, int keyval, void*, void*) {
    if (Runtime* const runtime = get()) {
      runtime->self_keyval_ = MPI_KEYVAL_INVALID;
      PMPI_Comm_free_keyval(&keyval);
      stop();
    }
    return MPI_SUCCESS;
  };
  int code = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, freed, &self_keyval_, nullptr);
  if (code == MPI_SUCCESS) code = PMPI_Comm_set_attr(MPI_COMM_SELF, self_keyval_, nullptr);
  return code == MPI_SUCCESS ? Status{} : mpi_error("MPI_COMM_SELF takes no attribute", code);
}

}  // namespace tutti::mpi
