#include "simulate/goal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/text.hpp"

namespace tutti::simulate {

using base::Result;
using base::Status;

namespace {

constexpr uint64_t k_most_bytes = uint64_t{1} << 40;
constexpr uint64_t k_longest_calc_ns = 1'000'000'000'000'000;  // eleven days

bool is_verb(std::string_view word) {
  return word == "send" || word == "recv" || word == "calc";
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/// Splits the text into words, without comments. Braces and colons are words.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) { advance(); }

  bool is_at_end() const { return word_.empty(); }
  std::string_view word() const { return word_; }
  uint32_t line() const { return line_; }
  bool is_in_open_comment() const { return is_open_; }

  std::string_view take() {
    const std::string_view taken = word_;
    advance();
    return taken;
  }
  bool take_if(std::string_view expected) {
    if (word_ != expected) return false;
    advance();
    return true;
  }

 private:
  void advance() {
    skip_blanks();
    line_ = line_here_;
    size_t length = 0;
    if (at_ < text_.size() && is_mark(text_[at_]))
      length = 1;
    else
      while (at_ + length < text_.size() && !is_space(text_[at_ + length]) && !is_mark(text_[at_ + length]) &&
             !starts_comment(at_ + length))
        ++length;
    word_ = text_.substr(at_, length);
    at_ += length;
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      if (starts_comment(at_))
        skip_comment();
      else if (is_space(text_[at_]))
        line_here_ += text_[at_++] == '\n' ? 1 : 0;
      else
        return;
    }
  }

  void skip_comment() {
    const bool is_line = text_[at_ + 1] == '/';
    const size_t end = text_.find(is_line ? "\n" : "*/", at_ + 2);
    is_open_ = is_open_ || (end == std::string_view::npos && !is_line);
    const size_t next = end == std::string_view::npos ? text_.size() : end + (is_line ? 0 : 2);
    line_here_ += static_cast<uint32_t>(std::ranges::count(text_.substr(at_, next - at_), '\n'));
    at_ = next;
  }

  bool starts_comment(size_t at) const {
    return text_[at] == '/' && at + 1 < text_.size() && (text_[at + 1] == '/' || text_[at + 1] == '*');
  }
  static bool is_mark(char c) { return c == '{' || c == '}' || c == ':'; }

  std::string_view text_, word_;
  size_t at_ = 0;
  uint32_t line_ = 1, line_here_ = 1;
  bool is_open_ = false;
};

class Parser {
 public:
  Parser(std::string_view text, const std::string& origin) : words_(text), origin_(origin) {}

  Result<GoalProgram> parse() {
    uint64_t count = 0;
    if (!words_.take_if("num_ranks")) return refuse("begins with num_ranks");
    if (Status status = read_number("num_ranks", 1, k_most_goal_ranks, &count); !status) return status;
    program_.ranks.resize(count);
    seen_.resize(count);
    while (!words_.is_at_end())
      if (Status status = read_rank(); !status) return status;
    if (words_.is_in_open_comment()) return refuse("a comment has no end");
    return std::move(program_);
  }

 private:
  Status refuse(const std::string& why) const { return refuse(words_.line(), why); }
  Status refuse(uint32_t line, const std::string& why) const {
    return Status::invalid_argument(fmt::format("{}:{}: {}", origin_, line, why));
  }

