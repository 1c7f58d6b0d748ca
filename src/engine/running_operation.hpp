#pragma once
// One operation of the CPU engine: the state of a plan being executed. Internal to engine/.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/engine.hpp"
#include "engine/plan.hpp"
#include "engine/scratch.hpp"

namespace tutti::engine {

/// Reused for successive operations; its arrays grow to the largest plan that it has run.
///
/// Life: idle -> begin() -> launch() -> (step() and on_completion() until is_done()) -> reset() -> idle.
class RunningOperation final : public Operation {
 public:
  /// `slot`: upper half of the cookies of this operation's transfers.
  explicit RunningOperation(uint32_t slot) : slot_(slot) {}

  bool is_done() const override { return state_ == State::done; }
  const base::Status& status() const override { return status_; }
  bool awaits_event() const override;
  void bind_input(const std::byte* input) override;
  void bind_output(std::byte* output) override;

  bool is_idle() const { return state_ == State::idle; }
  bool is_waiting() const { return state_ == State::waiting; }
  /// Uses a resource that serves one operation of this rank at a time.
  bool is_exclusive() const { return is_exclusive_; }
  /// Index in Ports::networks.
  uint8_t network() const { return bindings_.network; }

  /// Binds a plan. Error: out_of_memory, after which the object is idle again.
  base::Status begin(const Plan& plan, const Bindings& bindings, const Ports& ports);
  /// Starts the first transfers. An operation that uses the node's memory is launched after the previous one
  /// has ended.
  void launch();

  /// Starts every transfer that may start, then executes at most one local task, so that the caller can poll
  /// between two local tasks. True if something moved.
  bool step();

  /// A transfer of this operation has ended.
  void on_completion(schedule::TaskId id, const transport::Completion& completion);

  /// Clears a finished operation.
  void reset();

  size_t footprint_bytes() const;

 private:
  enum class State : uint8_t { idle, waiting, running, draining, done };
  enum class Started : uint8_t { yes, later, failed };
  static constexpr uint32_t k_has_ended = UINT32_MAX;  // value in waits_for_ of a transfer

  struct ChannelState {
    uint32_t next = 0;  // position in Channel::tasks of the next task to start
    uint32_t in_flight = 0;
    bool is_queued = false;  // `next` waits in startable_, refused_ or unbound_tasks_
  };

  base::Status reserve(const Plan& plan, const Bindings& bindings);
  void make_ready(schedule::TaskId id);
  void complete(schedule::TaskId id);
  void queue_channel(uint32_t index);
  bool start_transfers();
  Started start(schedule::TaskId id, const schedule::Task& task);
  std::vector<schedule::TaskId>* obstacle_of(const schedule::Task& task);
  void bind(schedule::Slot slot, std::byte* address);
  void make_startable_again(std::vector<schedule::TaskId>& tasks);
  bool run_local_task();
  void execute(const schedule::Task& task);
  void reduce(const schedule::Task& task);
  base::Status error_of(schedule::TaskId id, const transport::Completion& completion) const;
  /// Records the error, but the operation continues and ends with it: the program's ranks disagree about the
  /// length of a message, and other ranks wait for this one.
  void note(base::Status status);
  /// The operation cannot continue. It ends when the transfers in flight have ended.
  void fail(base::Status status);
  void cancel_transfers();
  void end_if_complete();
  void end();

  transport::Endpoint& endpoint_of(schedule::Peer peer) const {
    return peer.kind == schedule::Peer::Kind::local ? *local_ : *network_;
  }
  uint64_t cookie_of(schedule::TaskId id) const { return uint64_t{slot_} << 32 | id; }

  std::byte* address(const schedule::BufRef& ref) const {
    return base_[static_cast<size_t>(ref.slot)] + ref.offset;
  }

  const uint32_t slot_;
  State state_ = State::idle;
  bool is_exclusive_ = false;
  bool node_is_writable_ = false;
  const Plan* plan_ = nullptr;
  Bindings bindings_;
  transport::Endpoint* network_ = nullptr;
  transport::Endpoint* local_ = nullptr;
  NodeMemory* node_ = nullptr;
  std::array<std::byte*, 4> base_{};  // by schedule::Slot
  uint32_t unbound_ = 0;              // one bit per schedule::Slot whose address is late
  Scratch scratch_;

  size_t open_count_ = 0;      // tasks not yet complete
  size_t transfer_count_ = 0;  // transfers in flight
  base::Status status_;

  std::vector<uint32_t> waits_for_;  // per task: number of incomplete dependencies
  std::vector<ChannelState> channels_;
  std::vector<schedule::TaskId> startable_;      // heap: transfers that may start, at most one per channel
  std::vector<schedule::TaskId> runnable_;       // heap: copies and reductions that may run
  std::vector<schedule::TaskId> refused_;        // retried: back-pressure, or node memory in use
  std::vector<schedule::TaskId> unbound_tasks_;  // wait for a late slot
  std::vector<schedule::TaskId> completed_;      // their successors still count them as incomplete
};

}  // namespace tutti::engine
