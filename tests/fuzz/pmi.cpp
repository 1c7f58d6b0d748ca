// Answers of Hydra: a value is a word of the line, and what is no answer says nothing about a key.

#include "mpi/bootstrap/pmi_wire.hpp"

#include <string>

#include "target.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view line = fuzz::text_of(data, size);
  for (const std::string_view key : {"cmd", "rc", "value", ""}) {
    const auto value = mpi::pmi_value(line, key);
    if (!value) continue;
    fuzz::require(value->data() >= line.data() && value->data() + value->size() <= line.data() + line.size(),
                  "a value is part of the line");
    fuzz::require(value->find_first_of(" \n\r\t") == std::string_view::npos, "a value is one word");
    const std::string before = std::string(key) + "=";
    fuzz::require(static_cast<size_t>(value->data() - line.data()) >= before.size() &&
                      std::string_view(value->data() - before.size(), before.size()) == before,
                  "a value stands behind its key");
  }
  if (const auto status = mpi::check_pmi_answer(line, "put_result"); !status)
    fuzz::require_message(status.message());
  const auto found = mpi::pmi_get_result(line);
  if (!found) {
    fuzz::require_message(found.status().message());
    return 0;
  }
  fuzz::require(mpi::pmi_value(line, "cmd") == "get_result", "only an answer says something of a key");
  const std::optional<std::string>& value = *found;
  fuzz::require(!value || mpi::pmi_value(line, "value") == *value, "the value of a key is that of the line");
  return 0;
}