  Status read_number(std::string_view what, uint64_t least, uint64_t most, uint64_t* into) {
    const uint32_t line = words_.line();
    const std::string_view word = words_.take();
    return number_of(word, line, what, least, most, into);
  }
  Status number_of(std::string_view word, uint32_t line, std::string_view what, uint64_t least, uint64_t most,
                   uint64_t* into) const {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), *into);
    if (error == std::errc{} && end == word.data() + word.size() && *into >= least && *into <= most)
      return {};
    return refuse(line, fmt::format("{}: {} is not a number between {} and {}", what, base::in_quotes(word),
                                    least, most));
  }
  /// Also accepts -1 for any.
  template <class Number>
  Status read_number_or_any(std::string_view what, uint64_t most, Number* into) {
    if (words_.take_if("-1")) {
      *into = k_any;
      return {};
    }
    uint64_t number = 0;
    Status status = read_number(what, 0, most, &number);
    *into = static_cast<Number>(number);
    return status;
  }

  Status read_rank() {
    if (!words_.take_if("rank"))
      return refuse(fmt::format("{}: expected rank", base::in_quotes(words_.word())));
    uint64_t number = 0;
    const uint32_t line = words_.line();
    if (Status status = read_number("rank", 0, program_.ranks.size() - 1, &number); !status) return status;
    if (seen_[number]) return refuse(line, fmt::format("rank {} is there twice", number));
    seen_[number] = true;
    if (!words_.take_if("{")) return refuse(fmt::format("{}: expected {{", base::in_quotes(words_.word())));
    rank_ = &program_.ranks[number];
    labels_.clear();
    while (!words_.take_if("}")) {
      if (words_.is_at_end()) return refuse(fmt::format("rank {} has no }}", number));
      if (Status status = read_statement(); !status) return status;
    }
    return check_orders(line, number);
  }

  Status read_statement() {
    const uint32_t line = words_.line();
    const std::string_view label = words_.take();
    if (label == ":" || label == "{")
      return refuse(line, fmt::format("{}: expected a label", base::in_quotes(label)));
    if (words_.take_if(":")) {
      const uint32_t verb_line = words_.line();
      return read_operation(label, words_.take(), verb_line);
    }
    const bool at_start = words_.word() == "irequires";
    if (!at_start && words_.word() != "requires" && is_verb(label)) return read_operation({}, label, line);
    if (!at_start && words_.word() != "requires")
      return refuse(
          fmt::format("{}: expected a colon, requires or irequires", base::in_quotes(words_.word())));
    words_.take();
    uint32_t after = 0, before = 0;
    if (Status status = find_label(label, line, &after); !status) return status;
    const uint32_t other_line = words_.line();
    if (Status status = find_label(words_.take(), other_line, &before); !status) return status;
    rank_->orders.push_back({after, before, at_start});
    return {};
  }

  Status find_label(std::string_view label, uint32_t line, uint32_t* into) const {
    const auto found = labels_.find(std::string(label));
    if (found == labels_.end())
      return refuse(line, fmt::format("there is no {} before this", base::in_quotes(label)));
    *into = found->second;
    return {};
  }

  Status read_operation(std::string_view label, std::string_view verb, uint32_t verb_line) {
    if (!is_verb(verb))
      return refuse(verb_line, fmt::format("{}: expected send, recv or calc", base::in_quotes(verb)));
    GoalOperation made{.label = std::string(label)};
    if (!label.empty()) labels_.emplace(made.label, static_cast<uint32_t>(rank_->operations.size()));
    Status status;
    if (verb == "calc") {
      made.kind = GoalOperation::Kind::calc;
      status = read_number("calc", 0, k_longest_calc_ns, &made.amount);
    } else {
      made.kind = verb == "send" ? GoalOperation::Kind::send : GoalOperation::Kind::recv;
      status = read_message(made);
    }
    if (status.is_ok()) status = read_options(made);
    if (!status) return status;
    rank_->operations.push_back(std::move(made));
    return {};
  }

  Status read_message(GoalOperation& made) {
    const bool is_send = made.kind == GoalOperation::Kind::send;
    const uint32_t line = words_.line();
    std::string_view size = words_.take();
    if (size.ends_with('b'))
      size.remove_suffix(1);
    else if (!words_.take_if("b"))
      return refuse(line, fmt::format("{}: expected a size like 8b", base::in_quotes(size)));
    if (Status status = number_of(size, line, "size", 0, k_most_bytes, &made.amount); !status) return status;
    const std::string_view preposition = is_send ? "to" : "from";
    if (!words_.take_if(preposition))
      return refuse(fmt::format("{}: expected {}", base::in_quotes(words_.word()), preposition));
    if (!is_send) return read_number_or_any("rank", program_.ranks.size() - 1, &made.peer);
    uint64_t peer = 0;
    Status status = read_number("rank", 0, program_.ranks.size() - 1, &peer);
    made.peer = static_cast<int32_t>(peer);
    return status;
  }

  Status read_options(GoalOperation& made) {
    const bool is_message = made.kind != GoalOperation::Kind::calc;
    uint64_t number = 0;
    while (true) {
      if (is_message && words_.take_if("tag")) {
        const bool is_receive = made.kind == GoalOperation::Kind::recv;
        if (!is_receive && words_.word() == "-1") return refuse("a send has a tag");
        if (Status status = read_number_or_any("tag", INT64_MAX, &made.tag); !status) return status;
      } else if (words_.take_if("cpu")) {
        if (Status status = read_number("cpu", 0, UINT16_MAX, &number); !status) return status;
        made.cpu = static_cast<uint16_t>(number);
      } else if (is_message && words_.take_if("nic")) {
        if (Status status = read_number("nic", 0, UINT16_MAX, &number); !status) return status;
        made.nic = static_cast<uint16_t>(number);
      } else {
        return {};
      }
    }
  }

  /// Detects cycles: such operations would never begin.
  Status check_orders(uint32_t line, uint64_t number) const {
    const size_t count = rank_->operations.size();
    std::vector<uint32_t> waits_for(count);
    std::vector<std::vector<uint32_t>> then(count);
    for (const GoalOrder& order : rank_->orders) {
      ++waits_for[order.after];
      then[order.before].push_back(order.after);
    }
    std::vector<uint32_t> free;
    for (uint32_t i = 0; i < count; ++i)
      if (waits_for[i] == 0) free.push_back(i);
    for (size_t i = 0; i < free.size(); ++i)
      for (const uint32_t next : then[free[i]])
        if (--waits_for[next] == 0) free.push_back(next);
    if (free.size() == count) return {};
    const auto stuck =
        std::ranges::find_if(waits_for, [](uint32_t left) { return left > 0; }) - waits_for.begin();
    return refuse(line, fmt::format("rank {}: {} waits for itself", number,
                                    base::in_quotes(rank_->operations[static_cast<size_t>(stuck)].label)));
  }

  Words words_;
  const std::string& origin_;
  GoalProgram program_;
  std::vector<bool> seen_;
  GoalRank* rank_ = nullptr;
  std::unordered_map<std::string, uint32_t> labels_;
};

