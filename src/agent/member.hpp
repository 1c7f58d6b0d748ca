#pragma once
// The member's side of an operation that agents run: deposit, wait, take (layout.hpp).

#include <cstddef>
#include <cstdint>
#include <functional>

#include "agent/board.hpp"
#include "agent/layout.hpp"
#include "base/status.hpp"

namespace tutti::agent {

/// One call of one rank. The parts of a long call overlap: while the agents run one, the member deposits the
/// next. Used by one thread at a time; board and topology must outlive it.
class BoardCall {
 public:
  /// `whole`: the call, the same on all ranks, with `begin` 0 and `bytes` the length of one part
  /// (Layout::longest_part); block_bytes need not be a multiple. `first`: number of its first part, the same
  /// on all ranks. In place, `input` is the output. `ring` notifies the agent of changes on the board.
  struct Buffers {
    /// nullptr: a rank that cannot provide its data participates without, so that the others do not wait for
    /// it.
    const std::byte* input = nullptr;
    std::byte* output = nullptr;
    bool in_place = false;
    algorithm::Blocks blocks;  // blocks of different sizes, with offsets; the arrays must outlive the call
  };
  BoardCall(const Board& board, const Topology& topology, Rank me, const Description& whole, uint32_t first,
            const Buffers& buffers, std::function<void()> ring);

  /// Number of operations of a call: the next call of this communicator starts that many numbers later.
  static uint32_t part_count(const Description& whole);

  /// Advances the call without blocking; true if something moved.
  bool progress();
  /// The program may use the buffers again.
  bool is_done() const { return taken_ == parts_; }
  /// The first error of a part.
  const base::Status& status() const { return status_; }

 private:
  Description part(uint32_t number) const;
  bool deposit_next();
  bool take_next();

  const Board& board_;
  const Topology& topology_;
  const Rank me_;
  const Description whole_;
  const uint32_t first_;
  const Buffers buffers_;
  const algorithm::Blocks blocks_;
  const std::function<void()> ring_;
  const uint32_t parts_;
  uint32_t deposited_ = 0, taken_ = 0;  // number of parts
  base::Status status_;
};

}  // namespace tutti::agent
