#pragma once
// Observer for run-time selection: passes the cost of a trial to its call site.

#include "collective/call_site.hpp"
#include "collective/observer.hpp"

namespace tutti::collective {

/// Called for trials only and not part of Observers, so that other calls need not read the clock for it.
class TrialObserver final : public Observer {
 public:
  void completed(const CallEvent& event, const select::Sample& cost) override {
    if (event.dispatched != nullptr && event.dispatched->is_trial())
      event.dispatched->site->end(*event.dispatched->served_call, cost);
  }
};

}  // namespace tutti::collective