void add_operation(const GoalOperation& operation, std::string& text) {
  using Kind = GoalOperation::Kind;
  const bool is_message = operation.kind != Kind::calc;
  if (!operation.label.empty()) text += operation.label + ": ";
  if (is_message)
    text +=
        fmt::format("{} {}b {} {} tag {}", operation.kind == Kind::send ? "send" : "recv", operation.amount,
                    operation.kind == Kind::send ? "to" : "from", operation.peer, operation.tag);
  else
    text += fmt::format("calc {}", operation.amount);
  if (operation.cpu != 0) text += fmt::format(" cpu {}", operation.cpu);
  if (is_message && operation.nic != 0) text += fmt::format(" nic {}", operation.nic);
  text += '\n';
}

}  // namespace

Result<GoalProgram> parse_goal(std::string_view text, const std::string& origin) {
  return Parser(text, origin).parse();
}

std::string format_goal(const GoalProgram& program) {
  std::string text = fmt::format("num_ranks {}\n", program.ranks.size());
  for (size_t number = 0; number < program.ranks.size(); ++number) {
    const GoalRank& rank = program.ranks[number];
    text += fmt::format("\nrank {} {{\n", number);
    for (const GoalOperation& operation : rank.operations) add_operation(operation, text);
    for (const GoalOrder& order : rank.orders)
      text += fmt::format("{} {} {}\n", rank.operations[order.after].label,
                          order.at_start ? "irequires" : "requires", rank.operations[order.before].label);
    text += "}\n";
  }
  return text;
}

}  // namespace tutti::simulate
