#include "command/access_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <tuple>

#include "algorithm/parts_in_access_order.hpp"
#include "base/text.hpp"

namespace tutti::command {

namespace {

using select::AccessRecord;
using select::TracedCall;

/// The records of one rank.
using Records = std::vector<const AccessRecord*>;

struct AccessGroup {
  std::optional<uint64_t> least_bytes, most_bytes;
  std::vector<Records> ranks;
};

using SiteKey = std::tuple<algorithm::Collective, int, schedule::Rank>;

SiteKey key_of(const TracedCall& call) {
  return {call.collective, call.bytes ? std::bit_width(*call.bytes) : -1, call.blocks};
}

std::map<SiteKey, AccessGroup> groups_of(std::span<const select::ReadAccessLog> logs) {
  std::map<SiteKey, AccessGroup> groups;
  for (const select::ReadAccessLog& log : logs) {
    std::map<SiteKey, Records> mine;
    for (const TracedCall& call : log.calls) {
      mine[key_of(call)].push_back(&call.record);
      if (!call.bytes) continue;
      AccessGroup& group = groups[key_of(call)];
      group.least_bytes = std::min(group.least_bytes.value_or(*call.bytes), *call.bytes);
      group.most_bytes = std::max(group.most_bytes.value_or(*call.bytes), *call.bytes);
    }
    for (auto& [key, records] : mine) groups[key].ranks.push_back(std::move(records));
  }
  return groups;
}

template <class Value>
double mean_over(const Records& records, Value value) {
  double sum = 0;
  for (const AccessRecord* record : records) sum += static_cast<double>(value(*record));
  return sum / static_cast<double>(records.size());
}

std::vector<std::optional<double>> mean_uses(const std::vector<Records>& ranks, uint32_t parts) {
  std::vector<double> sum(parts), count(parts);
  for (const Records& records : ranks)
    for (const AccessRecord* record : records)
      for (uint32_t part = 0; part < parts; ++part)
        if (const uint64_t use_ns = record->first_use_ns[part]; use_ns < AccessRecord::k_own) {
          sum[part] += static_cast<double>(use_ns);
          ++count[part];
        }
  std::vector<std::optional<double>> means(parts);
  for (uint32_t part = 0; part < parts; ++part)
    if (count[part] > 0) means[part] = sum[part] / count[part];
  return means;
}

AccessSite site_of(const SiteKey& key, const AccessGroup& group) {
  const auto [collective, size_class, blocks] = key;
  const uint32_t parts = algorithm::part_count(blocks);
  AccessSite site{.collective = collective,
                  .blocks = blocks,
                  .least_bytes = group.least_bytes,
                  .most_bytes = group.most_bytes,
                  .first_use_ns = mean_uses(group.ranks, parts),
                  .waited_ns = {}};
  for (const Records& records : group.ranks) {
    site.calls = std::max(site.calls, records.size());
    site.transfer_ns += mean_over(records, [](const AccessRecord& record) { return record.transfer_ns; }) /
                        static_cast<double>(group.ranks.size());
  }
  for (const pattern::AccessOrder& order : select::access_orders(blocks)) {
    const std::vector<uint32_t> sequence = order.sequence(parts);
    double most = 0;
    for (const Records& records : group.ranks)
      most = std::max(most, mean_over(records, [&](const AccessRecord& record) {
                        return select::waited_ns(record, sequence);
                      }));
    site.waited_ns.push_back(most);
  }
  return site;
}

std::string head_of(const AccessSite& site) {
  std::string bytes;
  if (site.least_bytes) bytes = " of " + base::format_bytes(*site.least_bytes);
  if (site.least_bytes != site.most_bytes) bytes += ".." + base::format_bytes(*site.most_bytes);
  return fmt::format("{}{}, {}, {:.3f} ms each", algorithm::to_string(site.collective), bytes,
                     base::counted(site.calls, "call"), site.transfer_ns / 1e6);
}

/// "direction=backward:stride=4": parameters of the "ordered" algorithms.
std::string words_of(const pattern::AccessOrder& order) {
  return fmt::format("direction={}:stride={}", algorithm::k_directions[order.is_backward ? 1 : 0],
                     order.stride);
}

template <class Out>
void add_orders(Out out, const AccessSite& site) {
  const auto orders = select::access_orders(site.blocks);
  const auto best = std::ranges::min_element(site.waited_ns) - site.waited_ns.begin();
  fmt::format_to(out, "  {:<32} {:>8} {:>9}\n", "order of arrival", "waits ms", "hides ms");
  for (size_t i = 0; i < orders.size(); ++i)
    fmt::format_to(out, "  {:<32} {:>8.3f} {:>9.3f}{}\n", words_of(orders[i]), site.waited_ns[i] / 1e6,
                   std::max(0.0, site.transfer_ns - site.waited_ns[i]) / 1e6,
                   static_cast<ptrdiff_t>(i) == best ? "  best" : "");
}

double latest_use_ns(const AccessSite& site) {
  double latest = 0;
  for (const auto& use_ns : site.first_use_ns) latest = std::max(latest, use_ns.value_or(0));
  return latest;
}

}  // namespace

std::vector<AccessSite> access_sites(std::span<const select::ReadAccessLog> logs) {
  std::vector<AccessSite> sites;
  for (const auto& [key, group] : groups_of(logs)) sites.push_back(site_of(key, group));
  return sites;
}

std::string access_table(const AccessSite& site) {
  constexpr double k_bar = 40;
  std::string text = head_of(site) + '\n';
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "  {:>5} {:>5} {:>12}\n", "block", "part", "first use ms");
  const double latest_ns = std::max(latest_use_ns(site), 1.0);
  const uint32_t per_block = algorithm::parts_per_block(site.blocks);
  for (size_t part = 0; part < site.first_use_ns.size(); ++part) {
    const auto use_ns = site.first_use_ns[part];
    fmt::format_to(out, "  {:>5} {:>5} {:>12}  {}\n", part / per_block, part % per_block,
                   use_ns ? fmt::format("{:.3f}", *use_ns / 1e6) : "never",
                   std::string(use_ns ? static_cast<size_t>(*use_ns / latest_ns * k_bar) + 1 : 0, '#'));
  }
  add_orders(out, site);
  return text;
}

