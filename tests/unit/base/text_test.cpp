// Numbers and words in human notation.

#include "base/text.hpp"

#include <gtest/gtest.h>

#include <array>

namespace tutti::base {
namespace {

std::string error_of(const Result<uint64_t>& result) {
  EXPECT_FALSE(result);
  if (result) return {};
  EXPECT_EQ(result.status().code(), Code::invalid_argument);
  EXPECT_EQ(result.status().message().find('\n'), std::string::npos) << result.status().message();
  return result.status().message();
}

TEST(ParseCount, WholeNumbers) {
  EXPECT_EQ(*parse_count("0"), 0u);
  EXPECT_EQ(*parse_count("0042"), 42u);
  EXPECT_EQ(*parse_count("18446744073709551615"), UINT64_MAX);
}

TEST(ParseCount, NothingElse) {
  for (const char* text : {"", " ", "-1", "+1", " 1", "1 ", "1.5", "1e3", "0x10", "4K", "one", "1\n"})
    EXPECT_NE(error_of(parse_count(text)).find("is not a whole number"), std::string::npos) << text;
  EXPECT_EQ(error_of(parse_count("18446744073709551616")), "'18446744073709551616' is too large");
}

TEST(ParseBytes, UnitsOfEitherCase) {
  EXPECT_EQ(*parse_bytes("0K"), 0u);
  EXPECT_EQ(*parse_bytes("1000"), 1000u);
  EXPECT_EQ(*parse_bytes("64K"), 65536u);
  EXPECT_EQ(*parse_bytes("64k"), 65536u);
  EXPECT_EQ(*parse_bytes("3m"), uint64_t{3} << 20);
  EXPECT_EQ(*parse_bytes("2G"), uint64_t{2} << 30);
}

TEST(ParseBytes, LimitsOfEachUnit) {
  EXPECT_EQ(*parse_bytes("18014398509481983K"), UINT64_MAX >> 10 << 10);
  EXPECT_EQ(*parse_bytes("17179869183G"), UINT64_MAX >> 30 << 30);
  EXPECT_EQ(error_of(parse_bytes("18014398509481984K")), "'18014398509481984K' is too large");
  EXPECT_EQ(error_of(parse_bytes("17179869184G")), "'17179869184G' is too large");
}

TEST(ParseBytes, NothingElse) {
  for (const char* text : {"", "K", "-1K", "4KB", "4KiB", "4 K", "4T", "1.5M", "KK"})
    error_of(parse_bytes(text));
  EXPECT_EQ(error_of(parse_bytes("xK")), "'xK' is not a number of bytes (like 4096 or 64K)");
}

TEST(FormatBytes, TakesTheLargestUnitThatDivides) {
  EXPECT_EQ(format_bytes(0), "0");
  EXPECT_EQ(format_bytes(1000), "1000");
  EXPECT_EQ(format_bytes(1024), "1K");
  EXPECT_EQ(format_bytes(1536), "1536");
  EXPECT_EQ(format_bytes(1 << 20), "1M");
  EXPECT_EQ(format_bytes(uint64_t{1} << 40), "1024G");
  EXPECT_EQ(format_bytes(UINT64_MAX), "18446744073709551615");
}

TEST(FormatBytes, ReadsBackAsTheSame) {
  for (int shift = 0; shift < 64; ++shift)
    for (const uint64_t bytes : {uint64_t{1} << shift, (uint64_t{1} << shift) - 1, (uint64_t{1} << shift) + 1,
                                 uint64_t{3} << shift, UINT64_MAX << shift})
      EXPECT_EQ(*parse_bytes(format_bytes(bytes)), bytes);
}

constexpr std::array<std::string_view, 4> k_known = {"chain", "knomial", "linear", "scatter_ring"};

TEST(Nearest, FindsLikelySlips) {
  EXPECT_EQ(nearest("chain", k_known), "chain");
  EXPECT_EQ(nearest("chian", k_known), "chain");
  EXPECT_EQ(nearest("knomal", k_known), "knomial");
  EXPECT_EQ(nearest("scater_rings", k_known), "scatter_ring");
}

TEST(Nearest, SaysNothingWhenNothingIsNear) {
  EXPECT_EQ(nearest("rabenseifner", k_known), "");
  EXPECT_EQ(nearest("", k_known), "");
  EXPECT_EQ(nearest("chain", {}), "");
}

TEST(Nearest, TheFirstOfEquallyNearOnes) {
  constexpr std::array<std::string_view, 2> k_twins = {"abcd", "abce"};
  EXPECT_EQ(nearest("abcf", k_twins), "abcd");
}

TEST(DidYouMean, IsASuffixForMessages) {
  EXPECT_EQ(did_you_mean("chian", k_known), " (did you mean chain?)");
  EXPECT_EQ(did_you_mean("rabenseifner", k_known), "");
}

TEST(InQuotes, PlainTextStaysAsItIs) {
  EXPECT_EQ(in_quotes("chain:segment=64K"), "'chain:segment=64K'");
  EXPECT_EQ(in_quotes(""), "''");
  EXPECT_EQ(in_quotes("größer"), "'größer'");
}

TEST(InQuotes, NeverBreaksTheLineOfAMessage) {
  EXPECT_EQ(in_quotes("a\nb\tc\x1b[1m\x7f"), "'a\\x0ab\\x09c\\x1b[1m\\x7f'");
  EXPECT_EQ(in_quotes(std::string_view("\0", 1)), "'\\x00'");
}

TEST(Printable, ControlCharactersBecomeSpaces) {
  EXPECT_EQ(printable("a\nb\x1b[2Jc\x7f"), "a b [2Jc ");
  EXPECT_EQ(printable("caf\xc3\xa9 \xc2\xa0"), "caf\xc3\xa9 \xc2\xa0") << "letters stay";
  EXPECT_EQ(printable("x\xc2\x9b[2J"), "x  [2J") << "the C1 controls of UTF-8";
}

TEST(EscapeXml, MarkupIsText) {
  EXPECT_EQ(escape_xml("a<b>&\"c\"\x01"), "a&lt;b&gt;&amp;&quot;c&quot; ");
  EXPECT_EQ(escape_xml("plain ä"), "plain ä");
}

TEST(InQuotes, CutsWhatNobodyWouldRead) {
  const std::string cut = in_quotes(std::string(1 << 20, 'x'));
  EXPECT_LT(cut.size(), 200u);
  EXPECT_TRUE(cut.ends_with("…'")) << cut;
}

}  // namespace
}  // namespace tutti::base
