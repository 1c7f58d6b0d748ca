#pragma once
// Files in JSON that give numbers to a model, as tables of their fields describe them:
//   {"name": "mine", "network": {"latency_ns": 1200, "because": "measured"}, …}
// "because" may say in any object where its numbers come from.

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.hpp"

namespace tutti::base {

/// A number of an Object. `section`: the object of the file in which it stands; empty: the file's own.
template <class Object>
struct NumberField {
  std::string_view section, key;
  double Object::*value;
  double least, most;
  bool is_whole;
  std::string_view meaning;
};

/// Where a field of a file is kept.
struct BoundField {
  std::string_view section, key;
  std::variant<double*, std::string*> value;
  double least = 0, most = 0;  // of a number
  bool is_whole = false;
};

inline constexpr size_t k_longest_text = 64, k_longest_reason = 4096;  // characters

/// The fields of `object`, which lives as long as they are used: its name, its topology, and those of the table.
template <class Object>
std::vector<BoundField> fields_of(Object& object, std::span<const NumberField<Object>> numbers) {
  std::vector<BoundField> fields = {{.section = "", .key = "name", .value = &object.name},
                                    {.section = "network", .key = "topology", .value = &object.topology}};
  for (const NumberField<Object>& number : numbers)
    fields.push_back(
        {number.section, number.key, &(object.*number.value), number.least, number.most, number.is_whole});
  return fields;
}

/// Reads a file's text; what is missing stays as it is. Error: invalid_argument, one line.
Status read_fields(std::string_view text, std::span<const BoundField> fields);

/// All fields as JSON; read_fields() reads it back.
std::string format_fields(std::span<const BoundField> fields);

/// A file that is built in.
struct PublishedFile {
  std::string_view name, summary;
  std::string_view json;
};

/// The text of one that is built in, or of the file `where`. Error: that of read_file(), with the names of all that are
/// built in, which are `kind`: "machines".
Result<std::string> read_published(const std::string& where, std::span<const PublishedFile> published,
                                   std::string_view kind);

}  // namespace tutti::base
