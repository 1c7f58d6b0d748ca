// Rules files: a bad one gets one line that starts with its origin; a good one names algorithms that exist.

#include "select/rules.hpp"

#include "target.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto rules = select::parse_rules(fuzz::text_of(data, size), "file");
  if (!rules) {
    const std::string message = rules.status().message();
    fuzz::require_message(message);
    fuzz::require(message.starts_with("file: "), "a message starts with the origin");
    return 0;
  }
  for (const select::Rule& rule : *rules) {
    fuzz::require(rule.bytes.least <= rule.bytes.most, "a range is not empty");
    if (!rule.use.is_native() && !rule.use.is_by_agents())
      fuzz::require(rule.use.choice.algorithm->collective == rule.collective,
                    "an algorithm serves the rule's collective");
  }
  const std::string text = select::format_rules(*rules);
  const auto again = select::parse_rules(text, "file");
  fuzz::require(again.is_ok(), "what is written is a rules file");
  fuzz::require(select::format_rules(*again) == text, "rules read back as the same");
  return 0;
}
