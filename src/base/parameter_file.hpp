#pragma once
// JSON files with the parameters of a model, described by tables of their fields:
//   {"name": "mine", "network": {"latency_ns": 1200, "because": "measured"}, …}
// In any object "because" may state the source of its numbers.

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.hpp"

namespace tutti::base {

/// A numeric member of an Object. `section`: name of the enclosing object in the file; empty: the top level.
template <class Object>
struct NumberField {
  std::string_view section, key;
  double Object::*value;
  double least, most;
  bool is_whole;
  std::string_view meaning;
};

/// A field of the file and the variable that stores it.
struct BoundField {
  std::string_view section, key;
  std::variant<double*, std::string*> value;
  double least = 0, most = 0;  // limits for a number
  bool is_whole = false;
};

inline constexpr size_t k_longest_text = 64, k_longest_reason = 4096;  // characters

/// The fields of `object`, which must outlive them: its name, its topology, and those of the table.
template <class Object>
std::vector<BoundField> fields_of(Object& object, std::span<const NumberField<Object>> numbers) {
  std::vector<BoundField> fields = {{.section = "", .key = "name", .value = &object.name},
                                    {.section = "network", .key = "topology", .value = &object.topology}};
  for (const NumberField<Object>& number : numbers)
    fields.push_back(
        {number.section, number.key, &(object.*number.value), number.least, number.most, number.is_whole});
  return fields;
}

/// Parses a file's text; variables of missing fields keep their values. Error: invalid_argument, one line.
Status read_fields(std::string_view text, std::span<const BoundField> fields);

/// All fields as JSON for read_fields().
std::string format_fields(std::span<const BoundField> fields);

/// A built-in file.
struct PublishedFile {
  std::string_view name, summary;
  std::string_view json;
};

/// The text of the built-in file `where`, or of the file of that name. Error: that of read_file(), with the names of
/// the built-in files, which are called `kind`: "machines".
Result<std::string> read_published(const std::string& where, std::span<const PublishedFile> published,
                                   std::string_view kind);

}  // namespace tutti::base
