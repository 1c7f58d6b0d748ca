#include "collective/run_results.hpp"

#include <utility>

#include "collective/call_site_report.hpp"
#include "select/learned.hpp"

namespace tutti::collective {

namespace {

/// "3 rules are kept in PATH; nothing of 2 call sites (2 undecided)"
std::string learned_in_words(size_t rules, const std::string& file,
                             const std::map<std::string, size_t>& not_learned) {
  if (rules == 0 && not_learned.empty()) return "nothing is kept: no call site tried candidates";
  std::string reasons;
  size_t sites = 0;
  for (const auto& [reason, count] : not_learned) {
    sites += count;
    reasons += (reasons.empty() ? "" : ", ") + std::to_string(count) + ' ' + reason;
  }
  std::string text = rules == 0 ? "nothing is kept" : std::to_string(rules) + " rules are kept in " + file;
  if (sites > 0) text += "; nothing of " + std::to_string(sites) + " call sites (" + reasons + ")";
  return text;
}

}  // namespace

void RunResults::add(const CallSiteTable& sites, Report* report, int rank) {
  sites.for_each([&](const CallSite& site) {
    if (site.only_watches()) return;
    if (report != nullptr)
      if (auto known = report_of(site)) report->add_site(std::move(*known));
    if (rank != 0 || learned_file_.empty()) return;
    site.inspect([&](const select::Tuner& tuner) {
      const std::lock_guard lock(mutex_);
      auto rule = learned_rule(tuner, site.shape());
      if (!rule) {
        ++not_learned_[rule.status().message()];
        return;
      }
      rule->mpi = mpi_;
      learned_.push_back(std::move(*rule));
    });
  });
}

base::Result<std::string> RunResults::save() {
  std::vector<select::Rule> learned;
  std::map<std::string, size_t> not_learned;
  {
    const std::lock_guard lock(mutex_);  // at SIGTERM the program still runs
    learned.swap(learned_);
    not_learned = not_learned_;
  }
  if (base::Status status = select::save_learned(learned_file_, learned); !status) return status;
  return learned_in_words(learned.size(), learned_file_, not_learned);
}

}  // namespace tutti::collective
