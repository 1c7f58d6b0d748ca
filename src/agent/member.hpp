#pragma once
// A member's half of an operation that agents carry out: deposit, wait, take (layout.hpp).

#include <cstddef>
#include <cstdint>
#include <functional>

#include "agent/board.hpp"
#include "agent/layout.hpp"
#include "base/status.hpp"

namespace tutti::agent {

/// One call of one rank. The parts of a long call overlap: while the agents carry out one, the member deposits the
/// next. Used by one thread at a time; board and topology outlive it.
class Call {
 public:
  /// `whole`: the call as all ranks make it, with `begin` 0 and `bytes` the length of one part (Layout::longest_part);
  /// block_bytes need not be a multiple. `first`: number of its first part, the same on all ranks. In place, `input` is
  /// the output. `ring` tells the agent that there is news on the board.
  struct Buffers {
    /// nullptr: a rank that cannot do its part takes part without data, so that the others do not wait for it.
    const std::byte* input = nullptr;
    std::byte* output = nullptr;
    bool in_place = false;
    algorithm::Blocks blocks;  // of different sizes, with offsets; the arrays stay valid as long as the call
  };
  Call(const Board& board, const Topology& topology, Rank me, const Description& whole, uint32_t first,
       const Buffers& buffers, std::function<void()> ring);

  /// How many operations a call takes: the next call of this communicator begins so many numbers later.
  static uint32_t part_count(const Description& whole);

  /// Does what can be done now; true when something moved. Never waits.
  bool progress();
  /// The buffers may be used again.
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
  uint32_t deposited_ = 0, taken_ = 0;  // parts
  base::Status status_;
};

}  // namespace tutti::agent
