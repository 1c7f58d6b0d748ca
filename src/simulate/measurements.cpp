#include "simulate/measurements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/json.hpp"
#include "base/text.hpp"

namespace tutti::simulate {

using base::Result;
using base::Status;
using nlohmann::json;

namespace {

constexpr double k_most_us = 1e12;
constexpr double k_least_link_rate = 1e3, k_most_link_rate = 1e15;  // bytes per second

Result<topology::Topology> read_topology(const json& document) {
  std::vector<int32_t> node_of_rank;
  int32_t node = 0;
  for (const json& entry : document.at("ranks_of_node")) {
    if (!entry.is_number_unsigned() || entry == 0 ||
        entry.get<uint64_t>() + node_of_rank.size() > uint64_t{k_most_measured_ranks})
      return Status::invalid_argument(
          fmt::format("ranks_of_node takes numbers of ranks, together at most {}", k_most_measured_ranks));
    node_of_rank.resize(node_of_rank.size() + entry.get<size_t>(), node++);
  }
  if (node_of_rank.empty()) return Status::invalid_argument("ranks_of_node names no ranks");
  return topology::Topology::from_node_of_rank(node_of_rank);
}

Result<double> median_ns(const json& times) {
  std::vector<double> values;
  for (const json& time : times) {
    const double us = time.is_number() ? time.get<double>() : -1;
    if (!(us >= 0 && us <= k_most_us)) return Status::invalid_argument("tutti_us takes numbers of µs");
    values.push_back(us * 1000);
  }
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// nullopt: not by an algorithm of the catalogue, or without a time.
Result<std::optional<MeasuredCall>> read_call(const json& entry, schedule::Rank ranks) {
  if (!entry.is_object()) return Status::invalid_argument("a measurement is an object");
  const auto collective = algorithm::parse_collective(entry.at("collective").get<std::string>());
  const json& bytes = entry.at("bytes");
  if (!bytes.is_number_unsigned() || bytes > schedule::ScheduleBuilder::k_max_message_bytes)
    return Status::invalid_argument("bytes takes a number of bytes, at most 1G");
  const auto ns = median_ns(entry.at("tutti_us"));
  if (!ns) return ns.status();
  const auto text = entry.at("choice").get<std::string>();
  if (!collective || *ns == 0) return std::optional<MeasuredCall>();
  const auto choice = algorithm::parse_choice(*collective, text);
  if (!choice) return std::optional<MeasuredCall>();
  return std::optional<MeasuredCall>(
      {.call = {.collective = *collective, .rank_count = ranks, .bytes = bytes.get<uint64_t>()},
       .choice = *choice,
       .ns = *ns});
}

/// nullopt: the rate is missing, or 0 because no data crosses a link.
Result<std::optional<double>> read_link(const json& document) {
  const auto at = document.find("link_bytes_per_second");
  if (at == document.end() || *at == 0) return std::optional<double>();
  const double rate = at->is_number() ? at->get<double>() : 0;
  if (!(rate >= k_least_link_rate && rate <= k_most_link_rate))
    return Status::invalid_argument("link_bytes_per_second takes a number of bytes, 1e3 to 1e15, or 0");
  return std::optional(1e9 / rate);
}

Result<Measurements> read(const json& document) {
  if (!document.is_object()) return Status::invalid_argument("this is no object of measurements");
  auto topology = read_topology(document);
  if (!topology) return topology.status();
  const auto link = read_link(document);
  if (!link) return link.status();
  Measurements all{.topology = *std::move(topology), .calls = {}, .link_ns_per_byte = *link};
  for (const json& entry : document.at("measurements")) {
    auto call = read_call(entry, all.topology.rank_count());
    if (!call)
      return Status::invalid_argument(
          fmt::format("measurement {}: {}", all.calls.size() + all.others + 1, call.status().message()));
    if (*call)
      all.calls.push_back(**std::move(call));
    else
      ++all.others;
  }
  return all;
}

}  // namespace

Result<Measurements> parse_measurements(std::string_view text, const std::string& origin) {
  const auto document = base::parse_json(text);
  if (!document) return Status::invalid_argument(origin + ": " + document.status().message());
  try {
    auto all = read(*document);
    if (!all) return Status::invalid_argument(origin + ": " + all.status().message());
    return all;
  } catch (const json::exception& error) {
    return Status::invalid_argument(origin + ": " + base::sentence_of(error));
  }
}

}  // namespace tutti::simulate