std::string access_picture(std::span<const AccessSite> sites) {
  constexpr int k_width = 480, k_height = 240, k_left = 60, k_top = 30, k_panel = 320;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      k_width + k_left + 20, std::max<size_t>(sites.size(), 1) * k_panel);
  const auto out = std::back_inserter(text);
  for (size_t i = 0; i < sites.size(); ++i) {
    const AccessSite& site = sites[i];
    const int top = static_cast<int>(i) * k_panel + k_top;
    const double most_ns = std::max({latest_use_ns(site), site.transfer_ns, 1.0});
    const auto y = [&](double ns) { return top + k_height * (1 - ns / most_ns); };
    const double step = static_cast<double>(k_width) / static_cast<double>(site.first_use_ns.size());
    fmt::format_to(out, "<text x=\"{}\" y=\"{}\" font-size=\"13\">{}</text>\n", k_left, top - 10,
                   head_of(site));
    fmt::format_to(out,
                   "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#333\"/>\n",
                   k_left, top, k_width, k_height);
    fmt::format_to(out, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{:.1f} ms</text>\n", k_left - 4, top + 8,
                   most_ns / 1e6);
    fmt::format_to(out, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">0</text>\n", k_left - 4, top + k_height);
    fmt::format_to(out, "<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#d1495b\"/>\n",
                   k_left, k_left + k_width, y(site.transfer_ns), y(site.transfer_ns));
    for (size_t part = 0; part < site.first_use_ns.size(); ++part)
      if (const auto use_ns = site.first_use_ns[part])
        fmt::format_to(out, "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"#1b6ca8\"/>\n",
                       k_left + step * (static_cast<double>(part) + 0.5), y(*use_ns));
    fmt::format_to(
        out,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">first use of the {} parts of the result; line: time "
        "in the call</text>\n",
        k_left + k_width / 2, top + k_height + 18, site.first_use_ns.size());
  }
  return text + "</svg>\n";
}

}  // namespace tutti::command
