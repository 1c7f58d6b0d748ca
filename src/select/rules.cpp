#include "select/rules.hpp"

#include <algorithm>
#include <array>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

namespace tutti::select {

using base::Result;
using base::Status;
using nlohmann::json;

namespace {

constexpr int k_schema = 1;
constexpr std::array<std::string_view, 3> k_file_keys = {"$schema", "schema", "rules"};
constexpr std::array<std::string_view, 10> k_rule_keys = {
    "collective", "mpi", "calls", "ranks", "nodes", "ranks_per_node", "bytes", "use", "because", "evidence"};
constexpr std::array<std::string_view, 3> k_evidence_keys = {"samples", "median_ns", "native_ns"};

/// Parses one end of a range: a number, a text like "64K", or null for "no bound".
Result<uint64_t> parse_bound(const json& bound, uint64_t unbounded) {
  if (bound.is_null()) return unbounded;
  if (bound.is_number_unsigned()) return bound.get<uint64_t>();
  if (bound.is_string()) return base::parse_bytes(bound.get_ref<const std::string&>());
  return Status::invalid_argument("a bound is a whole number, a text like \"64K\", or null");
}

Status read_range(const json& rule, const char* key, Range* range) {
  const auto at = rule.find(key);
  if (at == rule.end() || at->is_null()) return {};
  const auto fail = [&](const std::string& what) {
    return Status::invalid_argument('"' + std::string(key) + "\": " + what);
  };
  if (!at->is_array() || at->size() != 2) return fail("a range is [least, most]");
  const auto least = parse_bound((*at)[0], 0);
  const auto most = parse_bound((*at)[1], UINT64_MAX);
  if (!least) return fail(least.status().message());
  if (!most) return fail(most.status().message());
  if (*least > *most) return fail("the least is above the most");
  *range = {*least, *most};
  return {};
}

/// Reads a member that is a string. Error: it is missing or of another type.
Result<std::string> read_text(const json& rule, const char* key) {
  const auto at = rule.find(key);
  if (at == rule.end()) return Status::invalid_argument("\"" + std::string(key) + "\" is missing");
  if (!at->is_string()) return Status::invalid_argument("\"" + std::string(key) + "\" is not a text");
  return at->get<std::string>();
}

Status check_keys(const json& object, std::span<const std::string_view> known) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    return Status::invalid_argument("unknown key " + base::in_quotes(key) + base::did_you_mean(key, known));
  }
  return {};
}

Status read_evidence(const json& rule, Evidence* evidence) {
  const auto at = rule.find("evidence");
  if (at == rule.end()) return {};
  const auto fail = [&](const std::string& what) {
    return Status::invalid_argument("\"evidence\": " + what);
  };
  if (!at->is_object()) return fail("is not an object");
  if (Status status = check_keys(*at, k_evidence_keys); !status) return fail(status.message());
  const std::pair<std::string_view, uint64_t*> fields[] = {{k_evidence_keys[0], &evidence->samples},
                                                           {k_evidence_keys[1], &evidence->median_ns},
                                                           {k_evidence_keys[2], &evidence->native_ns}};
  for (const auto& [key, value] : fields) {
    const auto field = at->find(key);
    if (field == at->end()) continue;
    if (!field->is_number_unsigned()) return fail('"' + std::string(key) + "\" is not a whole number");
    *value = field->get<uint64_t>();
  }
  return {};
}

Status read_mpi(const json& entry, Rule* rule) {
  if (!entry.contains("mpi")) return {};
  const auto mpi = read_text(entry, "mpi");
  if (!mpi) return mpi.status();
  if (std::find(k_mpi_names.begin(), k_mpi_names.end(), *mpi) == k_mpi_names.end())
    return Status::invalid_argument("\"mpi\" is mpich, openmpi or threads, not " + base::in_quotes(*mpi));
  rule->mpi = *mpi;
  return {};
}

/// Reads the calls, the choice and the reason of a rule.
Status read_use(const json& entry, Rule* rule) {
  if (entry.contains("calls")) {
    const auto calls = read_text(entry, "calls");
    if (!calls) return calls.status();
    CallInterface interface = CallInterface::blocking;
    if (!from_string(*calls, &interface))
      return Status::invalid_argument("\"calls\" is one of blocking, nonblocking, persistent, not " +
                                      base::in_quotes(*calls));
    rule->calls = interface;
  }
  const auto use = read_text(entry, "use");
  if (!use) return use.status();
  const auto candidate = parse_candidate(rule->collective, *use);
  if (!candidate) return candidate.status();
  rule->use = *candidate;
  if (!entry.contains("because")) return {};
  auto because = read_text(entry, "because");
  if (!because) return because.status();
  rule->because = *because;
  return {};
}

Result<Rule> parse_rule(const json& entry) {
  if (!entry.is_object()) return Status::invalid_argument("a rule is an object");
  if (Status status = check_keys(entry, k_rule_keys); !status) return status;
  Rule rule;
  const auto name = read_text(entry, "collective");
  if (!name) return name.status();
  const auto collective = algorithm::parse_collective(*name);
  if (!collective) return collective.status();
  rule.collective = *collective;
  if (Status status = read_mpi(entry, &rule); !status) return status;
  const std::pair<const char*, Range*> ranges[] = {{"ranks", &rule.ranks},
                                                   {"nodes", &rule.nodes},
                                                   {"ranks_per_node", &rule.ranks_per_node},
                                                   {"bytes", &rule.bytes}};
  for (const auto& [key, range] : ranges)
    if (Status status = read_range(entry, key, range); !status) return status;
  if (Status status = read_use(entry, &rule); !status) return status;
  if (Status status = read_evidence(entry, &rule.evidence); !status) return status;
  return rule;
}

}  // namespace

Result<std::vector<Rule>> parse_rules(std::string_view text, const std::string& origin) {
  const auto fail = [&](const std::string& what) { return Status::invalid_argument(origin + ": " + what); };
  const auto document = base::parse_json(text);
  if (!document) return fail(document.status().message());
  if (!document->is_object() || document->value("schema", json()) != k_schema)
    return fail("is not a rules file (it needs \"schema\": " + std::to_string(k_schema) + ')');
  const auto list = document->find("rules");
  if (list == document->end() || !list->is_array()) return fail("has no array \"rules\"");
  if (const Status status = check_keys(*document, k_file_keys); !status) return fail(status.message());

  std::vector<Rule> rules;
  for (const json& entry : *list) {
    const std::string place = "rule " + std::to_string(rules.size() + 1);
    auto rule = parse_rule(entry);
    if (!rule) return fail(place + ": " + rule.status().message());
    rule->origin = origin + ", " + place;
    rules.push_back(std::move(*rule));
  }
  return rules;
}

Result<std::vector<Rule>> load_rules(const std::string& file_name) {
  const auto text = base::read_file(file_name);
  if (!text) return Status(text.status().code(), "rules file " + text.status().message());
  return parse_rules(*text, file_name);
}

}  // namespace tutti::select
