#include <nlohmann/json.hpp>

#include "simulate/machine.hpp"

namespace tutti::simulate {

using base::Result;
using base::Status;

Result<Machine> parse_machine(std::string_view text, const std::string& origin) {
  Machine machine;
  machine.name = "custom";
  Status status = base::read_fields(text, base::fields_of(machine, machine_parameters()));
  if (status) status = make_links(machine, 1).status();
  if (!status) return Status::invalid_argument(origin + ": " + status.message());
  return machine;
}

Result<Machine> load_machine(const std::string& where) {
  const auto text = base::read_published(where, published_machines(), "machines");
  return text ? parse_machine(*text, where) : text.status();
}

std::string format_machine(const Machine& machine) {
  Machine copy = machine;
  return base::format_fields(base::fields_of(copy, machine_parameters()));
}

std::string machine_schema() {
  using nlohmann::ordered_json;
  const auto text = [](size_t most) {
    return ordered_json{{"type", "string"}, {"minLength", 1}, {"maxLength", most}};
  };
  const auto object = [&] {
    return ordered_json{{"type", "object"},
                        {"additionalProperties", false},
                        {"properties", {{"because", text(base::k_longest_reason)}}}};
  };
  ordered_json schema = object();
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "A machine for tutti simulate";
  schema["properties"]["name"] = text(base::k_longest_text);
  for (const MachineParameter& parameter : machine_parameters()) {
    ordered_json& section = schema["properties"][std::string(parameter.section)];
    if (section.is_null()) section = object();
    section["properties"][std::string(parameter.key)] = {{"description", parameter.meaning},
                                                         {"type", parameter.is_whole ? "integer" : "number"},
                                                         {"minimum", parameter.least},
                                                         {"maximum", parameter.most}};
  }
  schema["properties"]["network"]["properties"]["topology"] = text(base::k_longest_text);
  return schema.dump(2) + "\n";
}

}  // namespace tutti::simulate
