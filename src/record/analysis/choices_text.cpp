#include <fmt/format.h>

#include "base/text.hpp"
#include "record/analysis/report.hpp"

namespace tutti::record::analysis {

std::string choices_text(const Analysis& of) {
  Symbols symbols;
  std::string all;
  const auto out = std::back_inserter(all);
  fmt::format_to(out, "{:>8} {:>12} {:>12} {:>14}  {}\n", "calls", "waiting ms", "transfer ms", "us/call",
                 "choice");
  for (const Site& site : of.sites) {
    fmt::format_to(out, "\n{}\n", base::printable(site_text(of, site, &symbols)));
    for (const auto& [number, sums] : site.choices) {
      const RunTables::Served& served = of.tables.choices[number];
      fmt::format_to(out, "{:>8} {:>12.3f} {:>12.3f} {:>14.1f}  {}{}{}\n", sums.calls,
                     static_cast<double>(sums.waiting_ns) / 1e6, static_cast<double>(sums.transfer_ns) / 1e6,
                     static_cast<double>(sums.transfer.quantile(0.5)) / 1e3, base::printable(served.choice),
                     served.reason.empty() ? "" : ": ", base::printable(served.reason));
    }
  }
  all += "\nwaiting and transfer: of all ranks together; us/call: the typical transfer of the slowest rank\n";
  return all;
}

}  // namespace tutti::record::analysis
