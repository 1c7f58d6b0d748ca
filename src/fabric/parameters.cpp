#include "fabric/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "fabric/parse_util.hpp"

namespace tutti::fabric {

Parameters::Parameters(std::string_view name, std::string_view defaults) : name_(name), defaults_(defaults) {
  read(defaults);
}

void Parameters::read(std::string_view text) {
  const bool is_first = values_.empty();
  for (const std::string_view word : split(text, ',')) {
    const size_t equals = std::min(word.find('='), word.size());
    const std::string_view value = equals == word.size() ? std::string_view{} : word.substr(equals + 1);
    const auto found = find(word.substr(0, equals));
    if (is_first) {
      values_.emplace_back(word.substr(0, equals), value);
      continue;
    }
    if (equals == word.size() || found == values_.end())
      refuse(fmt::format("{} is no parameter (they are {})", base::in_quotes(word), defaults_));
    else if (std::find(given_.begin(), given_.end(), found->first) != given_.end())
      refuse(fmt::format("{} is given twice", found->first));
    else {
      found->second = value;
      given_.push_back(found->first);
    }
  }
}

uint32_t Parameters::number(std::string_view name, uint32_t least, uint32_t most) {
  return checked(name, find(name)->second, least, most);
}

std::vector<uint32_t> Parameters::sizes(std::string_view name, uint32_t least, uint32_t most) {
  std::vector<uint32_t> result;
  for (const std::string_view word : split(find(name)->second, 'x'))
    result.push_back(checked(name, word, least, most));
  return result;
}

Parameters::Values::iterator Parameters::find(std::string_view name) {
  return std::find_if(values_.begin(), values_.end(), [&](const auto& entry) { return entry.first == name; });
}

uint32_t Parameters::checked(std::string_view name, std::string_view text, uint32_t least, uint32_t most) {
  const auto value = base::parse_count(text);
  if (value && *value >= least && *value <= most) return static_cast<uint32_t>(*value);
  refuse(fmt::format("{}={} is not between {} and {}", name, base::in_quotes(text), least, most));
  return least;
}

void Parameters::refuse(const std::string& why) {
  if (status_) status_ = base::Status::invalid_argument(fmt::format("{}: {}", name_, why));
}

}  // namespace tutti::fabric
