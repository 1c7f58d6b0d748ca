#include "fabric/topology_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "fabric/graph.hpp"
#include "fabric/parse_util.hpp"

namespace tutti::fabric {

using base::Result;
using base::Status;

namespace {

/// Parses a line from its front. After a step fails, all later steps do nothing.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(line) {}

  bool is_ok() const { return is_ok_; }
  bool next_is(char letter) const { return is_ok_ && rest_.starts_with(letter); }

  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }

  /// The text between two delimiters.
  std::string_view between(char open, char close) {
    if (!next_is(open)) return fail();
    const size_t end = rest_.find(close, 1);
    if (end == std::string_view::npos) return fail();
    const std::string_view inside = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return inside;
  }

  unsigned port() { return to_port(between('[', ']')); }

  std::optional<uint64_t> optional_guid() {
    if (!next_is('(')) return std::nullopt;
    const auto guid = parse_hex(between('(', ')'));
    if (!guid) fail();
    return guid;
  }

  std::string_view word() { return take_word(rest_); }
  std::string_view rest() const { return rest_; }

  unsigned to_port(std::string_view text) {
    const auto number = base::parse_count(text);
    if (number && *number <= k_most_ports) return static_cast<unsigned>(*number);
    fail();
    return 0;
  }

 private:
  std::string_view fail() {
    is_ok_ = false;
    return {};
  }

  std::string_view rest_;
  bool is_ok_ = true;
};

Status malformed(std::string_view line, std::string_view wanted) {
  return Status::invalid_argument(fmt::format("{} is not like {}", base::in_quotes(line), wanted));
}

/// The first quoted text of a comment: the node's description.
std::string_view described_name(std::string_view rest, std::string_view otherwise) {
  const size_t comment = rest.find('#');
  if (comment == std::string_view::npos) return otherwise;
  rest.remove_prefix(comment);
  const size_t open = rest.find('"');
  const size_t close = open == std::string_view::npos ? open : rest.find('"', open + 1);
  return close == std::string_view::npos ? otherwise : rest.substr(open + 1, close - open - 1);
}

Result<TopologyLine> parse_node(std::string_view line, bool is_switch) {
  LineReader reader(line);
  reader.word();
  const std::string_view count = reader.word();
  const unsigned port_count = reader.to_port(count);
  reader.skip_space();
  const std::string_view id = reader.between('"', '"');
  if (!reader.is_ok() || port_count == 0 || id.empty())
    return malformed(line, "Switch 36 \"S-0002c9020040b160\" (1 to 254 ports)");
  // ibnetdiscover -g labels a host "Switch" if it is cabled to the spine of a chassis.
  return TopologyLine{
      NodeLine{is_switch && !is_end_port_id(id), port_count, id, described_name(reader.rest(), id)}};
}

Result<TopologyLine> parse_port(std::string_view line) {
  LineReader reader(line);
  PortLine port{};
  port.port = reader.port();
  while (reader.next_is('[')) reader.between('[', ']');  // "[ext 7]": the port label on the chassis
  port.port_guid = reader.optional_guid();
  reader.skip_space();
  port.peer_id = reader.between('"', '"');
  reader.skip_space();
  port.peer_port = reader.port();
  while (reader.next_is('[')) reader.between('[', ']');
  port.peer_guid = reader.optional_guid();
  if (!reader.is_ok()) return malformed(line, "[1] \"S-0002c9020040b160\"[2]");
  port.peer_name = described_name(reader.rest(), port.peer_id);
  return TopologyLine{port};
}

Result<TopologyLine> parse_guid(std::string_view line) {
  std::string_view text = line.substr(line.find('=') + 1);
  const size_t open = text.find('(');
  std::string_view node = text.substr(0, open);
  const auto guid = parse_hex(take_word(node));
  if (!guid) return malformed(line, "switchguid=0x2c9020040b160");
  if (open == std::string_view::npos) return TopologyLine{GuidLine{*guid, std::nullopt}};
  text.remove_prefix(open + 1);
  return TopologyLine{GuidLine{*guid, parse_hex(text.substr(0, text.find(')')))}};
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> known) {
  return std::find(known.begin(), known.end(), word) != known.end();
}

/// True for messages that ibnetdiscover and its libraries write to standard error, often redirected to the
/// same file.
bool is_warning(std::string_view word) {
  return word == "ibwarn:" || (word.ends_with(';') && word.find(".c:") != std::string_view::npos);
}

}  // namespace

Result<TopologyLine> parse_topology_line(std::string_view line) {
  std::string_view rest = line;
  const std::string_view word = take_word(rest);
  if (word.empty() || word.starts_with('#') || is_warning(word)) return TopologyLine{NothingLine{}};
  const std::string_view trimmed(word.data(), word.size() + rest.size());
  if (word.starts_with('[')) return parse_port(trimmed);
  if (is_one_of(word, {"Switch"})) return parse_node(trimmed, true);
  if (is_one_of(word, {"Ca", "Hca", "Rt", "Router"})) return parse_node(trimmed, false);
  if (is_one_of(word, {"Chassis", "Hostname:", "Non-Chassis"})) return TopologyLine{NothingLine{}};  // of -g
  if (is_one_of(word, {"iberror:", "ibpanic:"}))
    return Status::invalid_argument(fmt::format("ibnetdiscover has failed: {}", base::in_quotes(trimmed)));
  const size_t equals = word.find('=');
  const std::string_view key = word.substr(0, equals);
  if (equals != std::string_view::npos) {
    if (is_one_of(key, {"switchguid", "caguid", "hcaguid", "rtguid"})) return parse_guid(trimmed);
    if (is_one_of(key, {"vendid", "devid", "sysimgguid", "lid", "lmc"})) return TopologyLine{NothingLine{}};
  }
  if (is_one_of(word, {"include", "do", "module"}))
    return Status::not_supported(
        fmt::format("{} is a word of ibsim that is not read here; give the output of "
                    "ibnetdiscover instead",
                    base::in_quotes(word)));
  return malformed(line, "a line of ibnetdiscover (without -l, -H, -S, -R, -p) or of an ibsim net file");
}

std::optional<uint64_t> guid_in_id(std::string_view id) {
  constexpr size_t k_prefix = 2, k_digits = 16;
  if (id.size() != k_prefix + k_digits || id[1] != '-' || !is_one_of(id.substr(0, 1), {"S", "H", "R"}))
    return std::nullopt;
  return parse_hex(id.substr(k_prefix));
}

bool is_end_port_id(std::string_view id) {
  return guid_in_id(id) && !id.starts_with('S');
}

}  // namespace tutti::fabric
