#include "mpi/bootstrap/pmi_wire.hpp"

#include "base/text.hpp"

namespace tutti::mpi {

using base::Status;

namespace {

constexpr std::string_view k_blanks = " \n\r\t";

/// Removes the first word from `line` and returns it.
std::string_view next_word(std::string_view* line) {
  const size_t begin = line->find_first_not_of(k_blanks);
  if (begin == std::string_view::npos) return {};
  line->remove_prefix(begin);
  const std::string_view word = line->substr(0, line->find_first_of(k_blanks));
  line->remove_prefix(word.size());
  return word;
}

}  // namespace

std::optional<std::string_view> pmi_value(std::string_view line, std::string_view key) {
  for (std::string_view word = next_word(&line); !word.empty(); word = next_word(&line))
    if (word.size() > key.size() && word.starts_with(key) && word[key.size()] == '=')
      return word.substr(key.size() + 1);
  return std::nullopt;
}

Status check_pmi_answer(std::string_view line, std::string_view command) {
  if (pmi_value(line, "cmd") == command && pmi_value(line, "rc").value_or("0") == "0") return {};
  return Status::not_supported("the process manager does not answer with " + std::string(command) + ": " +
                               base::in_quotes(line));
}

base::Result<std::optional<std::string>> pmi_get_result(std::string_view line) {
  if (pmi_value(line, "cmd") != "get_result") return check_pmi_answer(line, "get_result");
  const std::optional<std::string_view> code = pmi_value(line, "rc");
  // For an unknown key, Hydra answers rc=-1, newer versions found=FALSE.
  if (code && *code != "0") return std::optional<std::string>();
  const std::optional<std::string_view> value = pmi_value(line, "value");
  if (!value || pmi_value(line, "found") == "FALSE") return std::optional<std::string>();
  return std::optional<std::string>(*value);
}

}  // namespace tutti::mpi
