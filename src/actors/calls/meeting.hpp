#pragma once
// Ranks tell each other some numbers, when communicators are made.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "actors/messages/operation.hpp"

namespace tutti::actors {

class Rank;

/// The first member collects what all have, and tells all. Meetings of the same members that go on at the same
/// time have different tags.
class Meeting {
 public:
  /// `members`: ranks in MPI_COMM_WORLD, this one among them. All give as many numbers.
  Meeting(Rank& me, std::span<const int> members, uint64_t context, int32_t tag, std::vector<int64_t> mine);
  ~Meeting();
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  /// Makes progress. True once it is over, and nothing is under way any more.
  bool is_over();
  /// Waits for that.
  void wait();
  /// Those of one member, once it is over.
  std::span<const int64_t> of(size_t member) const { return {all_.data() + member * each_, each_}; }
  size_t size() const { return members_.size(); }

 private:
  void send(size_t member, std::span<const int64_t> numbers, SendOperation* operation);
  void hand_out();
  bool are_done() const;

  Rank& me_;
  const std::vector<int> members_;
  const uint64_t context_;
  const int32_t tag_;
  const size_t each_;
  size_t mine_ = 0;
  std::vector<int64_t> all_, own_;
  std::vector<std::unique_ptr<ReceiveOperation>> receives_;
  std::vector<std::unique_ptr<SendOperation>> sends_;
  bool has_handed_out_ = false;
};

}  // namespace tutti::actors
