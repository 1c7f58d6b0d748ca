#include "command/commands_json.hpp"

#include <string>

namespace tutti::command {

using Document = nlohmann::ordered_json;

namespace {

Document option_json(const CLI::Option& option) {
  Document names = Document::array();
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  Document entry = {{"names", names},
                    {"summary", option.get_description()},
                    {"takes_value", option.get_items_expected_max() > 0},
                    {"is_required", option.get_required()}};
  if (const std::string value = option.get_default_str(); !value.empty()) entry["default"] = value;
  // Format of one_of()'s description.
  const std::string type = option.get_type_name();
  const size_t open = type.find('{'), close = type.find('}');
  if (open != std::string::npos && close != std::string::npos)
    entry["choices"] = CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
  return entry;
}

Document command_json(const CLI::App& app) {
  Document entry = {{"name", app.get_name()},
                    {"summary", app.get_description()},
                    {"footer", app.get_footer()},
                    {"arguments", Document::array()},
                    {"options", Document::array()}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional())
      entry["arguments"].push_back({{"name", option->get_name(true)},
                                    {"summary", option->get_description()},
                                    {"is_required", option->get_required()}});
    else
      entry["options"].push_back(option_json(*option));
  }
  entry["commands"] = commands_json(app);
  return entry;
}

}  // namespace

Document commands_json(const CLI::App& app) {
  Document list = Document::array();
  for (const CLI::App* part : app.get_subcommands({})) list.push_back(command_json(*part));
  return list;
}

}  // namespace tutti::command
