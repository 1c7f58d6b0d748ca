#include "engine/progress_thread.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <new>
#include <utility>

#include "base/clock.hpp"
#include "base/cpu_set.hpp"
#include "base/float_mode.hpp"
#include "base/helper_thread.hpp"
#include "base/mpsc_queue.hpp"
#include "engine/parking.hpp"
#include "engine/runner.hpp"

namespace tutti::engine {

using base::Status;

// Not in the anonymous namespace because Loop, which has external linkage, uses them.

enum class Seat : uint8_t { own, shared };

/// Written by one thread, read by any.
class Counter {
 public:
  void add() { value_.store(value_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

namespace {

constexpr uint64_t k_first_nap_ns = 20'000;
// On shared cores every poll takes time from the computation: poll only a few times in quick succession.
constexpr uint32_t k_quick_polls_before_nap = 4;
// Polls without work before the thread parks, by policy: it stays awake for a program that calls one
// collective after the other, and soon returns the core to one that computes.
constexpr uint32_t k_spins_before_park = 2000;
constexpr uint32_t k_yields_before_park = 20;
constexpr uint32_t k_spins_before_park_on_shared_core = 100;
// Interval between two polls of a network that no job uses. It seldom has anything left to do, and a peer
// that waits for that has already waited as long.
constexpr uint64_t k_first_idle_nap_ns = 1'000'000;
constexpr uint64_t k_longest_idle_nap_ns = 100'000'000;
// Interval between two polls of a network that has events, in case an event was missed.
constexpr uint64_t k_longest_wait_for_event_ns = 10'000'000;
constexpr uint64_t k_beside_every_ns = 1'000'000;
// Time limit to join a thread that has left its loop, or is inside an MPI call. A thread that takes longer is
// left behind with all its memory (ProgressThread::stop).
constexpr uint64_t k_join_within_ns = 1'000'000'000;

/// On own cores, the Waiter handles `automatic`.
WaitPolicy policy_of(Seat seat, WaitPolicy wanted) {
  return wanted == WaitPolicy::automatic && seat == Seat::shared ? WaitPolicy::sleep : wanted;
}

/// The Waiter while there are jobs. For `sleep` the thread naps itself, so the Waiter only spins.
Waiter waiter_of(WaitPolicy policy) {
  return Waiter{policy == WaitPolicy::sleep ? WaitPolicy::spin : policy};
}

uint32_t polls_before_park(WaitPolicy policy) {
  if (policy == WaitPolicy::sleep) return k_spins_before_park_on_shared_core;
  return policy == WaitPolicy::yield ? k_yields_before_park : k_spins_before_park;
}

}  // namespace

/// The state that the progress thread shares with submitting threads. It is not freed if the thread cannot be
/// joined.
class ProgressThread::Loop {
 public:
  explicit Loop(const ProgressOptions& options)
      : wanted_policy_(options.wait),
        longest_nap_ns_(std::max(options.longest_nap_ns, k_first_nap_ns)),
        has_own_cores_(!options.cores.empty()),
        own_cores_(base::CpuSet::of(options.cores)),
        shared_cores_(base::CpuSet::of_this_thread()),
        seat_(has_own_cores_ ? Seat::own : Seat::shared),
        policy_(policy_of(seat_, wanted_policy_)),
        waiter_(waiter_of(policy_)),
        boosted_waiter_(options.boosted_wait, options.boosted_share),
        while_boosted_(options.while_boosted),
        beside_jobs_(options.beside_jobs),
        at_start_(options.at_start) {}

  void submit(Job* job, Seat seat) {
    if (has_own_cores_) wanted_seat_.store(seat, std::memory_order_relaxed);
    mode_.store(base::FloatMode::of_thread(), std::memory_order_relaxed);
    queue_.push(job);
    wake();
  }

  void stop_by(uint64_t deadline_ns) {
    stop_by_ns_.store(deadline_ns, std::memory_order_seq_cst);
    wake();
  }

  void look_after(transport::Network& network) {
    network_.store(&network, std::memory_order_seq_cst);
    wake();
  }

  void begin_boost() {
    mode_.store(base::FloatMode::of_thread(), std::memory_order_relaxed);
    boosts_.fetch_add(1, std::memory_order_seq_cst);
    wake();
  }
  void end_boost() { boosts_.fetch_sub(1, std::memory_order_relaxed); }

  /// The processing units to start on; nullptr: those of the thread that starts it.
  const base::CpuSet* first_cores() const { return has_own_cores_ ? &own_cores_ : nullptr; }

  /// On the progress thread.
  void run();
  /// After run(), on any thread.
  bool progress();
  /// After run(): no job was left.
  bool has_ended_all() const { return !runner_.has_jobs() && queue_.is_empty(); }

  ProgressCounts counts() const { return {jobs_.get(), polls_.get(), naps_.get(), parks_.get()}; }

 private:
  void wake() {
    if (parking_.wake()) network_.load(std::memory_order_relaxed)->interrupt();
  }
  bool is_stopping() const { return stop_by_ns_.load(std::memory_order_seq_cst) != 0; }
  void drive_jobs();
  bool is_overdue() const {
    const uint64_t stop_by_ns = stop_by_ns_.load(std::memory_order_relaxed);
    return stop_by_ns != 0 && base::monotonic_ns() >= stop_by_ns;
  }
  bool is_boosted() const { return boosts_.load(std::memory_order_seq_cst) != 0; }
  void accept_jobs();
  void move_to(Seat seat);
  void drive();
  void adopt_mode();
  void look_beside();
  void wait_anew();
  void nap();
  bool sleep(transport::Network* network, uint64_t longest_ns);
  void await_jobs();
  void park();
  void look_after_network(transport::Network& network);

  const WaitPolicy wanted_policy_;
  const uint64_t longest_nap_ns_;
  const bool has_own_cores_;
  const base::CpuSet own_cores_, shared_cores_;
  std::atomic<Seat> wanted_seat_{Seat::shared};  // of the last job
  base::MpscQueue<Job> queue_;
  Parking parking_;
  std::atomic<base::FloatMode> mode_{base::FloatMode::of_thread()};  // of the last job or LatencyBoost
  std::atomic<uint64_t> stop_by_ns_{0};                              // 0: not stopping
  std::atomic<uint32_t> boosts_{0};
  std::atomic<bool> has_left_{false};   // the thread has left run()
  std::atomic<bool> is_driven_{false};  // another thread drives after run()
  std::atomic<transport::Network*> network_{nullptr};
  Counter jobs_, polls_, naps_, parks_;
  // Used by the progress thread only.
  base::FloatMode thread_mode_{base::FloatMode::of_thread()};
  Runner runner_;
  Seat seat_;
  WaitPolicy policy_;
  Waiter waiter_, boosted_waiter_;
  const std::function<void()> while_boosted_, beside_jobs_, at_start_;
  uint64_t looked_beside_ns_ = 0;
  uint32_t empty_polls_ = 0;
  uint64_t nap_ns_ = k_first_nap_ns;
};

void ProgressThread::Loop::run() {
  if (at_start_) at_start_();
  drive_jobs();
  has_left_.store(true, std::memory_order_release);
}

void ProgressThread::Loop::drive_jobs() {
  while (!is_overdue()) {
    accept_jobs();
    if (runner_.has_jobs()) {
      drive();
    } else if (queue_.is_empty()) {
      if (is_stopping()) return;
      await_jobs();
    }
  }
}

bool ProgressThread::Loop::progress() {
  if (!has_left_.load(std::memory_order_acquire) || is_driven_.exchange(true, std::memory_order_acquire))
    return false;
  while (Job* const job = queue_.pop()) runner_.accept(job);
  const bool moved = runner_.progress();
  is_driven_.store(false, std::memory_order_release);
  return moved;
}

void ProgressThread::Loop::accept_jobs() {
  while (Job* const job = queue_.pop()) {
    jobs_.add();
    runner_.accept(job);
    if (has_own_cores_) move_to(wanted_seat_.load(std::memory_order_relaxed));
  }
}

void ProgressThread::Loop::move_to(Seat seat) {
  if (seat == seat_) return;
  const base::CpuSet& cores = seat == Seat::own ? own_cores_ : shared_cores_;
  // If the kernel refuses, the thread keeps its cores and the wait policy for them.
  if (sched_setaffinity(0, cores.bytes(), cores.get()) != 0) return;
  seat_ = seat;
  policy_ = policy_of(seat, wanted_policy_);
  waiter_ = waiter_of(policy_);
}

void ProgressThread::Loop::drive() {
  polls_.add();
  adopt_mode();
  if (while_boosted_ && is_boosted()) while_boosted_();
  look_beside();
  if (runner_.progress()) return wait_anew();
  if (is_boosted()) return boosted_waiter_.idle();
  if (policy_ == WaitPolicy::sleep && empty_polls_++ >= k_quick_polls_before_nap) return nap();
  waiter_.idle();
}

/// Reductions of the native MPI progress here too, and must use the program's floating-point mode.
void ProgressThread::Loop::adopt_mode() {
  const base::FloatMode wanted = mode_.load(std::memory_order_relaxed);
  if (wanted == thread_mode_) return;
  wanted.set();
  thread_mode_ = wanted;
}

void ProgressThread::Loop::look_beside() {
  if (!beside_jobs_) return;
  const uint64_t now_ns = base::monotonic_ns();
  if (now_ns - looked_beside_ns_ < k_beside_every_ns) return;
  looked_beside_ns_ = now_ns;
  beside_jobs_();
}

/// A new job ends this nap, so that it starts immediately.
void ProgressThread::Loop::nap() {
  parking_.prepare();
  if (!queue_.is_empty() || is_boosted()) return parking_.cancel();
  transport::Network* const network = runner_.awaits_event() ? network_.load() : nullptr;
  const bool was_woken = sleep(network, beside_jobs_ ? k_beside_every_ns : k_longest_wait_for_event_ns);
  nap_ns_ = std::min(2 * nap_ns_, longest_nap_ns_);
  if (was_woken) wait_anew();
}

/// After parking_.prepare(): sleeps until wake() or an event of the network, at most `longest_ns`. Without
/// events it naps. True if wake() ended it.
bool ProgressThread::Loop::sleep(transport::Network* network, uint64_t longest_ns) {
  naps_.add();
  if (network == nullptr || !network->arm()) return parking_.park_for(nap_ns_);
  return parking_.park_in([&] { network->await_event(longest_ns); });
}

void ProgressThread::Loop::wait_anew() {
  waiter_.busy();
  boosted_waiter_.busy();
  empty_polls_ = 0;
  nap_ns_ = k_first_nap_ns;
}

void ProgressThread::Loop::await_jobs() {
  Waiter waiter(policy_ == WaitPolicy::yield ? WaitPolicy::yield : WaitPolicy::spin);
  const uint32_t most_polls = polls_before_park(policy_);
  for (uint32_t polls = 0; polls < most_polls; ++polls) {
    if (!queue_.is_empty()) return;
    waiter.idle();
  }
  while (queue_.is_empty() && !is_stopping()) {
    if (transport::Network* const network = network_.load(std::memory_order_seq_cst))
      look_after_network(*network);
    else
      park();
  }
  wait_anew();
}

void ProgressThread::Loop::park() {
  parking_.prepare();
  if (!queue_.is_empty() || is_stopping() || network_.load(std::memory_order_seq_cst) != nullptr)
    return parking_.cancel();
  parks_.add();
  parking_.park();
}

void ProgressThread::Loop::look_after_network(transport::Network& network) {
  const bool moved = network.make_progress();
  nap_ns_ = moved ? k_first_nap_ns : std::clamp(2 * nap_ns_, k_first_idle_nap_ns, k_longest_idle_nap_ns);
  parking_.prepare();
  if (!queue_.is_empty() || is_stopping()) return parking_.cancel();
  sleep(&network, k_longest_idle_nap_ns);
}

ProgressThread::ProgressThread(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}

base::Result<std::unique_ptr<ProgressThread>> ProgressThread::start(const ProgressOptions& options) {
  try {
    std::unique_ptr<ProgressThread> thread(new ProgressThread(std::make_unique<Loop>(options)));
    const auto body = [](void* loop) -> void* {
      static_cast<Loop*>(loop)->run();
      return nullptr;
    };
    const Status started = base::start_helper_thread("tutti-progress", thread->loop_->first_cores(), body,
                                                     thread->loop_.get(), &thread->thread_);
    if (!started) return Status(started.code(), "progress: " + started.message(), started.native());
    thread->has_thread_ = true;
    return thread;
  } catch (const std::bad_alloc&) {
    return Status{base::Code::out_of_memory, "progress: no memory for a thread"};
  }
}

ProgressThread::~ProgressThread() {
  if (has_thread_) stop();
  if (is_left_behind_) static_cast<void>(loop_.release());
}

void ProgressThread::submit(Job* job) {
  assert(loop_ != nullptr);
  loop_->submit(job, Seat::own);
}

void ProgressThread::OnSharedCores::submit(Job* job) {
  assert(thread_.loop_ != nullptr);
  thread_.loop_->submit(job, Seat::shared);
}

void ProgressThread::look_after(transport::Network& network) {
  assert(has_thread_);
  loop_->look_after(network);
}

ProgressThread::LatencyBoost::LatencyBoost(ProgressThread& thread) : loop_(*thread.loop_) {
  loop_.begin_boost();
}

ProgressThread::LatencyBoost::~LatencyBoost() {
  loop_.end_boost();
}

bool ProgressThread::stop(uint64_t within_ns) {
  if (!has_thread_) return true;
  assert(!is_me());
  loop_->stop_by(base::monotonic_ns() + within_ns);
  const bool has_joined = base::join_within(thread_, within_ns + k_join_within_ns);
  has_thread_ = false;
  if (!has_joined) {
    // The thread does not return from an MPI call. Its memory must remain.
    static_cast<void>(loop_.release());
    return false;
  }
  return loop_->has_ended_all();
}

bool ProgressThread::hand_over(uint64_t within_ns) {
  if (!has_thread_.exchange(false)) return true;
  assert(!pthread_equal(pthread_self(), thread_));
  loop_->stop_by(base::monotonic_ns());
  is_left_behind_ = !base::join_within(thread_, within_ns);
  return !is_left_behind_;
}

bool ProgressThread::progress() {
  return loop_->progress();
}

bool ProgressThread::has_jobs() const {
  return !loop_->has_ended_all();
}

void ProgressThread::abandon() {
  static_cast<void>(loop_.release());
  has_thread_ = false;
}

bool ProgressThread::is_me() const {
  return has_thread_ && pthread_equal(pthread_self(), thread_) != 0;
}

/// Asks the kernel directly: the C library caches the values that were set through it.
void ProgressThread::follow_policy() {
  sched_param wanted{};
  const auto found = static_cast<int>(syscall(SYS_sched_getscheduler, 0));
  if (found < 0 || syscall(SYS_sched_getparam, 0, &wanted) != 0) return;
  const int policy = found & ~SCHED_RESET_ON_FORK;
  const int priority = wanted.sched_priority;
  if (policy_.exchange(policy) == policy && priority_.exchange(priority) == priority) return;
  priority_ = priority;
  if (policy == SCHED_FIFO || policy == SCHED_RR) {
    wanted.sched_priority = priority + 1;
    if (pthread_setschedparam(thread_, policy, &wanted) == 0) return;
    wanted.sched_priority = priority;
  }
  pthread_setschedparam(thread_, policy, &wanted);
}

ProgressCounts ProgressThread::counts() const {
  return loop_ == nullptr ? ProgressCounts{} : loop_->counts();
}

uint64_t ProgressThread::cpu_ns() const {
  clockid_t clock{};
  timespec time{};
  if (!has_thread_ || pthread_getcpuclockid(thread_, &clock) != 0 || clock_gettime(clock, &time) != 0)
    return 0;
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace tutti::engine
