#include "record/tests_in_loop.hpp"

namespace tutti::record {

void TestsInLoop::end(RankRecord& record, uint64_t at_ns) {
  if (first_ns_ == 0) return;
  for (size_t i = 0; i < count_; ++i)
    record.message(MessageCall::poll, awaited_[i].counter, awaited_[i].peer, first_ns_, at_ns - first_ns_,
                   name_);
  first_ns_ = 0;
}

}  // namespace tutti::record
