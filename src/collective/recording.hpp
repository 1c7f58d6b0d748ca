#pragma once
// Adapter that makes the recorder (record/recorder.hpp) an observer.

#include "collective/observer.hpp"
#include "record/recorder.hpp"

namespace tutti::collective {

class Recording final : public Observer {
 public:
  /// `recorder` outlives this.
  explicit Recording(record::Recorder& recorder) : recorder_(recorder) {}

  void begun(CallEvent& event) override;
  void ended(const CallEvent& event) override;
  void ended_early_call(const CallEvent& event) override;
  void completed(const CallEvent& event, const select::Sample& cost) override;

 private:
  record::Recorder& recorder_;
};

}  // namespace tutti::collective
