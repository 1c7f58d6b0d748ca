#pragma once
// Finds the ranks whose work another rank has waited for, also through ranks that had to wait themselves (delay
// analysis: Böhme et al., ICPP 2010).
//
// Each rank has an account: the time that it has worked itself, and the delay by the work of each other rank. A
// collective in which ranks meet makes their accounts equal. When a rank waits for another, the difference between the
// two accounts is to blame for the wait, and the waiting rank takes over the other's account. What the accounts do not
// explain comes from unequal exits of the previous call or from the transfer, and is not attributed.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::record::analysis {

/// Waiting caused by the work of a rank of the run.
struct Blame {
  uint32_t rank = 0;
  uint64_t ns = 0;
};

/// A rank of the run, and the time that it has worked so far, outside of recorded calls.
struct Worked {
  uint32_t rank = 0;
  uint64_t ns = 0;
};

class Delays {
 public:
  explicit Delays(size_t ranks) : accounts_(ranks) {}

  /// `waiter` waits for `late`: appends the causes of that, at most `most_ns` together, to `blamed`. Returns their sum.
  uint64_t blame(const Worked& waiter, const Worked& late, uint64_t most_ns, std::vector<Blame>* blamed);
  /// `waiter` has waited for `late`, and takes over its delays.
  void follow(const Worked& waiter, const Worked& late);
  /// These ranks have met, and `last` came last: all take over its delays.
  void meet(const std::vector<Worked>& all, const Worked& last);
  /// All ranks of the run have met: all accounts are reset.
  void forget(const std::vector<Worked>& all);

 private:
  struct Account {
    uint64_t from_ns = 0;  // working time before this is settled
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
