#include "record/analysis/arrivals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace tutti::record::analysis {

ArrivalsText arrivals_text(const RunFiles& run, const RunTables& tables, uint64_t most_numbers) {
  ArrivalsText all;
  std::vector<int64_t> arrivals(run.ranks), known;
  const auto add = [&](const CallInstance& call) {
    const std::vector<uint32_t>& members = tables.groups[call.group].members;
    if (members.size() != run.ranks || (all.calls + 1) * run.ranks > most_numbers) {
      ++all.others;
      return;
    }
    known.clear();
    for (const MemberCall& one : call.calls)
      if (one.is_present) known.push_back(one.arrival_ns);
    const auto middle = known.begin() + static_cast<ptrdiff_t>((known.size() - 1) / 2);
    std::ranges::nth_element(known, middle);
    for (size_t i = 0; i < members.size(); ++i)
      arrivals[members[i]] = call.calls[i].is_present ? call.calls[i].arrival_ns : *middle;
    const int64_t first = *std::ranges::min_element(arrivals);
    for (const int64_t arrival : arrivals)
      fmt::format_to(std::back_inserter(all.text), "{:.3f} ", static_cast<double>(arrival - first) / 1000);
    fmt::format_to(std::back_inserter(all.text), "# {}, {} bytes\n", to_string(call.collective), call.bytes);
    ++all.calls;
  };
  assemble(run, tables, {.call = add, .message = {}});
  return all;
}

}  // namespace tutti::record::analysis
