#pragma once
// Ranks exchange numbers when communicators are created.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "actors/messages/operation.hpp"

namespace tutti::actors {

class Communicator;
class Rank;

/// The first member collects the numbers of all members and sends them to all. Concurrent agreements of the
/// same members use different tags.
class ContextAgreement {
 public:
  /// `members`: ranks in MPI_COMM_WORLD, including this one. All pass the same count of numbers.
  ContextAgreement(Rank& me, std::span<const int> members, uint64_t context, int32_t tag,
                   std::vector<int64_t> mine);
  ~ContextAgreement();
  ContextAgreement(const ContextAgreement&) = delete;
  ContextAgreement& operator=(const ContextAgreement&) = delete;

  /// Makes progress. True once the exchange has ended and no transfer is pending.
  bool is_over();
  /// Waits until the exchange has ended. In the record this is a wait on `on` in the MPI function `name`, which lives
  /// as long as the process.
  void wait(Communicator& on, const std::string& name);
  /// The numbers of one member, after the end.
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
