#pragma once
// On-line learning of the order in which the program uses the results of one call site whose calls return early
// (paper 002, section 5.1).
//
//   call  1   traced: it waits for all of its data, and the time of the program's first use of each part is recorded
//   call  2   begins an agreement of all ranks on their records
//   call  3   waits for the agreement; from now on the data arrives in the order that is best for all ranks
//   traced again: calls 8, 64, 512, …
//
// The role of a call is the same on all ranks and does not depend on their records.

#include <atomic>
#include <cstdint>
#include <memory>

#include "collective/agreement.hpp"
#include "pattern/access_order.hpp"
#include "select/access_orders.hpp"

namespace tutti::collective {

/// Receives the access record of one traced call from the thread that traces it.
class AccessRecorder {
 public:
  /// Called at most once, by any thread.
  void set(select::AccessRecord record) {
    record_ = std::move(record);
    is_set_.store(true, std::memory_order_release);
  }
  /// The record; empty: not recorded, or not yet set.
  select::AccessRecord take() {
    return is_set_.load(std::memory_order_acquire) ? std::move(record_) : select::AccessRecord{};
  }

 private:
  select::AccessRecord record_;
  std::atomic<bool> is_set_{false};
};

/// Used by the thread that is inside a collective on the communicator.
class AccessOrderLearner {
 public:
  /// `blocks`: number of blocks of the result. `number`: as of Agreement.
  AccessOrderLearner(AgreementEndpoint& endpoint, uint32_t number, schedule::Rank blocks);

  struct Call {
    pattern::AccessOrder order;
    std::shared_ptr<AccessRecorder>
        recorder;  // of a traced call, which must wait for all of its data; nullptr otherwise
  };
  /// The next call of the site. May wait until all ranks have made the previous call.
  Call next();

 private:
  const schedule::Rank blocks_;
  Agreement agreement_;
  bool is_agreeing_ = false;
  size_t running_ = 0;  // index into select::access_orders()
  uint64_t calls_ = 0, next_traced_ = 1;
  std::shared_ptr<AccessRecorder> recorder_;  // of the latest call, if it is traced
};

}  // namespace tutti::collective
