#include "mpi/call/use_trace.hpp"

#include <utility>

#include "algorithm/parts_in_access_order.hpp"
#include "base/clock.hpp"
#include "collective/access_order_learner.hpp"
#include "mpi/runtime/runtime.hpp"

namespace tutti::mpi {

UseTrace::UseTrace(const algorithm::Request& request, const Communicator& communicator)
    : blocks_(algorithm::blocks_of_result(request)) {
  for (const schedule::BufRef& part : algorithm::parts_of_result(request, communicator.rank()))
    parts_.push_back({part.offset, part.length});
}

base::Status UseTrace::begin(Communicator& communicator, const collective::CallEvent& event,
                             std::byte* output) const {
  Runtime& runtime = communicator.runtime();
  select::TracedCall call{.collective = event.collective,
                          .bytes = event.bytes_known ? std::optional(event.bytes) : std::nullopt,
                          .blocks = blocks_,
                          .communicator = communicator.id(),
                          .record = {.transfer_ns = base::monotonic_ns() - event.started_ns}};
  auto take = [&runtime, recorder = event.dispatched->prepared.recorder, call = std::move(call),
               parts = parts_](std::vector<uint64_t> first_use_ns) mutable {
    for (size_t i = 0; i < parts.size(); ++i)
      if (parts[i].bytes == 0) first_use_ns[i] = select::AccessRecord::k_own;
    call.record.first_use_ns = std::move(first_use_ns);
    recorder->set(call.record);
    if (runtime.options().traces_accesses) runtime.early_calls().log().add(std::move(call));
  };
  return runtime.early_calls().traces().begin(output, parts_, runtime.early_calls().guards(),
                                              std::move(take));
}

}  // namespace tutti::mpi
