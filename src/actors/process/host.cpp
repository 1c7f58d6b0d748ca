#include "actors/process/host.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "actors/calls/call_table.hpp"
#include "actors/container/container.hpp"
#include "actors/loader/actor.hpp"
#include "actors/loader/program_copy.hpp"
#include "actors/loader/program_image.hpp"
#include "actors/process/container_notice.hpp"
#include "actors/process/coverage.hpp"
#include "actors/process/crashes.hpp"
#include "actors/process/own_files.hpp"
#include "base/futex.hpp"

namespace tutti::actors {

namespace {

/// Events of ranks, processed by the process's first thread. Any thread adds them.
class Events final : public LifeObserver {
 public:
  struct Event {
    int rank = 0;
    ContainerNotice notice = {};
    bool is_abort = false;  // the value is its code
    bool is_initialisation = false;
    bool is_load = false;  // its program is loaded, or cannot be
    bool is_end_of_record = false;
  };
  void add(Event event) {
    {
      const std::lock_guard lock(mutex_);
      events_.push_back(event);
    }
    ring();
  }
  void initialised(const Rank& rank) override { add({.rank = rank.world_rank(), .is_initialisation = true}); }
  void record_ends() override { add({.is_end_of_record = true}); }
  void aborts(const Rank& rank, int code) override {
    add({.rank = rank.world_rank(),
         .notice = {.kind = ContainerNotice::Kind::ended, .value = code},
         .is_abort = true});
  }
  /// Waits for the next event. Crashes come first: their rank does not continue.
  Event next() {
    for (;;) {
      const uint32_t seen = bell().load();
      if (const Crash crash = first_crash(); crash.signal != 0)
        return {.rank = crash.rank, .notice = {.kind = ContainerNotice::Kind::killed, .value = crash.signal}};
      {
        const std::lock_guard lock(mutex_);
        if (!events_.empty()) {
          const Event event = events_.front();
          events_.pop_front();
          return event;
        }
      }
      base::futex_wait(bell(), seen);
    }
  }

 private:
  static std::atomic<uint32_t>& bell() { return crash_bell(); }
  static void ring() {
    bell().fetch_add(1);
    base::futex_wake(&bell(), 1);
  }
  std::mutex mutex_;
  std::deque<Event> events_;
};

class Host {
 public:
  Host(const RankMap& rank_map, JobSettings settings, std::unique_ptr<JobRecord> job_record,
       std::vector<Launched> launched, const std::vector<int>& sockets, const GuestLibraries& libraries)
      : launched_(std::move(launched)),
        loading_(launched_.size()),
        living_(launched_.size()),
        container_(std::make_unique<Container>(rank_map, std::move(settings), std::move(job_record),
                                               ranks_of(launched_), events_)) {
    for (size_t i = 0; i < sockets.size(); ++i) sockets_[launched_[i + 1].rank] = sockets[i];
    make_actors(libraries);
  }

  int run() {
    while (loading_ > 0) take(events_.next());
    for (Actor& actor : actors_)
      if (const base::Status status = actor.loaded(); !status) refuse(status.message());
    if (own_rank() == 0)
      if (const std::string text = uncovered_text(programs(), covered_calls()); !text.empty())
        fmt::print(stderr, "tutti: {}\n", text);
    for (size_t i = 0; i < actors_.size(); ++i) rank(i).set_first_thread(actors_[i].thread());
    for (Launched& one : launched_) one.close_files();  // each rank has its own now
    begin_record();
    container_->set_loaded();
    for (Actor& actor : actors_) actor.begin();
    while (living_ > 0) take(events_.next());
    leave_mpi();
    return status_;
  }

 private:
  static std::vector<int> ranks_of(const std::vector<Launched>& launched) {
    std::vector<int> ranks;
    for (const Launched& one : launched) ranks.push_back(one.rank);
    return ranks;
  }
  int own_rank() const { return launched_[0].rank; }
  Rank& rank(size_t i) { return *container_->rank(launched_[i].rank); }

  [[noreturn]] void refuse(const std::string& why) {
    if (own_rank() == 0) fmt::print(stderr, "tutti: {}\n", why);
    PMPI_Abort(MPI_COMM_WORLD, 1);
    _exit(1);
  }

  void begin_record() {
    JobRecord* const record = container_->job_record();
    if (record == nullptr) return;
    for (const Launched& one : launched_) {
      const ProgramCopy& copy = copies_.at(one.program);
      record->set_program(one.rank, copy.file_name(), copy.origin());
    }
    if (const base::Status status = record->begin(container_->job_settings().settings);
        !status && own_rank() == 0)
      fmt::print(
          stderr,
          "tutti: TUTTI_RECORD_CLOCK_SYNC_INTERVAL: {}; clocks are compared when the run begins and ends\n",
          status.message());
  }

  const ProgramCopy& copy_of(const std::string& program, const GuestLibraries& libraries) {
    const auto found = copies_.find(program);
    if (found != copies_.end()) return found->second;
    CopyChanges changes{.first_libraries = {libraries.guest}, .libraries = {}};
    for (const char* const name : {"libmpi.so.12", "libmpich.so.12", "libmpi.so.40"})
      changes.libraries[name] = libraries.stub;
    const auto image = ProgramImage::read(program);
    base::Status status = image.status();
    if (status) status = image->can_run_as_thread();
    if (!status) refuse(status.message());
    // Otherwise a tool that the program names before the MPI stays in front of it.
    const auto is_mpi = [&](const std::string& library) { return changes.libraries.contains(library); };
    if (std::ranges::none_of(image->libraries(), is_mpi)) changes.first_libraries.push_back(libraries.stub);
    auto copy = ProgramCopy::make(*image, changes);
    if (!copy) refuse(copy.status().message());
    return copies_.emplace(program, std::move(*copy)).first->second;
  }

