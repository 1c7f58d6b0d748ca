#pragma once
// What carries nonblocking collectives out after their calls have returned: a progress thread, or the
// program's own threads, whenever they are inside MPI calls that wait or test.

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
#include "mpi/lifecycle/delegate.hpp"
#include "mpi/lifecycle/taken_over.hpp"
#include "overlap/early_jobs.hpp"
#include "select/candidate.hpp"
#include "topology/core_choice.hpp"
#include "transport/mpi/mpi_endpoint.hpp"
#include "transport/network.hpp"

namespace tutti::mpi {

/// The ranks of the job, as far as drivers are concerned.
struct World {
  MPI_Comm comm = MPI_COMM_NULL;  // a private one
  int rank = 0;
  int rank_count = 1;
  topology::MaskPlace place;  // this rank's
  bool could_serve = true;    // there are rules that take calls which do not block away from the native MPI
};

/// Any thread, but for start(), hand_over(), stop() and abandon().
///
/// Which mode a job gets is this rank's own business: peers do not notice. What one rank alone must not
/// decide is whether there is a thread at all.
class ProgressEngine {
 public:
  /// What the ranks tell each other before they decide.
  struct Facts {
    int32_t has_multiple = 0;
    int32_t is_wanted = 0;    // the program calls collectives that could be served so, or the setting says so
    int32_t is_likely = 0;    // and it names them because it calls them
    int32_t is_wished = 0;    // the setting says so, or the program's own words (tutti/tutti.h)
    int32_t is_threaded = 0;  // it asked for MPI_THREAD_MULTIPLE
    int32_t is_crowded = 0;   // the rank has less than a processing unit for each of its threads
    int32_t is_undriven = 0;  // it may block in calls that do not drive
    int32_t is_one_sided = 0;
    int32_t has_locked_callbacks = 0;
    int32_t has_race_detector = 0;
  };

  /// Collective. `program_level`: the thread level that the program itself asked for. A mode that cannot be
  /// had is replaced by another, and one line says so.
  void start(const base::Settings& settings, int program_level, const World& world,
             std::vector<std::string>* problems);
  /// The thread leaves, and the program's threads carry out in their MPI calls what is under way and what comes: while
  /// the process exits, or in MPI_Finalize, where MPICH takes no calls of other threads. A thread that has not left
  /// within that time does so when it returns from the MPI. This rank's own business.
  void hand_over(uint64_t within_ns);
  /// The same for another thread of Tutti's, which has left: `step` moves on what it did, until end_taken_over().
  void take_over(std::function<bool()> step);
  void end_taken_over();
  /// After hand_over(): drives until nothing is under way, however long the other ranks take.
  void stop();
  /// In a forked child, which has no thread and must not use MPI.
  void abandon();

  /// Before start(): calls that have returned early. While there are any, the thread makes progress for the MPI, too:
  /// their callers may wait outside of it, and peers for messages that the program has begun to send.
  void look_after(const overlap::EarlyJobs& jobs) { early_jobs_ = &jobs; }

  /// How threads wait for what they do not carry out themselves.
  void set_wait(engine::WaitPolicy policy, base::CpuShare share);

  /// Nonblocking collectives can be served. The same on all ranks, as is has_thread().
  bool is_serving() const { return serves_.is_there(); }
  bool has_thread() const { return thread_ != nullptr; }
  /// The program calls collectives that do not block and could be served, and it is more than a binding for another
  /// language that names them; or the setting says so. The same on all ranks.
  bool is_likely() const { return is_likely_; }
  /// A call may choose between the thread and MPI calls. The same on all ranks.
  bool has_choice() const { return has_choice_; }
  /// The thread may run on a core that computation leaves free, or on those of the computation. The same on
  /// all ranks.
  bool has_seats() const { return has_seats_; }
  /// The thread has a core that computation leaves free; this rank's own business.
  bool has_spare_core() const { return has_spare_core_; }
  /// One line: what runs, where, and why.
  const std::string& description() const { return description_; }

