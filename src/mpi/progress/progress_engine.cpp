#include "mpi/progress/progress_engine.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>

#include "mpi/bootstrap/program_symbols.hpp"
#include "overlap/guard/mechanism.hpp"
#include "topology/core_choice.hpp"

namespace tutti::mpi {

using engine::ProgressThread;
using select::ProgressMode;
using topology::CoreMode;

void ProgressEngine::set_wait(engine::WaitPolicy policy, base::CpuShare share) {
  wait_policy_ = policy;
  cpu_share_ = share;
}

void ProgressEngine::start(const base::Settings& settings, int program_level, const World& world,
                           std::vector<std::string>* problems) {
  const std::string_view mode = settings.text("TUTTI_PROGRESS");
  comm_ = world.comm;
  rank_ = world.rank;
  boosted_share_ = world.place.can_have_two_cores ? cpu_share_ : base::CpuShare::shared;
  if (mode == "off") return;
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  const bool is_wished =
      mode != "auto" || settings.text("TUTTI_OVERLAP") != "off" || program_calls_collectives_of_ours();
  const Facts mine{.has_multiple = level == MPI_THREAD_MULTIPLE,
                   .is_wanted = is_wished || (world.could_serve && program_calls_nonblocking_collectives()),
                   .is_likely = is_wished || (world.could_serve && program_chooses_nonblocking_collectives()),
                   .is_wished = is_wished,
                   .is_threaded = program_level == MPI_THREAD_MULTIPLE,
                   .is_crowded = cpu_share_ == base::CpuShare::shared,
                   .is_undriven = program_makes_undriven_calls(),
                   .is_one_sided = program_uses_one_sided(),
                   .has_locked_callbacks = program_has_locked_callbacks(),
                   .has_race_detector = program_has_race_detector()};
  std::vector<Facts> all(static_cast<size_t>(world.rank_count));
  if (PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, world.comm) !=
      MPI_SUCCESS)
    return;
  const auto any = [&all](int32_t Facts::*fact) {
    return std::ranges::any_of(all, [fact](const Facts& facts) { return facts.*fact != 0; });
  };
  is_program_threaded_ = any(&Facts::is_threaded);
  is_wanted_ = any(&Facts::is_wanted);
  is_likely_ = any(&Facts::is_likely);
  if (!is_wanted_ && !world.could_serve) {
    description_ = "left to the MPI, as no rule asks for anything else";
    return;
  }
  if (is_program_threaded_ && any(&Facts::is_crowded) && !any(&Facts::is_wished)) {
    is_wanted_ = is_likely_ = false;
    description_ =
        "left to the MPI, as threads of the program share their cores (TUTTI_PROGRESS=thread serves them)";
    return;
  }
  const bool is_undriven = any(&Facts::is_undriven);
  if (mode == "inline") return do_without_thread({}, is_undriven, problems);
  std::string obstacle = "the MPI grants no MPI_THREAD_MULTIPLE";
  if (any(&Facts::has_race_detector))
    obstacle = "the program is built for a detector of data races, which watches the MPI's threads as well";
  else if (any(&Facts::is_one_sided))
    obstacle = "one-sided communication does better without MPI_THREAD_MULTIPLE";
  else if (any(&Facts::has_locked_callbacks))
    obstacle =
        "error handlers and generalized requests of the program may need an MPI without MPI_THREAD_MULTIPLE";
  if (std::ranges::all_of(all, [](const Facts& facts) { return facts.has_multiple != 0; })) {
    // A thread that may never be used does not justify an examination of the machine, which takes tens of milliseconds.
    const bool may_have_core = is_wanted_ && mode != "thread:shared";
    obstacle = start_thread(settings, world, may_have_core ? CoreMode::spare : CoreMode::shared);
  }
  has_choice_ = obstacle.empty() && mode == "auto" && !is_program_threaded_ && !is_undriven;
  if (!obstacle.empty() && is_wanted_) do_without_thread(obstacle, is_undriven, problems);
}

void ProgressEngine::do_without_thread(const std::string& obstacle, bool is_undriven,
                                       std::vector<std::string>* problems) {
  if (!is_undriven) {
    start_in_call(obstacle);
    if (!obstacle.empty())
      problems->push_back(obstacle + "; nonblocking collectives make progress inside MPI calls only");
    return;
  }
  // A rank that blocks in such a call would make no progress on operations that peers wait for.
  description_ = "left to the MPI, because the program may block in calls that make no progress for them";
  if (!obstacle.empty()) description_ += ", and " + obstacle;
  if (obstacle.empty())  // only then did a setting demand it
    problems->push_back(
        "TUTTI_PROGRESS=inline: nonblocking collectives are left to the MPI, because the program may "
        "block in one-sided, file or neighbourhood calls, which make no progress for them");
}

