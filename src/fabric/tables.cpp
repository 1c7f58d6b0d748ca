#include "fabric/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/text.hpp"
#include "fabric/parse_util.hpp"

namespace tutti::fabric {

using base::Result;
using base::Status;

MulticastTables::MulticastTables(uint32_t switch_count, std::vector<TablePort> ports)
    : ports_(std::move(ports)), first_(switch_count + size_t{1}, 0) {
  std::sort(ports_.begin(), ports_.end());
  ports_.erase(std::unique(ports_.begin(), ports_.end()), ports_.end());
  for (const TablePort& port : ports_) ++first_[port.at + size_t{1}];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
}

std::span<const TablePort> MulticastTables::entry(SwitchId id, Colour colour) const {
  const auto ports = at(id);
  const auto low = std::partition_point(ports.begin(), ports.end(),
                                        [&](const TablePort& port) { return port.colour < colour; });
  auto high = low;
  while (high != ports.end() && high->colour == colour) ++high;
  return {low, high};
}

std::string format_dump(const MulticastTables& tables, const Fabric& fabric) {
  std::string text;
  const auto out = std::back_inserter(text);
  for (const SwitchId id : opensm_order(fabric)) {
    const auto ports = tables.at(id);
    if (ports.empty()) continue;
    fmt::format_to(out, "\nSwitch {:#018x}\nLID    : Out Port(s)", fabric.switch_node(id).guid);
    Colour last = k_no_colour;
    for (const TablePort& port : ports) {
      if (port.colour != last) fmt::format_to(out, "\n0x{:04X} :", k_first_mlid + port.colour);
      fmt::format_to(out, " 0x{:03X} ", port.port);
      last = port.colour;
    }
    text += '\n';
  }
  return text;
}

namespace {

/// Reads the lines of a dump; the current switch carries over from line to line.
class DumpReader {
 public:
  explicit DumpReader(const Fabric& fabric) : fabric_(fabric) {}

  Status read_line(std::string_view line) {
    ++line_;
    const std::string_view word = take_word(line);
    if (word.empty() || word == "LID" || word.starts_with('#')) return {};
    if (word == "Switch") return read_switch(take_word(line));
    return read_entry(word, line);
  }

  std::vector<TablePort> take() && { return std::move(ports_); }

 private:
  Status read_switch(std::string_view text) {
    const auto guid = parse_hex(text);
    at_ = guid ? fabric_.find_switch(*guid) : k_none;
    if (at_ != k_none) return {};
    return Status::invalid_argument(
        fmt::format("the fabric has no switch with the GUID {}", base::in_quotes(text)));
  }

  Status read_entry(std::string_view mlid_text, std::string_view rest) {
    const auto mlid = parse_hex(mlid_text);
    if (!mlid || *mlid < k_first_mlid || *mlid > k_last_mlid || take_word(rest) != ":")
      return Status::invalid_argument(base::in_quotes(mlid_text) + " is not like '0xC000 : 0x001 0x002'");
    if (at_ == k_none) return Status::invalid_argument("an entry before the first switch");
    const auto [first, is_new] = line_of_entry_.emplace(uint64_t{at_} << 16 | *mlid, line_);
    if (!is_new)
      return Status::invalid_argument(fmt::format("the switch has an entry for {} already, in line {}",
                                                  base::in_quotes(mlid_text), first->second));
    for (std::string_view word; !(word = take_word(rest)).empty();) {
      const auto port = parse_hex(word);
      if (!port || *port > fabric_.switch_node(at_).port_count)
        return Status::invalid_argument(fmt::format("the switch has no port {}", base::in_quotes(word)));
      ports_.push_back({at_, static_cast<Colour>(*mlid - k_first_mlid), static_cast<Port>(*port)});
    }
    return {};
  }

  const Fabric& fabric_;
  SwitchId at_ = k_none;
  size_t line_ = 0;
  std::unordered_map<uint64_t, size_t> line_of_entry_;  // by switch and MLID
  std::vector<TablePort> ports_;
};

}  // namespace

Result<MulticastTables> parse_dump(std::string_view text, const Fabric& fabric, std::string_view origin) {
  DumpReader reader(fabric);
  for (size_t number = 1; !text.empty(); ++number)
    if (const Status status = reader.read_line(take_line(text)); !status)
      return Status::invalid_argument(fmt::format("{}:{}: {}", origin, number, status.message()));
  return MulticastTables(fabric.switch_count(), std::move(reader).take());
}

}  // namespace tutti::fabric