  /// Where is_serving(): the driver for a job whose engine has no others. What cannot be had becomes what
  /// can. A program that asked for MPI_THREAD_MULTIPLE gets the thread where there is one: one of its threads
  /// may sleep in the MPI while another one starts a collective, and would have to drive it.
  engine::Driver& driver_for(select::ProgressMode mode);
  engine::InlineProgress& in_call() { return in_call_; }

  /// The driver for what the ranks agree on. Where nothing is served but blocking calls, no other call of MPI
  /// should take a detour for it: it moves on in drive_agreements() alone.
  engine::Driver& for_agreements() {
    return is_serving() ? driver_for(select::ProgressMode::automatic) : agreements_;
  }
  /// One step, where no thread drives them.
  void drive_agreements();
  /// Waits for the end of one.
  void await_agreement(engine::Signal& end);

  /// A thread that blocks in an MPI call has to drive meanwhile. One or two loads.
  bool must_drive() const { return in_call_.has_jobs() || drives_always_; }
  /// One step, where there is something to drive. True when something moved.
  bool drive() {
    if (in_call_.has_jobs()) return in_call_.progress();
    const bool is_looked_after = thread_ != nullptr && thread_->is_running();
    if (is_looked_after) thread_->keep_up();
    return network_ != nullptr && !is_looked_after && network_->make_progress();
  }
  /// Drives until `is_done()`, which asks the MPI.
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

  /// From now on jobs may use this network and leave the MPI alone, until stop(). Peers may still need this rank's
  /// MPI for the program's own messages, so a thread that waits for a job moves the MPI on, or the progress thread does
  /// so for it. The network is moved on while there are no jobs, too.
  void use(transport::Network& network);
  /// Where that is so. Any thread that waits for something else than a call of the MPI.
  void keep_mpi_alive() const {
    if (network_ != nullptr) make_mpi_progress();
  }
  void make_mpi_progress() const { transport::make_mpi_progress(comm_, rank_); }

  /// Where has_thread(): it drives in place of this rank, until the rank is back.
  void begin_delegation() {
    if (thread_->is_running()) delegate_.begin(*thread_);
  }
  void end_delegation() { delegate_.end(); }
  /// Collective over `comm`. Drives until all ranks are here.
  void meet(MPI_Comm comm);

 private:
  /// Collective. What is in the way, if anything.
  std::string start_thread(const base::Settings& settings, const World& world, topology::CoreMode mode);
  void start_in_call(const std::string& obstacle);
  /// Where no thread can carry them out.
  void do_without_thread(const std::string& obstacle, bool is_undriven, std::vector<std::string>* problems);

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  transport::Network* network_ = nullptr;
  const overlap::EarlyJobs* early_jobs_ = nullptr;  // nullptr: there never are any
  bool is_wanted_ = false, is_likely_ = false;
  base::ShortWay::Reason serves_;
  bool drives_always_ =
      false;  // a thread may block while another one starts a collective, or the network waits
  bool has_choice_ = false;
  bool has_seats_ = false;
  bool is_program_threaded_ = false;  // on any rank
  bool has_spare_core_ = false;
  engine::WaitPolicy wait_policy_ = engine::WaitPolicy::automatic;
  base::CpuShare cpu_share_ = base::CpuShare::own;
  base::CpuShare hurried_share_ =
      base::CpuShare::own;  // while the thread works for this rank, on the same core perhaps
  std::string description_ = "off";
  engine::InlineProgress in_call_;
  engine::InlineProgress agreements_;  // where is_serving() is false
  Delegate delegate_{in_call_};
  TakenOver jobs_taken_over_, step_taken_over_;
  size_t steps_taken_over_ = 0;  // in in_call_: at most one
  std::unique_ptr<engine::ProgressThread> thread_;
};

}  // namespace tutti::mpi