std::string ProgressEngine::start_thread(const base::Settings& settings, const World& world, CoreMode mode) {
  const topology::CoreChoice choice = topology::choose_own_cores(mode, world.place);
  engine::ProgressOptions options{.cores = choice.units,
                                  .boosted_wait = wait_policy_,
                                  .boosted_share = cpu_share_,
                                  .while_boosted = [this] { keep_mpi_alive(); },
                                  .beside_jobs = {},
                                  .at_start = overlap::guard::prepare_owner};
  if (early_return_jobs_ != nullptr)
    options.beside_jobs = [this] {
      if (!early_return_jobs_->is_empty()) make_mpi_progress();
    };
  const std::string_view wait = settings.text("TUTTI_PROGRESS_WAIT");
  engine::from_string(wait == "auto" ? "automatic" : wait, &options.wait);
  auto started = ProgressThread::start(options);
  std::array<int, 2> have_all = {started.is_ok(), choice.is_spare()};
  PMPI_Allreduce(MPI_IN_PLACE, have_all.data(), have_all.size(), MPI_INT, MPI_LAND, world.comm);
  if (have_all[0] == 0) return started ? "another rank has no progress thread" : started.status().message();
  thread_ = std::move(*started);
  has_spare_core_ = choice.is_spare();
  has_seats_ = have_all[1] != 0 && settings.text("TUTTI_PROGRESS") != "thread:spare";
  serves_.set(true);
  description_ = "thread, " + choice.reason;
  return {};
}

void ProgressEngine::start_in_call(const std::string& obstacle) {
  serves_.set(true);
  drives_always_ = is_program_threaded_;
  description_ = "inline" + (obstacle.empty() ? "" : ", because " + obstacle);
}

void ProgressEngine::hand_over(uint64_t within_ns) {
  if (thread_ == nullptr || !thread_->is_running()) return;
  thread_->hand_over(within_ns);
  jobs_taken_over_.begin(in_call_, [this] {
    const bool has_moved = thread_->progress();
    return (network_ != nullptr && network_->make_progress()) || has_moved;
  });
}

void ProgressEngine::take_over(std::function<bool()> step) {
  ++steps_taken_over_;
  step_taken_over_.begin(in_call_, std::move(step));
}

void ProgressEngine::end_taken_over() {
  if (std::exchange(steps_taken_over_, 0) == 0) return;
  step_taken_over_.end();
  drive();
}

void ProgressEngine::stop() {
  assert(thread_ == nullptr || !thread_->is_running());
  drive_until([&] {
    keep_mpi_alive();
    drive_agreements();
    if (thread_ != nullptr && !thread_->has_jobs()) jobs_taken_over_.end();
    return in_call_.job_count() == steps_taken_over_ && !agreements_.has_jobs();
  });
  serves_.set(false);
}

void ProgressEngine::use(transport::Network& network) {
  network_ = &network;
  if (thread_ != nullptr)
    thread_->look_after(network);
  else
    drives_always_ = true;
}

void ProgressEngine::abandon() {
  serves_.set(false);
  drives_always_ = false;
  network_ = nullptr;
  if (thread_ != nullptr) thread_->abandon();
}

engine::Driver& ProgressEngine::driver_for(ProgressMode mode) {
  const bool in_call = thread_ == nullptr || (mode == ProgressMode::in_call && !is_program_threaded_);
  if (in_call) return in_call_;
  if (mode == ProgressMode::thread_shared) return thread_->on_shared_cores();
  return *thread_;
}

void ProgressEngine::await(engine::Signal& end) {
  engine::Waiter waiter(wait_policy_, cpu_share_);
  while (!end.is_set()) {
    if (!must_drive()) {
      std::optional<ProgressThread::LatencyBoost> boost;
      if (thread_ != nullptr) boost.emplace(*thread_);
      return end.wait(wait_policy_, boosted_share_);
    }
    keep_mpi_alive();
    if (drive())
      waiter.busy();
    else
      waiter.idle();
  }
}

void ProgressEngine::drive_agreements() {
  if (agreements_.has_jobs()) agreements_.progress();
  const bool is_driven = thread_ != nullptr && thread_->is_running();
  if (!is_driven && in_call_.has_jobs()) in_call_.progress();
}

void ProgressEngine::await_agreement(engine::Signal& end) {
  if (thread_ != nullptr) return await(end);
  drive_until([&] {
    keep_mpi_alive();
    drive_agreements();
    return end.is_set();
  });
}

void ProgressEngine::meet(MPI_Comm comm) {
  MPI_Request all_are_here = MPI_REQUEST_NULL;
  if (PMPI_Ibarrier(comm, &all_are_here) != MPI_SUCCESS) return;
  drive_until([&] {
    int is_done = 0;
    return PMPI_Test(&all_are_here, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS || is_done != 0;
  });
}

}  // namespace tutti::mpi
