#pragma once
// Carries out nonblocking collectives after their calls have returned: by a progress thread, or by the program's own
// threads while they are inside MPI calls that wait or test.

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/settings.hpp"
#include "base/short_way.hpp"
#include "engine/inline_progress.hpp"
#include "engine/progress_thread.hpp"
#include "engine/signal.hpp"
#include "engine/wait_policy.hpp"
#include "mpi/progress/progress_delegate.hpp"
#include "mpi/progress/taken_over.hpp"
#include "overlap/early_return_jobs.hpp"
#include "select/candidate.hpp"
#include "topology/core_choice.hpp"
#include "transport/mpi/mpi_endpoint.hpp"
#include "transport/network.hpp"

namespace tutti::mpi {

/// Facts about the ranks of the job that drivers need.
struct World {
  MPI_Comm comm = MPI_COMM_NULL;  // a private one
  int rank = 0;
  int rank_count = 1;
  topology::MaskPlace place;  // this rank's
  bool could_serve = true;    // Tutti may serve calls that do not block, by rules or by run-time selection
};

/// Any thread, except start(), hand_over(), stop() and abandon().
///
/// The mode of a job may differ between ranks. Whether there is a progress thread must be the same on all ranks.
class ProgressEngine {
 public:
  /// Facts that the ranks exchange before they decide.
  struct Facts {
    int32_t has_multiple = 0;
    int32_t is_wanted = 0;    // is_wished, or the program references collectives that could be served so
    int32_t is_likely = 0;    // the same, and the references are not only those of a language binding
    int32_t is_wished = 0;    // demanded by a setting, or by the program's use of tutti/tutti.h
    int32_t is_threaded = 0;  // the program requested MPI_THREAD_MULTIPLE
    int32_t is_crowded = 0;   // the rank has less than one processing unit for each of its threads
    int32_t is_undriven = 0;  // the program may block in calls that make no progress
    int32_t is_one_sided = 0;
    int32_t has_locked_callbacks = 0;
    int32_t has_race_detector = 0;
  };

  /// Collective. `program_level`: the thread level that the program itself requested. An unavailable mode is replaced
  /// by another, which adds a line to `problems`.
  void start(const base::Settings& settings, int program_level, const World& world,
             std::vector<std::string>* problems);
  /// Ends the progress thread; the program's threads carry out pending and later jobs in their MPI calls. Called while
  /// the process exits, or in MPI_Finalize, where MPICH permits no calls of other threads. A thread that has not ended
  /// within that time does so when it returns from the MPI. Local.
  void hand_over(uint64_t within_ns);
  /// The same for another thread of Tutti's, which has ended: `step` makes progress on its work until end_taken_over().
  void take_over(std::function<bool()> step);
  void end_taken_over();
  /// Called after hand_over(): drives until no job is pending, without a time limit for the other ranks.
  void stop();
  /// Called in a forked child, which has no progress thread and must not use MPI.
  void abandon();

  /// Called before start(). `jobs`: calls that have returned early. While there are any, the thread makes progress for
  /// the MPI, too: their callers may wait outside MPI while peers wait for messages that the program has begun to send.
  void look_after(const overlap::EarlyReturnJobs& jobs) { early_return_jobs_ = &jobs; }

  /// Sets how threads wait for jobs.
  void set_wait(engine::WaitPolicy policy, base::CpuShare share);

  /// True if nonblocking collectives can be served. The same on all ranks, as is has_thread().
  bool is_serving() const { return serves_.is_there(); }
  bool has_thread() const { return thread_ != nullptr; }
  /// True if Facts::is_likely holds on any rank, unless nonblocking collectives are left to the MPI because threads of
  /// the program share their cores. The same on all ranks.
  bool is_likely() const { return is_likely_; }
  /// True if a call may choose between the thread and progress inside MPI calls. The same on all ranks.
  bool has_choice() const { return has_choice_; }
  /// True if a call may choose between a core that the computation leaves free and the cores of the computation for the
  /// thread. The same on all ranks.
  bool has_seats() const { return has_seats_; }
  /// True if the thread has a core that the computation leaves free. May differ between ranks.
  bool has_spare_core() const { return has_spare_core_; }
  /// One line: the mode, its cores and the reason.
  const std::string& description() const { return description_; }

