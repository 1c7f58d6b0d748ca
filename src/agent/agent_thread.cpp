#include "agent/agent_thread.hpp"

#include <poll.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "base/helper_thread.hpp"

namespace tutti::agent {

namespace {

// Maximum sleeps, in case an event was missed: with pending operations, and without.
constexpr uint64_t k_longest_busy_sleep_ns = 10'000'000;
constexpr uint64_t k_longest_sleep_ns = 500'000'000;
// Interval between two polls of a network without events.
constexpr uint64_t k_first_nap_ns = 20'000, k_longest_nap_ns = 1'000'000;
// Empty polls before the thread sleeps. With a core for each thread, an event is often near.
constexpr uint32_t k_polls_on_own_core = 200, k_polls_on_shared_core = 2;

}  // namespace

class AgentThread::Loop {
 public:
  Loop(transport::Network& network, AgentDoorbell& bell, bool has_own_core)
      : network_(network),
        bell_(bell),
        most_polls_(has_own_core ? k_polls_on_own_core : k_polls_on_shared_core) {}

  void add(std::unique_ptr<CommunicatorAgent> communicator_agent, std::function<void()> after) {
    {
      const std::lock_guard lock(mutex_);
      added_.push_back({std::move(communicator_agent), std::move(after)});
    }
    count_.fetch_add(1, std::memory_order_relaxed);
    has_news_.store(true, std::memory_order_seq_cst);
    bell_.ring();
  }
  void stop() {
    is_stopping_.store(true, std::memory_order_seq_cst);
    bell_.ring();
  }
  size_t count() const { return count_.load(std::memory_order_acquire); }

  /// On the thread, or after its end: no operation is pending.
  bool is_idle() const {
    return std::ranges::all_of(members_, [](const Member& one) { return one.communicator_agent->is_idle(); });
  }
  /// On the thread.
  void run() {
    uint32_t polls = 0;
    while (!is_stopping()) {
      polls = advance() ? 0 : polls + 1;
      if (polls < most_polls_) continue;
      sleep();
      polls = 0;
    }
    has_left_.store(true, std::memory_order_release);
  }
  /// After run(), on any thread.
  bool progress() {
    if (!has_left_.load(std::memory_order_acquire) || is_driven_.exchange(true, std::memory_order_acquire))
      return false;
    const bool has_moved = advance();
    is_driven_.store(false, std::memory_order_release);
    return has_moved;
  }

 private:
  struct Member {
    std::unique_ptr<CommunicatorAgent> communicator_agent;
    std::function<void()> after;
  };

  bool is_stopping() const { return is_stopping_.load(std::memory_order_seq_cst); }

  bool advance() {
    if (has_news_.load(std::memory_order_seq_cst)) accept();
    bool has_moved = network_.make_progress();
    bool is_any_over = false;
    for (const Member& member : members_) {
      has_moved |= member.communicator_agent->advance();
      is_any_over |= member.communicator_agent->is_over();
    }
    if (is_any_over) drop_ended();
    return has_moved;
  }

  void accept() {
    const std::lock_guard lock(mutex_);
    has_news_.store(false, std::memory_order_relaxed);
    std::move(added_.begin(), added_.end(), std::back_inserter(members_));
    added_.clear();
  }

  void drop_ended() {
    for (Member& member : members_) {
      if (!member.communicator_agent->is_over()) continue;
      member.communicator_agent.reset();
      member.after();
      count_.fetch_sub(1, std::memory_order_release);
    }
    std::erase_if(members_, [](const Member& member) { return member.communicator_agent == nullptr; });
  }

  void sleep() {
    bell_.prepare();
    const bool has_work = advance() || has_news_.load(std::memory_order_seq_cst) || is_stopping();
    if (has_work)
      nap_ns_ = k_first_nap_ns;
    else if (network_.arm())
      network_.await_event(is_idle() ? k_longest_sleep_ns : k_longest_busy_sleep_ns, bell_.file());
    else if (!network_.has_events())
      nap();
    bell_.cancel();
  }

  /// For networks without events. Without agents of communicators it only waits for a ring.
  void nap() {
    nap_ns_ = members_.empty() ? k_longest_sleep_ns : std::min(2 * nap_ns_, k_longest_nap_ns);
    pollfd rung{.fd = bell_.file(), .events = POLLIN, .revents = 0};
    const timespec time{.tv_sec = 0, .tv_nsec = static_cast<long>(nap_ns_)};
    if (ppoll(&rung, 1, &time, nullptr) > 0) nap_ns_ = k_first_nap_ns;
  }

  transport::Network& network_;
  AgentDoorbell& bell_;
  const uint32_t most_polls_;
  uint64_t nap_ns_ = k_first_nap_ns;
  std::atomic<bool> is_stopping_{false}, has_news_{false};
  std::atomic<bool> has_left_{false};   // the thread has left run()
  std::atomic<bool> is_driven_{false};  // another thread drives after run()
  std::atomic<size_t> count_{0};
  std::mutex mutex_;
  std::vector<Member> added_;
  std::vector<Member> members_;  // used by the thread only
};

AgentThread::AgentThread(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}

base::Result<std::unique_ptr<AgentThread>> AgentThread::start(transport::Network& network,
                                                              AgentDoorbell& bell, bool has_own_core) {
  try {
    std::unique_ptr<AgentThread> made(new AgentThread(std::make_unique<Loop>(network, bell, has_own_core)));
    const auto body = [](void* loop) -> void* {
      static_cast<Loop*>(loop)->run();
      return nullptr;
    };
    base::Status started =
        base::start_helper_thread("tutti-agent", nullptr, body, made->loop_.get(), &made->thread_);
    if (!started) return started;
    return made;
  } catch (const std::bad_alloc&) {
    return base::Status{base::Code::out_of_memory, "no memory for a thread"};
  }
}

AgentThread::~AgentThread() = default;

void AgentThread::add(std::unique_ptr<CommunicatorAgent> communicator_agent, std::function<void()> after) {
  loop_->add(std::move(communicator_agent), std::move(after));
}

size_t AgentThread::station_count() const {
  return loop_->count();
}

bool AgentThread::hand_over(uint64_t within_ns) {
  if (!std::exchange(has_thread_, false)) return true;
  loop_->stop();
  return base::join_within(thread_, within_ns);
}

bool AgentThread::progress() {
  return loop_->progress();
}

bool AgentThread::stop(uint64_t within_ns) {
  if (hand_over(within_ns) && loop_->is_idle()) return true;
  abandon();
  return false;
}

void AgentThread::abandon() {
  static_cast<void>(loop_.release());
}

}  // namespace tutti::agent
