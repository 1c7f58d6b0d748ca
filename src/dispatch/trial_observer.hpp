#pragma once
// Run-time selection as an observer: what a trial has cost goes to the site that wanted to know.

#include "dispatch/call_site.hpp"
#include "dispatch/observer.hpp"

namespace tutti::dispatch {

/// Told of trials alone, so that all other calls need no clock for it.
class TrialObserver final : public Observer {
 public:
  void completed(const CallEvent& event, const select::Sample& cost) override {
    if (event.answer != nullptr && event.answer->is_trial())
      event.answer->site->end(*event.answer->turn, cost);
  }
};

}  // namespace tutti::dispatch
