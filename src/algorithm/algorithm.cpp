#include "algorithm/algorithm.hpp"

#include <vector>

#include "algorithm/catalogue.hpp"
#include "base/text.hpp"

namespace tutti::algorithm {

using base::in_quotes;
using base::Result;
using base::Status;

namespace {

using Words = std::vector<std::string_view>;

/// Error "unknown WHAT 'word' (did you mean …?); known: a, b, c".
Status unknown(const std::string& what, std::string_view word, const Words& known) {
  std::string message = "unknown " + what + ' ' + in_quotes(word) + base::did_you_mean(word, known);
  for (size_t i = 0; i < known.size(); ++i) message += (i == 0 ? "; known: " : ", ") + std::string(known[i]);
  if (known.empty()) message += "; there are none";
  return Status::invalid_argument(std::move(message));
}

std::string format_value(const Parameter& parameter, uint64_t value) {
  switch (parameter.unit) {
    case Parameter::Unit::bytes:
      return base::format_bytes(value);
    case Parameter::Unit::choice:
      return std::string(parameter.choices[value]);
    case Parameter::Unit::count:
      break;
  }
  return std::to_string(value);
}

/// "bcast chain: segment": names the parameter in messages.
std::string place_of(const Algorithm& algorithm, const Parameter& parameter) {
  return std::string(to_string(algorithm.collective)) + ' ' + std::string(algorithm.name) + ": " +
         std::string(parameter.name);
}

Result<uint64_t> parse_value(const Algorithm& algorithm, const Parameter& parameter, std::string_view text) {
  if (parameter.unit == Parameter::Unit::choice) {
    for (size_t i = 0; i < parameter.choices.size(); ++i)
      if (parameter.choices[i] == text) return i;
    return unknown("value for " + place_of(algorithm, parameter), text,
                   Words(parameter.choices.begin(), parameter.choices.end()));
  }
  const bool is_bytes = parameter.unit == Parameter::Unit::bytes;
  auto value = is_bytes ? base::parse_bytes(text) : base::parse_count(text);
  if (!value)
    return Status::invalid_argument(place_of(algorithm, parameter) + ": " + value.status().message());
  if (*value < parameter.min || *value > parameter.max)
    return Status::invalid_argument(place_of(algorithm, parameter) + '=' + std::string(text) +
                                    " is outside " + format_value(parameter, parameter.min) + " to " +
                                    format_value(parameter, parameter.max));
  return value;
}

/// Removes and returns the text before the next ':'; the ':' is removed, too.
std::string_view take_word(std::string_view& rest) {
  const size_t end = rest.find(':');
  const std::string_view word = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  return word;
}

Result<const Algorithm*> parse_name(Collective collective, std::string_view name) {
  if (const Algorithm* algorithm = find(collective, name)) return algorithm;
  Words known;
  for (const Algorithm* row : catalogue())
    if (row->collective == collective) known.push_back(row->name);
  return unknown(std::string(to_string(collective)) + " algorithm", name, known);
}

/// Parses "parameter=value" into `choice`; `seen` has a bit per parameter that was already given.
Status parse_setting(std::string_view setting, Choice* choice, uint32_t* seen) {
  const Algorithm& algorithm = *choice->algorithm;
  const std::string owner = std::string(to_string(algorithm.collective)) + ' ' + std::string(algorithm.name);
  const size_t equals = setting.find('=');
  if (equals == std::string_view::npos)
    return Status::invalid_argument(owner + ": " + in_quotes(setting) +
                                    " is not of the form parameter=value");
  const std::string_view name = setting.substr(0, equals);
  Words known;
  for (size_t i = 0; i < algorithm.parameters.size(); ++i) {
    const Parameter& parameter = algorithm.parameters[i];
    known.push_back(parameter.name);
    if (parameter.name != name) continue;
    if ((*seen >> i & 1) != 0)
      return Status::invalid_argument(owner + ": " + in_quotes(name) + " is given twice");
    *seen |= 1u << i;
    auto value = parse_value(algorithm, parameter, setting.substr(equals + 1));
    if (value) choice->parameters.values[i] = *value;
    return value.status();
  }
  return unknown("parameter of " + owner, name, known);
}

}  // namespace

ParameterSet default_parameters(const Algorithm& algorithm) {
  ParameterSet set;
  for (size_t i = 0; i < algorithm.parameters.size(); ++i)
    set.values[i] = algorithm.parameters[i].default_value;
  return set;
}

Result<Choice> parse_choice(Collective collective, std::string_view text) {
  std::string_view rest = text;
  const auto algorithm = parse_name(collective, take_word(rest));
  if (!algorithm) return algorithm.status();
  Choice choice{*algorithm, default_parameters(**algorithm)};
  // A colon must be followed by a parameter: "chain:" is an error, not "chain".
  const bool ends_in_colon = !text.empty() && text.back() == ':';
  uint32_t seen = 0;
  while (!rest.empty())
    if (Status status = parse_setting(take_word(rest), &choice, &seen); !status) return status;
  if (ends_in_colon) return parse_setting({}, &choice, &seen);
  return choice;
}

std::string to_string(const Choice& choice) {
  std::string text(choice.algorithm->name);
  for (size_t i = 0; i < choice.algorithm->parameters.size(); ++i) {
    const Parameter& parameter = choice.algorithm->parameters[i];
    if (choice.parameters[i] == parameter.default_value) continue;
    text += ':' + std::string(parameter.name) + '=' + format_value(parameter, choice.parameters[i]);
  }
  return text;
}

}  // namespace tutti::algorithm
