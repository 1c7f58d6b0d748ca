#include "base/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace tutti::base {

using nlohmann::json;

namespace {

/// Input iterator for the parser. `*reached` follows its position, for messages.
struct TrackedText {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at;
  const char** reached;

  reference operator*() const { return *at; }
  TrackedText& operator++() {
    *reached = ++at;
    return *this;
  }
  bool operator==(const TrackedText& other) const { return at == other.at; }
};

/// Position of the last character read: "line 3, column 7".
std::string place_in(std::string_view text, const char* reached) {
  const auto read = static_cast<size_t>(reached - text.data());
  const std::string_view before = text.substr(0, read == 0 ? 0 : read - 1);
  const size_t line = before.rfind('\n');
  const size_t column = line == std::string_view::npos ? before.size() : before.size() - line - 1;
  return fmt::format("line {}, column {}", std::count(before.begin(), before.end(), '\n') + 1, column + 1);
}

/// Checks the document without storing it; stops at the first mistake.
class MistakeFinder : public nlohmann::json_sax<json> {
 public:
  explicit MistakeFinder(const char* const* reached) : reached_(reached) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_array(size_t) override { return true; }
  bool end_array() override { return true; }
  bool start_object(size_t) override {
    keys_.emplace_back();
    return true;
  }
  bool end_object() override {
    keys_.pop_back();
    return true;
  }
  bool key(string_t& name) override {
    if (keys_.back().insert(name).second) return true;
    what_ = "key " + in_quotes(name) + " is given twice";
    where_ = *reached_;
    return false;
  }
  bool parse_error(size_t, const std::string&, const json::exception&) override {
    what_ = "is not valid JSON";
    where_ = *reached_;
    return false;
  }

  const std::string& what() const { return what_; }
  const char* where() const { return where_; }

 private:
  const char* const* reached_;
  const char* where_ = nullptr;
  std::string what_;
  std::vector<std::set<std::string>> keys_;  // keys of the enclosing objects
};

}  // namespace

Result<json> parse_json(std::string_view text, JsonComments comments) {
  // With a parser callback every array would be scanned again for each of its objects.
  const char* reached = text.data();
  MistakeFinder finder(&reached);
  const TrackedText begin{text.data(), &reached}, end{text.data() + text.size(), &reached};
  const bool permits_comments = comments == JsonComments::permitted;
  if (!json::sax_parse(begin, end, &finder, json::input_format_t::json, /*strict=*/true, permits_comments))
    return Status::invalid_argument(place_in(text, finder.where()) + ": " + finder.what());
  return json::parse(text, nullptr, /*allow_exceptions=*/false, permits_comments);
}

std::string sentence_of(const json::exception& error) {
  const std::string_view what = error.what();
  const size_t bracket = what.find("] ");
  return std::string(bracket == std::string_view::npos ? what : what.substr(bracket + 2));
}

}  // namespace tutti::base
