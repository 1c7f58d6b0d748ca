#pragma once
// An endpoint that injects every fault which the contract of Endpoint allows. For tests.

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "transport/endpoint.hpp"

namespace tutti::transport {

struct Faults {
  uint64_t seed = 1;
  uint32_t refuse_percent = 0;   // of the calls of send() and recv(): try_again()
  uint32_t delay_percent = 0;    // of the transfers: they start some polls later (those behind them wait)
  uint32_t hold_percent = 0;     // of the ended transfers: reported some polls later, hence in another order
  uint32_t max_delay_polls = 8;  // for both
  /// The transfer with this number (from 1, in the order of the calls) fails, and moves nothing; 0: none
  /// does.
  uint64_t failing_transfer = 0;
  bool fails_at_start = false;  // send() or recv() returns the error; otherwise its completion carries it
};

/// Wraps another endpoint of the same rank, which outlives it. Messages of a channel keep their order,
/// always; their completions need not, as with MPI. The same seed and the same calls give the same faults.
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
    uint64_t id = 0;  // cookie towards inner_
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
  std::vector<Transfer> transfers_;  // in the order of the calls
  uint64_t accepted_count_ = 0;
  uint64_t injected_count_ = 0;
};

}  // namespace tutti::transport
