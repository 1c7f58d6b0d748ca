#include "mpi/node/agents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/member.hpp"
#include "mpi/native/agreement.hpp"
#include "mpi/network/ucx_network.hpp"
#include "transport/mpi/mpi_network.hpp"

namespace tutti::mpi {

using base::Status;
using topology::Rank;

namespace {

/// Numbers for arena regions that are not a communicator's memory for schedules.
constexpr uint32_t k_flags_region = uint32_t{1} << 31, k_board_region = uint32_t{1} << 30;

std::vector<Rank> ranks_on(int32_t node, std::span<const int32_t> node_of_world_rank) {
  std::vector<Rank> ranks;
  for (size_t rank = 0; rank < node_of_world_rank.size(); ++rank)
    if (node_of_world_rank[rank] == node) ranks.push_back(static_cast<Rank>(rank));
  return ranks;
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

/// Shape of a region that is mainly memory; the other parts are minimal.
node::RegionShape shape_of(uint64_t memory_bytes) {
  return {.slots = 2, .blocks = 4, .block_bytes = 256, .memory_bytes = memory_bytes};
}

std::span<std::byte> memory_of(const node::Region& region) {
  return {region.base() + region.layout().memory(0), region.layout().shape().memory_bytes};
}

}  // namespace

Status Agents::open(MPI_Comm world, std::span<const int32_t> node_of_world_rank, bool has_two_cores,
                    NodeSharedMemory& shared_memory, const base::Settings& settings) {
  const auto first = node_of_world_rank.front();
  if (std::ranges::count(node_of_world_rank, first) == std::ssize(node_of_world_rank))
    return Status::not_supported("there is only one node");
  shared_memory_ = &shared_memory;
  thread_has_core_ = has_two_cores;
  if (Status opened = open_network(world, node_of_world_rank.size(), settings); !opened) return opened;
  Status status = open_bells(world, node_of_world_rank);
  is_open_ = status.is_ok();
  if (!is_open_) close_network();
  return status;
}

/// Prefers UCX, because it needs no higher thread level.
Status Agents::open_network(MPI_Comm world, size_t rank_count, const base::Settings& settings) {
  std::string obstacle = "TUTTI_TRANSPORT asks for the MPI";
  if (settings.text("TUTTI_TRANSPORT") != "mpi") {
    using Opened = base::Result<std::unique_ptr<transport::Network>>;
    Opened network = Status::not_supported("UCX may know less of this network than the MPI does");
    if (ucx_suits(world)) network = connect_ucx(world, rank_count);
    if (network) {
      network_ = std::move(*network);
      return {};
    }
    obstacle = network.status().message();
  }
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  if (!all_agree(world, level == MPI_THREAD_MULTIPLE))
    return Status::not_supported(obstacle + ", and the program's MPI has no MPI_THREAD_MULTIPLE");
  const bool has_comm = PMPI_Comm_dup(world, &comm_) == MPI_SUCCESS;
  if (!all_agree(world, has_comm)) return Status::not_supported("a communicator cannot be duplicated");
  PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  network_ = std::make_unique<transport::MpiNetwork>(comm_);
  return {};
}

Status Agents::open_bells(MPI_Comm world, std::span<const int32_t> node_of_world_rank) {
  const uint64_t token = common_token(world);
  const int32_t node = node_of_world_rank[static_cast<size_t>(rank_in(world))];
  processes_ = ranks_on(node, node_of_world_rank);
  const auto name = [&](uint32_t process) {
    return fmt::format("tutti-agent-{:016x}-{}-{}", token, node, process);
  };
  for (uint32_t process = 0; process < processes_.size(); ++process)
    addresses_.push_back(agent::doorbell_address(name(process)));
  Status status = find_flags();
  if (status) {
    auto bell =
        agent::AgentDoorbell::open(name(shared_memory_->process()), flags_[shared_memory_->process()]);
    auto ringer = agent::DoorbellSender::open();
    if (bell) bell_.emplace(std::move(*bell));
    if (ringer) ringer_.emplace(std::move(*ringer));
    status = bell ? ringer.status() : bell.status();
  }
  const auto refuse = [](const Status& mine) {
    return mine ? Status::not_supported("another rank has no bell for its agents") : mine;
  };
  if (!all_agree(world, status.is_ok())) return refuse(status);
  if (!reach_bells()) status = Status::not_supported("processes of a node cannot ring each other");
  return all_agree(world, status.is_ok()) ? Status{} : refuse(status);
}

Status Agents::find_flags() {
  flags_ = &lone_flag_;
  if (processes_.size() < 2) return {};
  if (shared_memory_->arena() == nullptr) return Status::not_supported("the ranks of a node share no memory");
  const uint32_t process = shared_memory_->process();
  constexpr uint64_t k_granule = 128;
  const uint64_t bytes =
      (processes_.size() * sizeof(agent::AgentDoorbellFlag) + k_granule - 1) / k_granule * k_granule;
  region_ =
      node::Region::acquire(*shared_memory_->arena(), {.communicator = k_flags_region, .members = processes_},
                            {.index = process, .process = process}, shape_of(bytes));
  if (!region_.status()) return region_.status();
  flags_ = reinterpret_cast<agent::AgentDoorbellFlag*>(memory_of(region_).data());
  new (&flags_[process]) agent::AgentDoorbellFlag{};
  return {};
}

bool Agents::reach_bells() const {
  return std::ranges::all_of(addresses_, [this](const sockaddr_un& bell) { return ringer_->send(bell); });
}

uint32_t Agents::process_of(Rank world_rank) const {
  return static_cast<uint32_t>(std::ranges::lower_bound(processes_, world_rank) - processes_.begin());
}

Status Agents::add(std::unique_ptr<agent::CommunicatorAgent> communicator_agent,
                   std::function<void()> after) {
  const std::lock_guard lock(mutex_);
  if (Status started = start_thread(); !started) return started;
  thread_->add(std::move(communicator_agent), std::move(after));
  return {};
}

Status Agents::start_thread() {
  if (thread_ != nullptr) return {};
  auto started = agent::AgentThread::start(*network_, *bell_, thread_has_core_);
  if (started) thread_ = std::move(*started);
  return started.status();
}

/// Starts the thread first if it has not been needed yet, so that agents which are added later are driven like those of
/// an ended thread.
void Agents::hand_over(ProgressEngine& progress, uint64_t within_ns) {
  const std::lock_guard lock(mutex_);
  if (!is_open_ || has_left_ || !start_thread()) return;
  has_left_ = true;
  thread_->hand_over(within_ns);
  progress.take_over([this] { return thread_->progress(); });
}

void Agents::close(MPI_Comm world, ProgressEngine& progress) {
  if (!is_open_) return;
  is_open_ = false;
  progress.drive_until([&] {
    progress.make_mpi_progress();
    return thread_ == nullptr || thread_->station_count() == 0;
  });
  progress.meet(world);  // peers may still be reading what an agent has sent
  progress.end_taken_over();
  if (thread_ != nullptr) thread_->stop();  // ends at once, because the thread has no work left
  thread_.reset();
  close_network();
}

void Agents::close_network() {
  if (comm_ == MPI_COMM_NULL)
    leave_ucx(std::move(network_));
  else
    network_.reset();
  if (comm_ != MPI_COMM_NULL) PMPI_Comm_free(&comm_);
}

void Agents::abandon() {
  is_open_ = false;
  if (thread_ != nullptr) thread_->abandon();
  thread_.reset();
  static_cast<void>(network_.release());
}

AgentAccess::AgentAccess(Agents& agents, uint32_t communicator_id, const topology::Topology& topology,
                         int rank, std::span<const int> world_ranks)
    : agents_(agents),
      id_(communicator_id),
      topology_(topology),
      rank_(rank),
      world_ranks_(world_ranks),
      is_home_(home_of(topology.node_of(rank)) == world_ranks[static_cast<size_t>(rank)]) {
  const auto on_node = topology_.ranks_of(topology_.node_of(rank));
  home_process_ = agents_.process_of(home_of(topology_.node_of(rank)));
  if (on_node.size() < 2) {
    // Short calls use little of it, and untouched pages take no memory.
    constexpr size_t k_lines = agent::Board::k_usual_bytes / sizeof(Line);
    private_memory_ = std::make_unique_for_overwrite<Line[]>(k_lines);
    board_ = agent::Board(std::as_writable_bytes(std::span(private_memory_.get(), k_lines)));
    return;
  }
  std::vector<Rank> members;
  for (const Rank member : on_node) members.push_back(world_ranks[static_cast<size_t>(member)]);
  region_ = node::Region::acquire(*agents_.shared_memory_->arena(),
                                  {.communicator = k_board_region | id_, .members = members},
                                  {.index = static_cast<uint32_t>(topology_.local_index(rank)),
                                   .process = agents_.shared_memory_->process()},
                                  shape_of(agent::Board::k_usual_bytes));
  if (region_.status()) board_ = agent::Board(memory_of(region_));
}

int AgentAccess::home_of(int32_t node) const {
  const auto ranks = topology_.ranks_of(node);
  return world_ranks_[static_cast<size_t>(ranks[id_ % ranks.size()])];
}

std::vector<int> AgentAccess::homes() const {
  std::vector<int> homes;
  for (int32_t node = 0; node < topology_.node_count(); ++node) homes.push_back(home_of(node));
  return homes;
}

bool AgentAccess::start(std::function<void()> after) {
  if (area_bytes() == 0) return false;
  board_.initialise();
  auto communicator_agent = std::make_unique<agent::CommunicatorAgent>(board_, topology_, rank_,
                                                                       *agents_.network_, homes(), id_ << 16);
  if (agents_.add(std::move(communicator_agent), std::move(after))) return true;
  board_ = {};
  return false;
}

Status AgentAccess::run(const collective::AgentCall& call, const engine::Bindings& bindings,
                        ProgressEngine& progress) {
  agent::Description whole = call.whole;
  if (const auto name = bindings.reducer == nullptr ? std::nullopt : bindings.reducer->name()) {
    whole.op = name->op;
    whole.element = name->element;
    whole.float_mode = name->mode;
  }
  // In place, the root of a scatter has no output; all other collectives have no input.
  const bool is_operand_in_output = call.in_place && whole.collective != algorithm::Collective::scatter;
  const bool reads_output = is_operand_in_output || whole.collective == algorithm::Collective::bcast;
  agent::BoardCall mine(board_, topology_, rank_, whole, next_,
                        {.input = reads_output ? bindings.output : bindings.input,
                         .output = bindings.output,
                         .in_place = call.in_place,
                         .blocks = call.parts == nullptr ? algorithm::Blocks{} : call.parts->get().blocks},
                        [this] { agents_.ring(home_process_); });
  next_ += agent::BoardCall::part_count(whole);
  progress.drive_until([&] {
    while (mine.progress()) continue;
    if (!mine.is_done()) progress.make_mpi_progress();  // peers may wait for this rank's other messages
    return mine.is_done();
  });
  return mine.status();
}

void AgentAccess::close() {
  if (area_bytes() == 0) return;
  board_.close();
  agents_.ring(home_process_);
}

}  // namespace tutti::mpi
