// Writes rules in the format of the rules file.

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "select/rules.hpp"

namespace tutti::select {

using nlohmann::ordered_json;

namespace {

ordered_json bound_of(uint64_t value, uint64_t unbounded) {
  if (value == unbounded) return nullptr;
  if (value != 0 && value % 1024 == 0) return base::format_bytes(value);
  return value;
}

void put_range(ordered_json* rule, const char* key, const Range& range) {
  if (!range.is_any()) (*rule)[key] = {bound_of(range.least, 0), bound_of(range.most, UINT64_MAX)};
}

ordered_json json_of(const Rule& rule) {
  ordered_json entry;
  entry["collective"] = algorithm::to_string(rule.collective);
  if (!rule.mpi.empty()) entry["mpi"] = rule.mpi;
  if (rule.calls) entry["calls"] = to_string(*rule.calls);
  put_range(&entry, "ranks", rule.ranks);
  put_range(&entry, "nodes", rule.nodes);
  put_range(&entry, "ranks_per_node", rule.ranks_per_node);
  put_range(&entry, "bytes", rule.bytes);
  entry["use"] = to_string(rule.use);
  if (!rule.because.empty()) entry["because"] = rule.because;
  if (rule.evidence != Evidence{})
    entry["evidence"] = {{"samples", rule.evidence.samples},
                         {"median_ns", rule.evidence.median_ns},
                         {"native_ns", rule.evidence.native_ns}};
  return entry;
}

}  // namespace

std::string format_rules(std::span<const Rule> rules) {
  std::string text = "{\n  \"schema\": 1,\n  \"rules\": [";
  for (size_t i = 0; i < rules.size(); ++i) {
    // Texts of a parsed rule are valid UTF-8; invalid bytes in other texts are replaced.
    const auto replace = ordered_json::error_handler_t::replace;
    text += (i == 0 ? "\n    " : ",\n    ") + json_of(rules[i]).dump(-1, ' ', false, replace);
  }
  return text + "\n  ]\n}\n";
}

}  // namespace tutti::select
