#include "command/prefix.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>

#include "command/launcher.hpp"

namespace tutti::command {

namespace {

/// A known prefix command. Options come first, in the syntax of getopt: letters combined in one word, with a value in
/// the same or the next word; long names, which may be abbreviated, with a value after '=' or in the next word.
struct PrefixRow {
  std::string_view name;
  std::string_view letters;           // short options with a value
  std::string_view long_names;        // long options with a value, each followed by a space
  std::string_view other_use;         // short options with which the command starts no other command
  std::string_view first_words = {};  // first word, each followed by a space; or an option
  enum class Words {
    none,
    one,
    number_if_any,
    assignments
  } words = Words::none;  // between options and command
};

constexpr auto k_rows = std::to_array<PrefixRow>({
    {"env", "uCS", "unset chdir split-string ", "", "", PrefixRow::Words::assignments},
    {"timeout", "ks", "kill-after signal ", "", "", PrefixRow::Words::one},
    {"nice", "n", "adjustment ", ""},
    {"ionice", "cn", "class classdata ", "pPu"},
    {"nohup", "", "", ""},
    {"setsid", "", "", ""},
    {"chrt", "TPD", "sched-runtime sched-period sched-deadline ", "pm", "", PrefixRow::Words::number_if_any},
    {"taskset", "", "", "p", "", PrefixRow::Words::one},
    {"numactl", "ipPmNCwL",
     "interleave weighted-interleave preferred preferred-many membind cpunodebind physcpubind length offset "
     "shmmode ",
     "sH"},
    {"hwloc-bind", "", "mempolicy restrict ", "", "", PrefixRow::Words::one},
    {"stdbuf", "ioe", "input output error ", ""},
    {"time", "fo", "format output ", ""},
    {"xvfb-run", "efnpsw", "error-file auth-file server-num xauth-protocol server-args wait ", ""},
    {"perf", "eporRICxtDGMFcmu",
     "event pid output repeat record interval-print cpu field-separator tid delay cgroup metrics freq count "
     "mmap-pages call-graph ",
     "", "stat record trace "},
    {"strace", "aeEIoOpPsSuUXb",
     "columns env expr output attach trace trace-path string-limit summary-sort-by user detach-on "
     "interruptible "
     "overhead summary-columns const-print-style ",
     ""},
    {"ltrace", "aADeFlLnopsuUwx", "align debug output library indent config where ", ""},
    {"catchsegv", "", "", ""},
    {"valgrind", "", "", ""},
    {"setarch", "", "", "", "x86_64 i386 i686 aarch64 ppc64le linux32 linux64 "},
    {"prlimit", "", "", "p"},
    {"choom", "n", "adjust ", "p"},
    {"flock", "wE", "timeout wait conflict-exit-code ", "", "", PrefixRow::Words::one},
    {"cpulimit", "lePc", "limit exe path cpu ", "p"},
    {"tini", "pe", "", ""},
    {"dumb-init", "r", "rewrite ", ""},
    {"unbuffer", "", "", ""},
});

/// Matches names found in PATH or in system folders; ./time is a program of the user.
const PrefixRow* row_of(std::string_view word) {
  const size_t slash = word.rfind('/');
  if (slash != std::string_view::npos) {
    const std::string_view folder = word.substr(0, slash);
    if (!word.starts_with('/') || !(folder.ends_with("/bin") || folder.ends_with("/sbin"))) return nullptr;
    word.remove_prefix(slash + 1);
  }
  const auto* const found = std::ranges::find(k_rows, word, &PrefixRow::name);
  return found == k_rows.end() ? nullptr : found;
}

bool has_word(std::string_view list, std::string_view word, bool may_be_shortened) {
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find(' '));
    if (one == word || (may_be_shortened && one.starts_with(word))) return true;
    list.remove_prefix(one.size() + 1);
  }
  return false;
}

