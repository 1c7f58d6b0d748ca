#pragma once
// Whose work a rank has waited for, also where it waited for one that had to wait itself (delay analysis: Böhme et al.,
// ICPP 2010).
//
// Ranks that have met are equal. From then on each has an account: how long it has worked itself, and how much longer
// it has taken by the work of which ranks. A rank that waits for another finds what differs between the two accounts:
// that is to blame for its waiting, and it is delayed by the same from then on. What the accounts do not explain comes
// of leaving the call before at different times, or of the transfer, and is no rank's fault.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::record::analysis {

/// Waiting by the work of a rank of the run.
struct Blame {
  uint32_t rank = 0;
  uint64_t ns = 0;
};

/// A rank of the run, and all the time that it has worked until then, outside of recorded calls.
struct Worked {
  uint32_t rank = 0;
  uint64_t ns = 0;
};

class Delays {
 public:
  explicit Delays(size_t ranks) : accounts_(ranks) {}

  /// `waiter` waits for `late`: adds up to `most_ns` of what is to blame for that to `blamed`. Result: how much.
  uint64_t blame(const Worked& waiter, const Worked& late, uint64_t most_ns, std::vector<Blame>* blamed);
  /// `waiter` has waited for `late`, and goes on as late as that one.
  void follow(const Worked& waiter, const Worked& late);
  /// These have met, and the `last` of them came last: all go on as late as that one.
  void meet(const std::vector<Worked>& all, const Worked& last);
  /// All ranks of the run have met.
  void forget(const std::vector<Worked>& all);

 private:
  struct Account {
    uint64_t from_ns = 0;  // of its working time: what came before is settled
    std::vector<Blame> delays;
  };
  int64_t work_ns(const Worked& of) const {
    return static_cast<int64_t>(of.ns) - static_cast<int64_t>(accounts_[of.rank].from_ns);
  }
  void count_as_delay(const Worked& of, int64_t least_ns);

  std::vector<Account> accounts_;
  std::vector<Blame> differences_;
};

}  // namespace tutti::record::analysis
