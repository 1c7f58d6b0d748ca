#include "collective/call_site_report.hpp"

#include <utility>

#include "collective/call_site.hpp"

namespace tutti::collective {

std::optional<CallSiteReport> report_of(const CallSite& site) {
  CallSiteReport report{.shape = site.shape()};
  const bool is_known = site.inspect([&](const select::Tuner& tuner) {
    const select::TrialScheduler& scheduler = tuner.scheduler();
    report.calls = tuner.call_count();
    report.elapsed_ns = scheduler.elapsed_ns();
    report.loss_ns = scheduler.loss_ns();
    report.choice = to_string(tuner.candidate(scheduler.choice()));
    report.reason = tuner.reason();
    report.is_exploring = scheduler.is_exploring();
    for (uint32_t i = 0; i < tuner.candidate_count(); ++i) report.candidates.push_back(tuner.report_of(i));
    report.switches = scheduler.switches();
    report.arrivals = scheduler.arrivals();
  });
  return is_known ? std::optional(std::move(report)) : std::nullopt;
}

}  // namespace tutti::collective