bool is_number(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// Parses one prefix command.
class PrefixReader {
 public:
  PrefixReader(const PrefixRow& row, const Words& line, size_t first, size_t end)
      : row_(row), line_(line), at_(first + 1), end_(end) {}

  /// Index of the command that it starts; nullopt if there is none.
  std::optional<size_t> command() {
    if (!row_.first_words.empty() && at_ < end_ && !line_[at_].starts_with('-')) {
      if (!has_word(row_.first_words, line_[at_], false)) return std::nullopt;
      ++at_;
    }
    while (at_ < end_ && !starts_nothing_ && read_option()) {
    }
    read_words();
    if (starts_nothing_ || at_ >= end_) return std::nullopt;
    return at_;
  }

  const std::string& hides_preload() const { return hides_preload_; }

 private:
  bool is_env() const { return row_.words == PrefixRow::Words::assignments; }

  void hide(std::string_view what) {
    if (is_env()) hides_preload_ = std::string(row_.name) + ' ' + std::string(what);
  }

  /// Returns false if the word is not an option, or is "--", which is consumed.
  bool read_option() {
    const std::string_view word = line_[at_];
    if (!word.starts_with('-')) return false;
    ++at_;
    if (word == "--") return false;
    if (word == "-") hide("-");
    if (word.starts_with("--"))
      read_long(word.substr(2));
    else
      read_letters(word.substr(1));
    return true;
  }

  void read_long(std::string_view option) {
    const std::string_view name = option.substr(0, option.find('='));
    std::string_view value =
        name.size() < option.size() ? option.substr(name.size() + 1) : std::string_view();
    const bool takes_next = name.size() == option.size() && has_word(row_.long_names, name, true);
    if (takes_next && at_ < end_) value = line_[at_++];
    if (has_word("ignore-environment ", name, true)) hide("--ignore-environment");
    if (has_word("unset ", name, true) && value == k_preload) hide("--unset=LD_PRELOAD");
  }

  void read_letters(std::string_view letters) {
    while (!letters.empty()) {
      const char letter = letters.front();
      letters.remove_prefix(1);
      if (row_.other_use.find(letter) != std::string_view::npos) starts_nothing_ = true;
      if (letter == 'i') hide("-i");
      if (row_.letters.find(letter) == std::string_view::npos) continue;
      std::string_view value = letters;
      if (value.empty() && at_ < end_) value = line_[at_++];
      if (letter == 'u' && value == k_preload) hide("-u LD_PRELOAD");
      return;
    }
  }

  void read_words() {
    if (row_.words == PrefixRow::Words::one && ++at_ < end_ && line_[at_] == "--") ++at_;
    if (row_.words == PrefixRow::Words::number_if_any && at_ < end_ && is_number(line_[at_])) ++at_;
    if (!is_env()) return;
    for (; at_ < end_ && line_[at_].find('=') != std::string::npos; ++at_)
      if (line_[at_].starts_with("LD_PRELOAD=")) hide("LD_PRELOAD=…");
  }

  const PrefixRow& row_;
  const Words& line_;
  size_t at_, end_;
  bool starts_nothing_ = false;
  std::string hides_preload_;
};

}  // namespace

Prefix read_prefix(const Words& line, size_t first, size_t end) {
  end = std::min(end, line.size());
  Prefix prefix{first, {}};
  while (prefix.command < end) {
    const PrefixRow* const row = row_of(line[prefix.command]);
    if (row == nullptr) break;
    PrefixReader reader(*row, line, prefix.command, end);
    const auto next = reader.command();
    if (!next) break;
    prefix.command = *next;
    if (!reader.hides_preload().empty()) prefix.hides_preload = reader.hides_preload();
  }
  return prefix;
}

std::vector<std::string> known_prefixes() {
  std::vector<std::string> names;
  for (const PrefixRow& row : k_rows) names.emplace_back(row.name);
  return names;
}

}  // namespace tutti::command
