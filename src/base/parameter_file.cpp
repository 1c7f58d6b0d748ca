#include "base/parameter_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

namespace tutti::base {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view k_because = "because";

Status refuse_value(std::string_view key, std::string_view what) {
  return Status::invalid_argument(fmt::format("\"{}\": {}", key, what));
}

Status read_number(const json& value, const BoundField& field, double* into) {
  if (!value.is_number()) return refuse_value(field.key, "is not a number");
  const double number = value.get<double>();
  if (!(number >= field.least && number <= field.most))
    return refuse_value(field.key, fmt::format("is not between {} and {}", field.least, field.most));
  if (field.is_whole && number != std::floor(number)) return refuse_value(field.key, "is not a whole number");
  *into = number;
  return {};
}

Status read_words(const json& value, std::string_view key, size_t most, std::string* into) {
  if (!value.is_string()) return refuse_value(key, "is not a text");
  const auto& text = value.get_ref<const std::string&>();
  if (text.empty() || text.size() > most)
    return refuse_value(key, fmt::format("has no text, or more than {} characters", most));
  *into = text;
  return {};
}

/// Reads the objects of one file.
class FieldReader {
 public:
  explicit FieldReader(std::span<const BoundField> fields) : fields_(fields) {}

  Status read_object(const json& object, std::string_view section) const {
    if (!object.is_object())
      return section.empty() ? Status::invalid_argument("is not an object")
                             : refuse_value(section, "is not an object");
    for (const auto& item : object.items())
      if (Status status = read_item(section, item.key(), item.value()); !status) return status;
    return {};
  }

 private:
  Status read_item(std::string_view section, const std::string& key, const json& value) const {
    const auto field = std::ranges::find_if(
        fields_, [&](const BoundField& entry) { return entry.section == section && entry.key == key; });
    std::string ignored;
    if (field != fields_.end()) return read_field(value, *field);
    if (key == k_because) return read_words(value, key, k_longest_reason, &ignored);
    if (section.empty() && is_section(key)) return read_object(value, key);
    return Status::invalid_argument(fmt::format("unknown key {}{}{}", in_quotes(key),
                                                section.empty() ? "" : fmt::format(" in \"{}\"", section),
                                                did_you_mean(key, keys_of(section))));
  }

  static Status read_field(const json& value, const BoundField& field) {
    if (double* const* number = std::get_if<double*>(&field.value)) return read_number(value, field, *number);
    return read_words(value, field.key, k_longest_text, std::get<std::string*>(field.value));
  }

  bool is_section(std::string_view key) const {
    return !key.empty() && std::ranges::find(fields_, key, &BoundField::section) != fields_.end();
  }

  std::vector<std::string_view> keys_of(std::string_view section) const {
    std::vector<std::string_view> keys{k_because};
    for (const BoundField& field : fields_) {
      if (field.section == section) keys.push_back(field.key);
      if (section.empty() && !field.section.empty()) keys.push_back(field.section);
    }
    return keys;
  }

  std::span<const BoundField> fields_;
};

ordered_json value_of(const BoundField& field) {
  if (const auto* const text = std::get_if<std::string*>(&field.value)) return **text;
  const double number = *std::get<double*>(field.value);
  return field.is_whole ? ordered_json(static_cast<uint64_t>(number)) : ordered_json(number);
}

}  // namespace

Status read_fields(std::string_view text, std::span<const BoundField> fields) {
  const auto parsed = parse_json(text, JsonComments::permitted);
  return parsed ? FieldReader(fields).read_object(*parsed, "") : parsed.status();
}

std::string format_fields(std::span<const BoundField> fields) {
  ordered_json own, sections;
  for (const BoundField& field : fields) {
    ordered_json& object = field.section.empty() ? own : sections[std::string(field.section)];
    object[std::string(field.key)] = value_of(field);
  }
  own.update(sections);
  return own.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Result<std::string> read_published(const std::string& where, std::span<const PublishedFile> published,
                                   std::string_view kind) {
  std::string names;
  for (const PublishedFile& file : published) {
    if (file.name == where) return std::string(file.json);
    names += (names.empty() ? "" : ", ") + std::string(file.name);
  }
  auto text = read_file(where);
  if (text) return text;
  return Status::invalid_argument(
      fmt::format("{}; and the {} that are built in are {}", text.status().message(), kind, names));
}

}  // namespace tutti::base