  void make_actors(const GuestLibraries& libraries) {
    for (const Launched& one : launched_) {
      ActorOptions options{.arguments = one.arguments,
                           .environment = one.environment,
                           .calls = call_table(),
                           .rank = container_->rank(one.rank),
                           .caller = &container_->rank(one.rank)->caller()};
      options.prepare = [&one](const struct sigaction* actions) {
        take_own_files(one.files);
        one.affinity.apply();
        watch_crashes(one.rank, actions);
      };
      options.loaded = [this, number = one.rank] { events_.add({.rank = number, .is_load = true}); };
      options.thread_begins = [number = one.rank](const struct sigaction* actions,
                                                  const volatile sig_atomic_t* is_ending) {
        watch_crashes(number, actions, is_ending);
      };
      options.thread_ends = unwatch_crashes;
      options.is_done_with_mpi = [this, number = one.rank] {
        return container_->rank(number)->state() == Rank::State::finalised;
      };
      options.ended = [this, number = one.rank](int status) {
        events_.add({.rank = number, .notice = {.kind = ContainerNotice::Kind::ended, .value = status}});
      };
      actors_.emplace_back(copy_of(one.program, libraries), std::move(options));
    }
  }

  std::vector<LoadedProgram> programs() {
    std::vector<LoadedProgram> found;
    for (size_t i = 0; i < actors_.size(); ++i)
      found.push_back({.file = launched_[i].program, .begin = actors_[i].address()});
    return found;
  }

  void tell(int to, ContainerNotice notice) {
    if (to != own_rank()) send(sockets_.at(to), &notice, sizeof notice, MSG_NOSIGNAL);
  }

  void take(const Events::Event& event) {
    if (event.is_abort) {
      PMPI_Abort(MPI_COMM_WORLD, event.notice.value);
      _exit(event.notice.value);
    }
    if (event.is_load) {
      --loading_;
      return;
    }
    if (event.is_end_of_record) {
      container_->job_record()->end();
      container_->record_has_ended();
      return;
    }
    if (event.is_initialisation)
      uses_mpi_ = true;
    else if (event.notice.kind == ContainerNotice::Kind::killed)
      kill_with(event);
    else
      end(event);
    if (uses_mpi_) tell_failures();
  }

  void end(const Events::Event& event) {
    if (loading_ > 0) end_all(event.notice);
    --living_;
    if (event.rank == own_rank()) status_ = event.notice.value;
    // As in a native run: the launcher sees a process that ends without MPI_Finalize.
    if (container_->rank(event.rank)->state() == Rank::State::initialised) tell_of_failure(event);
    ended_.push_back(event);
  }

  /// A constructor has ended a rank, so that no other rank can be loaded; the others would have ended
  /// likewise. Their processes have initialised MPI: if one of them ended, a launcher would kill the others,
  /// and return that instead of the status.
  [[noreturn]] void end_all(ContainerNotice notice) {
    if (notice.value != 0) PMPI_Abort(MPI_COMM_WORLD, notice.value);
    for (const auto& [rank, socket] : sockets_) tell(rank, notice);
    _exit(notice.value);
  }

  /// Reports ranks that failed before MPI_Init, because others wait for them in MPI.
  void tell_failures() {
    for (const Events::Event& event : ended_)
      if (event.notice.value != 0 && container_->rank(event.rank)->state() == Rank::State::before)
        tell_of_failure(event);
  }

  void tell_of_failure(const Events::Event& event) {
    tell(event.rank, event.notice);
    if (event.rank == own_rank()) _exit(status_);
  }

  /// If the rank is this process's own, this process ends by the rank's signal; otherwise the rank's process
  /// does, and the launcher ends the job.
  [[noreturn]] void kill_with(const Events::Event& event) {
    tell(event.rank, event.notice);
    if (event.rank == own_rank()) die_of(event.notice.value);
    constexpr unsigned k_seconds = 10;
    sleep(k_seconds);
    _exit(1);
  }

  /// All ranks have ended: the processes of the job finalise the native MPI. The threads must have ended
  /// before: while the MPI is unloaded, the loader of glibc 2.36 waits for threads that ended in the middle
  /// of a symbol lookup.
  void leave_mpi() {
    for (Actor& actor : actors_) actor.wait();
    if (JobRecord* const record = container_->job_record()) record->leave();
    container_->disconnect();
    for (const auto& [rank, socket] : sockets_)
      tell(rank, {.kind = ContainerNotice::Kind::finalised, .value = 0});
    for (const Events::Event& event : ended_) tell(event.rank, event.notice);
    PMPI_Finalize();
  }

  std::vector<Launched> launched_;
  size_t loading_, living_;  // numbers of ranks
  Events events_;
  std::map<std::string, ProgramCopy> copies_;  // by program
  std::unique_ptr<Container> container_;
  std::map<int, int> sockets_;  // rank -> socket of its process
  std::deque<Actor> actors_;
  std::vector<Events::Event> ended_;  // their processes are not notified yet
  bool uses_mpi_ = false;
  int status_ = 0;
};

}  // namespace

int host(const RankMap& rank_map, JobSettings settings, std::unique_ptr<JobRecord> job_record,
         std::vector<Launched> launched, const std::vector<int>& sockets, const GuestLibraries& libraries) {
  // Exists until the process ends: threads of ranks may be in its code.
  static Host* const host =
      new Host(rank_map, std::move(settings), std::move(job_record), std::move(launched), sockets, libraries);
  return host->run();
}

}  // namespace tutti::actors
