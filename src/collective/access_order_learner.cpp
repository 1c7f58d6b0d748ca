#include "collective/access_order_learner.hpp"

#include <utility>

namespace tutti::collective {

AccessOrderLearner::AccessOrderLearner(AgreementEndpoint& endpoint, uint32_t number, schedule::Rank blocks)
    : blocks_(blocks), agreement_(endpoint, number) {}

AccessOrderLearner::Call AccessOrderLearner::next() {
  if (std::exchange(is_agreeing_, false)) {
    agreement_.wait();
    running_ = select::best_access_order(agreement_.all(), blocks_, running_);
  }
  if (const auto recorder = std::exchange(recorder_, nullptr)) {
    agreement_.begin(select::measurements_of(recorder->take(), blocks_));
    is_agreeing_ = true;
  }
  if (++calls_ == next_traced_) {
    next_traced_ *= 8;
    recorder_ = std::make_shared<AccessRecorder>();
  }
  return {select::access_orders(blocks_)[running_], recorder_};
}

}  // namespace tutti::collective
