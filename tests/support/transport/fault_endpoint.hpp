#pragma once
// An endpoint that injects every fault that the contract of Endpoint allows. For tests.

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "transport/endpoint.hpp"

namespace tutti::transport {

struct Faults {
  uint64_t seed = 1;
  uint32_t refuse_percent = 0;   // of the calls of send() and recv(): return try_again()
  uint32_t delay_percent = 0;    // of the transfers: start some polls later (later ones of the channel wait)
  uint32_t hold_percent = 0;     // of the ended transfers: reported some polls later, thus in another order
  uint32_t max_delay_polls = 8;  // for both delays
  /// The transfer with this number (from 1, in call order) fails and moves no data; 0: none.
  uint64_t failing_transfer = 0;
  bool fails_at_start = false;  // true: send() or recv() returns the error; false: the completion carries it
};

/// Wraps another endpoint of the same rank, which must outlive it. Messages of a channel keep their order; as
/// with MPI, their completions may be reordered. The same seed and the same calls give the same faults.
class FaultEndpoint final : public Endpoint {
 public:
  static constexpr int k_injected_error = 4711;  // Completion::native and Status::native()

  FaultEndpoint(Endpoint& inner, const Faults& faults);

  base::Status send(Peer to, Tag tag, ConstBytes data, uint64_t cookie) override;
  base::Status recv(Peer from, Tag tag, Bytes data, uint64_t cookie) override;
  size_t poll(std::span<Completion> done) override;
  void cancel(uint64_t cookie) override;
  Capabilities capabilities() const override { return inner_.capabilities(); }

  uint64_t injected_count() const { return injected_count_; }

 private:
  struct Transfer {
    enum class Kind : uint8_t { send, recv } kind = Kind::send;
    Peer peer;
    Tag tag = 0;
    ConstBytes source;
    Bytes target;
    uint64_t id = 0;  // cookie passed to inner_
    enum class State : uint8_t { delayed, started, held } state = State::delayed;
    uint32_t polls_left = 0;
    Completion end;
  };

  base::Status accept(Transfer transfer);
  base::Status pass_on(const Transfer& transfer);
  bool follows_a_delayed_one(size_t index) const;
  void start_delayed();
  void collect();
  void hold(Transfer& transfer, const Completion& end);
  uint32_t draw(uint32_t percent);

  Endpoint& inner_;
  const Faults faults_;
  std::mt19937_64 random_;
  std::vector<Transfer> transfers_;  // in call order
  uint64_t accepted_count_ = 0;
  uint64_t injected_count_ = 0;
};

}  // namespace tutti::transport
