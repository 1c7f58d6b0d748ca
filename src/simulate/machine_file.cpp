#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "interconnect/topology.hpp"
#include "simulate/machine.hpp"

namespace tutti::simulate {

using base::Result;
using base::Status;
using nlohmann::json;

namespace {

constexpr std::string_view k_sections[] = {"network", "node", "memory", "engine"};

std::vector<std::string_view> keys_of(std::string_view section) {
  std::vector<std::string_view> keys{"because"};
  for (const MachineParameter& parameter : machine_parameters())
    if (parameter.section == section) keys.emplace_back(parameter.key);
  if (section == "network") keys.emplace_back("topology");
  if (!section.empty()) return keys;
  keys.emplace_back("name");
  keys.insert(keys.end(), std::begin(k_sections), std::end(k_sections));
  return keys;
}

Status refuse(std::string_view key, std::string_view what) {
  return Status::invalid_argument(fmt::format("\"{}\": {}", key, what));
}

Status read_number(const json& value, const MachineParameter& parameter, Machine* into) {
  if (!value.is_number()) return refuse(parameter.key, "is not a number");
  const double number = value.get<double>();
  if (!(number >= parameter.least && number <= parameter.most))
    return refuse(parameter.key, fmt::format("is not between {} and {}", parameter.least, parameter.most));
  if (parameter.is_whole && number != std::floor(number))
    return refuse(parameter.key, "is not a whole number");
  into->*parameter.value = number;
  return {};
}

Status read_text(const json& value, std::string_view key, size_t most, std::string* into) {
  if (!value.is_string()) return refuse(key, "is not a text");
  const auto& text = value.get_ref<const std::string&>();
  if (text.empty() || text.size() > most)
    return refuse(key, fmt::format("has no text, or more than {} characters", most));
  *into = text;
  return {};
}

Status read_topology(const json& value, Machine* into) {
  if (Status status = read_text(value, "topology", 64, &into->topology); !status) return status;
  return make_links(*into, 1).status();
}

Status read_object(const json& object, std::string_view section, Machine* into);

Status read_item(std::string_view section, const std::string& key, const json& value, Machine* into) {
  const auto table = machine_parameters();
  const auto parameter = std::ranges::find_if(
      table, [&](const MachineParameter& entry) { return entry.section == section && entry.key == key; });
  std::string ignored;
  if (parameter != table.end()) return read_number(value, *parameter, into);
  if (key == "because") return read_text(value, key, 4096, &ignored);
  if (section == "network" && key == "topology") return read_topology(value, into);
  if (section.empty() && key == "name") return read_text(value, key, 64, &into->name);
  if (section.empty() && std::ranges::find(k_sections, key) != std::end(k_sections))
    return read_object(value, key, into);
  return Status::invalid_argument(fmt::format("unknown key {}{}{}", base::in_quotes(key),
                                              section.empty() ? "" : fmt::format(" in \"{}\"", section),
                                              base::did_you_mean(key, keys_of(section))));
}

/// One object of the file.
Status read_object(const json& object, std::string_view section, Machine* into) {
  if (!object.is_object())
    return section.empty() ? Status::invalid_argument("is not an object")
                           : refuse(section, "is not an object");
  for (const auto& item : object.items())
    if (Status status = read_item(section, item.key(), item.value(), into); !status) return status;
  return {};
}

}  // namespace

Result<Machine> parse_machine(std::string_view text, const std::string& origin) {
  const auto at_origin = [&](const Status& why) {
    return Status::invalid_argument(fmt::format("{}: {}", origin, why.message()));
  };
  const auto parsed = base::parse_json(text, base::JsonComments::permitted);
  if (!parsed) return at_origin(parsed.status());
  Machine machine;
  machine.name = "custom";
  if (Status status = read_object(*parsed, "", &machine); !status) return at_origin(status);
  return machine;
}

Result<Machine> load_machine(const std::string& where) {
  for (const PublishedMachine& machine : published_machines())
    if (machine.name == where) return parse_machine(machine.json, where);
  const auto text = base::read_file(where);
  if (text) return parse_machine(*text, where);
  std::string names;
  for (const PublishedMachine& machine : published_machines())
    names += (names.empty() ? "" : ", ") + std::string(machine.name);
  return Status::invalid_argument(
      fmt::format("{}; and the machines that are built in are {}", text.status().message(), names));
}

std::string format_machine(const Machine& machine) {
  nlohmann::ordered_json result;
  result["name"] = machine.name;
  result["network"]["topology"] = machine.topology;
  for (const MachineParameter& parameter : machine_parameters()) {
    auto& place = result[std::string(parameter.section)][std::string(parameter.key)];
    const double value = machine.*parameter.value;
    if (parameter.is_whole)
      place = static_cast<uint64_t>(value);
    else
      place = value;
  }
  return result.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string machine_schema() {
  using nlohmann::ordered_json;
  const auto object = [] {
    return ordered_json{{"type", "object"},
                        {"additionalProperties", false},
                        {"properties", {{"because", {{"type", "string"}, {"maxLength", 4096}}}}}};
  };
  ordered_json schema = object();
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "A machine for tutti simulate";
  schema["properties"]["name"] = {{"type", "string"}, {"minLength", 1}, {"maxLength", 64}};
  for (const std::string_view section : k_sections) schema["properties"][std::string(section)] = object();
  schema["properties"]["network"]["properties"]["topology"] = {
      {"type", "string"}, {"minLength", 1}, {"maxLength", 64}};
  for (const MachineParameter& parameter : machine_parameters())
    schema["properties"][std::string(parameter.section)]["properties"][std::string(parameter.key)] = {
        {"description", parameter.meaning},
        {"type", parameter.is_whole ? "integer" : "number"},
        {"minimum", parameter.least},
        {"maximum", parameter.most}};
  return schema.dump(2) + "\n";
}

}  // namespace tutti::simulate
