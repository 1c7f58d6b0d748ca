#pragma once
// On-line learning of the order in which the program uses the results of one call site (paper 002, section 5.1), of
// calls that return early.
//
//   call  1   traced: it waits for all of its data, and what the program then uses first is recorded
//   call  2   tells the other ranks
//   call  3   all ranks have heard, and the data comes in the order that suits all of them; and so on
//   traced again: calls 8, 64, 512, …
//
// Which calls do what is the same on all ranks, whatever each of them has recorded.

#include <atomic>
#include <cstdint>
#include <memory>

#include "dispatch/agreement.hpp"
#include "pattern/access_order.hpp"
#include "select/access_orders.hpp"

namespace tutti::dispatch {

/// Where the record of a call is left by whoever keeps it.
class AccessRecorder {
 public:
  /// Once, any thread.
  void set(select::AccessRecord record) {
    record_ = std::move(record);
    is_set_.store(true, std::memory_order_release);
  }
  /// Empty: nothing could be recorded, or not yet.
  select::AccessRecord take() {
    return is_set_.load(std::memory_order_acquire) ? std::move(record_) : select::AccessRecord{};
  }

 private:
  select::AccessRecord record_;
  std::atomic<bool> is_set_{false};
};

/// Used by the thread that is inside a collective on the communicator.
class OrderSite {
 public:
  /// `blocks`: of the result. `number`: of its agreements.
  OrderSite(AgreementEndpoint& endpoint, uint32_t number, schedule::Rank blocks);

  struct Call {
    pattern::AccessOrder order;
    std::shared_ptr<AccessRecorder>
        recorder;  // of a traced call, for the operation to wait for; nullptr otherwise
  };
  /// The next call of the site. May wait until all ranks have made the call before.
  Call next();

 private:
  const schedule::Rank blocks_;
  Agreement agreement_;
  bool is_agreeing_ = false;
  size_t running_ = 0;  // of select::access_orders()
  uint64_t calls_ = 0, next_traced_ = 1;
  std::shared_ptr<AccessRecorder> recorder_;  // of the call before
};

}  // namespace tutti::dispatch
