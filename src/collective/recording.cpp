#include "collective/recording.hpp"

#include "collective/report.hpp"

namespace tutti::collective {

namespace {

record::BegunCall begun_call(const CallEvent& event) {
  return {.caller = event.caller,
          .counter = event.counter,
          .collective = event.collective,
          .interface = event.interface,
          .arrival_ns = event.started_ns};
}

record::ServingChoice choice_of(const CallEvent& event) {
  const ReportLine* const line = event.dispatched == nullptr ? nullptr : event.dispatched->prepared.line;
  return line == nullptr ? record::ServingChoice{}
                         : record::ServingChoice{.choice = &line->choice, .reason = &line->reason};
}

/// Leaves the recorded time inside the call as it is, because the call has already returned.
constexpr uint64_t k_inside_stays = record::k_unknown_ns;

bool is_blocking(const CallEvent& event) {
  return event.interface == select::CallInterface::blocking;
}

}  // namespace

void Recording::begun(CallEvent& event) {
  if (event.counter != nullptr) event.recorded = recorder_.begin(begun_call(event));
}

void Recording::ended(const CallEvent& event) {
  if (event.counter == nullptr) return;
  const record::BegunCall call = begun_call(event);
  if (event.is_refused) return recorder_.refused(call, event.recorded);
  record::EndedCall ended{.choice = choice_of(event), .bytes = event.bytes, .root = event.root};
  if (is_blocking(event)) ended.inside_ns = ended.whole_ns = event.ended_ns - event.started_ns;
  recorder_.end(call, event.recorded, ended);
}

void Recording::ended_early_call(const CallEvent& event) {
  if (event.counter == nullptr) return;
  recorder_.complete(event.recorded, event.started_ns, k_inside_stays, event.ended_ns - event.started_ns);
}

/// Only for calls that do not block. If Tutti serves one, the end of its operation is known as well as the time that
/// the program waited.
void Recording::completed(const CallEvent& event, const select::Sample& cost) {
  if (event.counter == nullptr || is_blocking(event)) return;
  const uint64_t whole_ns = event.ended_ns == 0 ? cost.total_ns() : event.ended_ns - event.started_ns;
  recorder_.complete(event.recorded, event.started_ns, cost.start_ns + cost.wait_ns, whole_ns);
}

}  // namespace tutti::collective
