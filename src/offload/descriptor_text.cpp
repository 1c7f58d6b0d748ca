#include "offload/descriptor_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "offload/descriptor_words.hpp"

namespace tutti::offload {

namespace {

std::string list_of(const std::vector<NodeId>& nodes) {
  return nodes.empty() ? "-" : fmt::format("{}", fmt::join(nodes, " "));
}

std::string action_of(const Round& round) {
  if (round.action == Action::combine) return fmt::format("  combine, own value at {}", round.own_position);
  return round.action == Action::replace ? "  replace" : "";
}

std::string format_operand(const Descriptor& d) {
  std::string text =
      fmt::format("operation    {} of {} {}, operand", to_string(d.op), d.element_count, to_string(d.type));
  for (size_t i = 0; i < d.element_count; ++i) text += " " + format_element(d.type, d.operand[i]);
  return text + "\n";
}

}  // namespace

std::string format_element(ElementType type, uint64_t word) {
  if (type == ElementType::float64) return fmt::format("{}", std::bit_cast<double>(word));
  if (type == ElementType::int64) return fmt::format("{}", static_cast<int64_t>(word));
  return fmt::format("{}", word);
}

std::string format_text(const Descriptor& d) {
  const size_t words = encode(d).value().size();
  std::string text = fmt::format("{:<12} rank {} of {}, barrier id {}, epoch {}\n", to_string(d.kind), d.rank,
                                 d.nodes, d.barrier_id, d.epoch);
  if (d.kind == Kind::allreduce) text += format_operand(d);
  text += fmt::format("completion   {}, {} {:#x}\n", to_string(d.completion),
                      d.completion == Completion::memory_write ? "address" : "cookie", d.completion_address);
  text += fmt::format("length       {} words, {} bytes\n", words, 8 * words);
  if (d.rounds.empty()) return text + "rounds       none\n";

  size_t width = std::string_view("sends to").size();
  for (const Round& round : d.rounds) width = std::max(width, list_of(round.sends).size());
  text += fmt::format("round  {:<{}}  waits for\n", "sends to", width);
  for (size_t r = 0; r < d.rounds.size(); ++r)
    text += fmt::format("{:>5}  {:<{}}  {}{}\n", r, list_of(d.rounds[r].sends), width,
                        list_of(d.rounds[r].receives), action_of(d.rounds[r]));
  return text;
}

std::string format_hex(std::span<const uint64_t> words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) text += fmt::format("{:>3}  {:016x}\n", i, words[i]);
  return text;
}

}  // namespace tutti::offload
