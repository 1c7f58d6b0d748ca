#include "options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace tutti::opensm {

using base::Result;
using base::Status;

namespace {

constexpr std::array k_bases = {"minhop", "updn", "dnup", "ftree", "sssp", "dfsssp"};

Status refuse(std::string_view word, std::string_view allowed) {
  return Status::invalid_argument(fmt::format("event_plugin_options: '{}': expected {}", word, allowed));
}

template <class Number>
bool parse_number(std::string_view text, uint64_t most, Number& number) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > most) return false;
  number = static_cast<Number>(value);
  return true;
}

bool parse_base(std::string_view text, std::string& base) {
  for (const char* known : k_bases) {
    if (text != known) continue;
    base = known;
    return true;
  }
  return false;
}

bool parse_prefix(std::string_view text, Options& options) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const auto mgid = fabric::parse_mgid(text.substr(0, slash));
  if (!mgid) return false;
  options.mgid_prefix = *mgid;
  return parse_number(text.substr(slash + 1), 128, options.mgid_prefix_bits);
}

template <class Choice>
bool parse_choice(std::string_view text, std::string_view first, Choice one, std::string_view second,
                  Choice other, Choice& choice) {
  if (text != first && text != second) return false;
  choice = text == first ? one : other;
  return true;
}

Status parse_word(std::string_view word, Options& options) {
  using fabric::MergeStrategy;
  using fabric::Method;
  const size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "" : word.substr(equals + 1);
  const auto checked = [&](bool is_good, std::string_view allowed) {
    return is_good ? Status{} : refuse(word, allowed);
  };
  if (name == "base")
    return checked(parse_base(value, options.base), "base=minhop, updn, dnup, ftree, sssp or dfsssp");
  if (name == "colours")
    return checked(parse_number(value, fabric::k_most_colours, options.colours), "colours=0 to 16383");
  if (name == "reserve")
    return checked(parse_number(value, fabric::k_most_colours, options.reserve), "reserve=0 to 16383");
  if (name == "gather")
    return checked(parse_number(value, 60000, options.gather_ms), "gather=0 to 60000 milliseconds");
  if (name == "members") return checked(parse_number(value, 49151, options.members), "members=0 to 49151");
  if (name == "seed") return checked(parse_number(value, UINT64_MAX, options.seed), "seed=a number");
  if (name == "mgids") return checked(parse_prefix(value, options), "mgids=a prefix like ff18::/16");
  if (name == "merge")
    return checked(
        parse_choice(value, "keep", MergeStrategy::keep, "rebuild", MergeStrategy::rebuild, options.merge),
        "merge=keep or rebuild");
  if (name == "method")
    return checked(parse_choice(value, "guided", Method::guided, "paper", Method::paper, options.method),
                   "method=guided or paper");
  return refuse(word, "base, colours, reserve, gather, members, merge, method, mgids or seed");
}

}  // namespace

Result<Options> parse_options(std::string_view text) {
  constexpr std::string_view k_separators = " \t,";
  Options options;
  for (size_t begin = text.find_first_not_of(k_separators); begin != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(k_separators, begin), text.size());
    if (Status status = parse_word(text.substr(begin, end - begin), options); !status) return status;
    begin = text.find_first_not_of(k_separators, end);
  }
  return options;
}

bool takes(const Options& options, const fabric::Mgid& mgid) {
  const auto differs = [](uint64_t a, uint64_t b, unsigned bits) {
    return bits != 0 && (a ^ b) >> (64 - bits) != 0;
  };
  const unsigned bits = options.mgid_prefix_bits;
  return !differs(mgid.high, options.mgid_prefix.high, std::min(bits, 64u)) &&
         !differs(mgid.low, options.mgid_prefix.low, bits > 64 ? bits - 64 : 0);
}

}  // namespace tutti::opensm