  /// If is_serving(): the driver for a job whose engine has no others. An unavailable mode is replaced by an available
  /// one. A program that requested MPI_THREAD_MULTIPLE gets the progress thread if there is one: one of its threads may
  /// block in the MPI while another one starts a collective that the first would have to drive.
  engine::Driver& driver_for(select::ProgressMode mode);
  engine::InlineProgress& in_call() { return in_call_; }

  /// The driver for agreements. If only blocking calls are served, agreements make progress in drive_agreements() only,
  /// so that other MPI calls have no overhead.
  engine::Driver& for_agreements() {
    return is_serving() ? driver_for(select::ProgressMode::automatic) : agreements_;
  }
  /// Makes one progress step on agreements, if no thread drives them.
  void drive_agreements();
  /// Waits for the end of an agreement.
  void await_agreement(engine::Signal& end);

  /// True if a thread that blocks in an MPI call has to drive meanwhile. One or two loads.
  bool must_drive() const { return in_call_.has_jobs() || drives_always_; }
  /// Makes one progress step, if there is something to drive. True if there was progress.
  bool drive() {
    if (in_call_.has_jobs()) return in_call_.progress();
    const bool is_looked_after = thread_ != nullptr && thread_->is_running();
    if (is_looked_after) thread_->keep_up();
    return network_ != nullptr && !is_looked_after && network_->make_progress();
  }
  /// Drives until `is_done()`, which calls the MPI.
  template <class IsDone>
  void drive_until(IsDone is_done) {
    engine::Waiter waiter(wait_policy_, cpu_share_);
    while (!is_done()) {
      if (drive())
        waiter.busy();
      else
        waiter.idle();
    }
  }
  /// Waits for the end of a job of any driver.
  void await(engine::Signal& end);

  /// From now on until stop(), jobs may use this network and make no progress for the MPI. Peers may still need this
  /// rank's MPI for the program's own messages, so a thread that waits for a job makes progress for the MPI, or the
  /// progress thread does so for it. The network gets progress even without jobs.
  void use(transport::Network& network);
  /// Makes progress for the MPI if use() has been called. For any thread that waits outside the MPI.
  void keep_mpi_alive() const {
    if (network_ != nullptr) make_mpi_progress();
  }
  void make_mpi_progress() const { transport::make_mpi_progress(comm_, rank_); }

  /// If has_thread(): the thread drives instead of this rank, until end_delegation().
  void begin_delegation() {
    if (thread_->is_running()) delegate_.begin(*thread_);
  }
  void end_delegation() { delegate_.end(); }
  /// Collective over `comm`. Drives until all ranks have called it.
  void meet(MPI_Comm comm);

 private:
  /// Collective. Returns the obstacle; empty: the thread runs.
  std::string start_thread(const base::Settings& settings, const World& world, topology::CoreMode mode);
  void start_in_call(const std::string& obstacle);
  /// Called if there is no thread to carry out nonblocking collectives.
  void do_without_thread(const std::string& obstacle, bool is_undriven, std::vector<std::string>* problems);

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  transport::Network* network_ = nullptr;
  const overlap::EarlyReturnJobs* early_return_jobs_ = nullptr;  // nullptr: no call returns early
  bool is_wanted_ = false, is_likely_ = false;
  base::ShortWay::Reason serves_;
  bool drives_always_ =
      false;  // a thread may block while another one starts a collective, or the network needs progress
  bool has_choice_ = false;
  bool has_seats_ = false;
  bool is_program_threaded_ = false;  // on any rank
  bool has_spare_core_ = false;
  engine::WaitPolicy wait_policy_ = engine::WaitPolicy::automatic;
  base::CpuShare cpu_share_ = base::CpuShare::own;
  base::CpuShare boosted_share_ =
      base::CpuShare::own;  // while this rank waits for the progress thread, which may be on the same core
  std::string description_ = "off";
  engine::InlineProgress in_call_;
  engine::InlineProgress agreements_;  // used if is_serving() is false
  Delegate delegate_{in_call_};
  TakenOver jobs_taken_over_, step_taken_over_;
  size_t steps_taken_over_ = 0;  // number of take_over() jobs in in_call_: at most one
  std::unique_ptr<engine::ProgressThread> thread_;
};

}  // namespace tutti::mpi
