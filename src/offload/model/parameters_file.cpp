#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "offload/model/parameters.hpp"

namespace tutti::offload::model {

using base::Result;
using base::Status;
using nlohmann::json;

namespace {

constexpr std::string_view k_sections[] = {"network", "nic", "host", "engine"};

std::vector<std::string_view> keys_of(std::string_view section) {
  std::vector<std::string_view> keys;
  for (const ParameterInfo& info : parameter_table())
    if (info.section == section) keys.emplace_back(info.key);
  if (section.empty()) {
    keys.emplace_back("name");
    keys.emplace_back("because");
    keys.insert(keys.end(), std::begin(k_sections), std::end(k_sections));
  } else {
    keys.emplace_back("because");
    if (section == "network") keys.emplace_back("topology");
  }
  return keys;
}

Status unknown(std::string_view section, std::string_view key) {
  const auto known = keys_of(section);
  return Status::invalid_argument(fmt::format("unknown key {}{}{}", base::in_quotes(key),
                                              section.empty() ? "" : fmt::format(" in \"{}\"", section),
                                              base::did_you_mean(key, known)));
}

Status read_number(const json& value, const ParameterInfo& info, Parameters* into) {
  const auto refuse = [&](std::string_view what) {
    return Status::invalid_argument(fmt::format("\"{}\": {}", info.key, what));
  };
  if (!value.is_number()) return refuse("is not a number");
  const double number = value.get<double>();
  if (!(number >= info.least && number <= info.most))
    return refuse(fmt::format("is not between {} and {}", info.least, info.most));
  if (info.is_whole && number != std::floor(number)) return refuse("is not a whole number");
  into->*info.value = number;
  return {};
}

Status read_text(const json& value, std::string_view key, size_t most, std::string* into) {
  if (!value.is_string()) return Status::invalid_argument(fmt::format("\"{}\": is not a text", key));
  const auto& text = value.get_ref<const std::string&>();
  if (text.empty() || text.size() > most)
    return Status::invalid_argument(
        fmt::format("\"{}\": has no text, or more than {} characters", key, most));
  *into = text;
  return {};
}

Status read_topology(const json& value, Parameters* into) {
  if (Status status = read_text(value, "topology", 64, &into->topology); !status) return status;
  const auto made = interconnect::make_topology(into->topology, 1);
  return made ? Status{} : made.status();
}

/// One object of the file; "because" may say anywhere where numbers come from.
Status read_object(const json& object, std::string_view section, Parameters* into) {
  if (!object.is_object())
    return Status::invalid_argument(section.empty() ? "is not an object"
                                                    : fmt::format("\"{}\": is not an object", section));
  for (const auto& item : object.items()) {
    const std::string& key = item.key();
    const json& value = item.value();
    const auto table = parameter_table();
    const auto info = std::find_if(table.begin(), table.end(), [&, &name = key](const ParameterInfo& entry) {
      return entry.section == section && entry.key == name;
    });
    Status status;
    std::string ignored;
    if (info != table.end())
      status = read_number(value, *info, into);
    else if (key == "because")
      status = read_text(value, key, 4096, &ignored);
    else if (section.empty() && key == "name")
      status = read_text(value, key, 64, &into->name);
    else if (section == "network" && key == "topology")
      status = read_topology(value, into);
    else if (section.empty() &&
             std::find(std::begin(k_sections), std::end(k_sections), key) != std::end(k_sections))
      status = read_object(value, key, into);
    else
      status = unknown(section, key);
    if (!status) return status;
  }
  return {};
}

/// The engine's timers are 32-bit numbers that wrap.
Status check_timers(const Parameters& parameters) {
  const double cycles = std::max(parameters.timeout_ns, parameters.backoff_ns) * parameters.clock_mhz / 1000;
  if (std::ldexp(cycles, static_cast<int>(parameters.shift_max)) < 0x1p30) return {};
  return Status::invalid_argument(
      "\"engine\": the longest delay, timeout_ns or backoff_ns times 2^shift_max, is not below 2^30 cycles");
}

}  // namespace

Result<Parameters> parse_parameters(std::string_view text, const std::string& origin) {
  const auto refuse = [&](const std::string& why) {
    return Status::invalid_argument(fmt::format("{}: {}", origin, why));
  };
  const auto parsed = base::parse_json(text, base::JsonComments::permitted);
  if (!parsed) return refuse(parsed.status().message());
  Parameters parameters;
  parameters.name = "custom";
  if (Status status = read_object(*parsed, "", &parameters); !status) return refuse(status.message());
  if (Status status = check_timers(parameters); !status) return refuse(status.message());
  return parameters;
}

Result<Parameters> load_parameters(const std::string& where) {
  for (const PublishedSet& set : published_sets())
    if (set.name == where) return parse_parameters(set.json, where);
  const auto text = base::read_file(where);
  if (text) return parse_parameters(*text, where);
  std::string names;
  for (const PublishedSet& set : published_sets())
    names += (names.empty() ? "" : ", ") + std::string(set.name);
  return Status::invalid_argument(
      fmt::format("{}; and the sets that are built in are {}", text.status().message(), names));
}

std::string format_parameters(const Parameters& parameters) {
  nlohmann::ordered_json result;
  result["name"] = parameters.name;
  for (const ParameterInfo& info : parameter_table()) {
    auto& object = info.section.empty() ? result : result[std::string(info.section)];
    if (info.section == "network" && object.is_null()) object["topology"] = parameters.topology;
    const double value = parameters.*info.value;
    if (info.is_whole)
      object[std::string(info.key)] = static_cast<uint64_t>(value);
    else
      object[std::string(info.key)] = value;
  }
  return result.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tutti::offload::model
