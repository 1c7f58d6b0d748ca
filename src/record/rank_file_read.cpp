#include <algorithm>
#include <charconv>

#include "base/json.hpp"
#include "record/rank_file.hpp"

namespace tutti::record {

namespace {

using base::Status;
using Json = nlohmann::json;

/// Inconsistent contents; thrown and caught in this file.
struct FormatError {
  std::string what;
};

/// Limits for times, so that sums of a few do not overflow: 36 years, and the year 9999.
constexpr uint64_t k_most_ns = uint64_t{1} << 60, k_most_unix_s = 253'402'300'799;

template <class Number>
Number number(const Json& object, const char* name, uint64_t most = std::numeric_limits<Number>::max()) {
  const Json& value = object.at(name);
  if (!value.is_number_unsigned() || value.get<uint64_t>() > most)
    throw FormatError{std::string("\"") + name + "\" is no number that it can be"};
  return static_cast<Number>(value.get<uint64_t>());
}

std::string text(const Json& object, const char* name) {
  return object.at(name).get<std::string>();
}

std::vector<uint32_t> members_of(const Json& runs, uint32_t ranks) {
  std::vector<uint32_t> members;
  for (const Json& run : runs) {
    const auto first = run.at(0).get<int64_t>(), count = run.at(1).get<int64_t>(),
               step = run.at(2).get<int64_t>();
    const int64_t most = ranks;
    const bool fits = first >= 0 && first < most && count > 0 && count <= most && step >= -most &&
                      step <= most && first + (count - 1) * step >= 0 && first + (count - 1) * step < most &&
                      members.size() + static_cast<size_t>(count) <= ranks;
    if (!fits) throw FormatError{"a communicator has members that are not there"};
    for (int64_t i = 0; i < count; ++i) members.push_back(static_cast<uint32_t>(first + i * step));
  }
  return members;
}

CommunicatorDescription communicator_of(const Json& json, const RankDescription& of) {
  CommunicatorDescription communicator{.name = text(json, "name"),
                                       .number = number<uint32_t>(json, "number"),
                                       .generation = number<uint32_t>(json, "generation"),
                                       .rank = number<uint32_t>(json, "rank"),
                                       .members = members_of(json.at("members"), of.ranks)};
  const bool has_me =
      communicator.rank < communicator.members.size() && communicator.members[communicator.rank] == of.rank;
  if (!has_me) throw FormatError{"a communicator does not have this rank where it says"};
  return communicator;
}

Row row_of(const Json& json, const RankDescription& of) {
  Row row{.place = number<uint32_t>(json, "place"),
          .communicator = number<uint32_t>(json, "communicator"),
          .stream = number<uint32_t>(json, "stream"),
          .choice = text(json, "choice"),
          .reason = text(json, "reason")};
  if (row.place >= of.places.size() || row.communicator >= of.communicators.size())
    throw FormatError{"a row names what is not there"};
  const std::string call = text(json, "collective");
  const auto message = std::ranges::find(k_message_calls, call);
  if (!call.empty() && message != std::end(k_message_calls))
    row.message = static_cast<MessageCall>(message - std::begin(k_message_calls));
  else if (!algorithm::from_string(call, &row.collective))
    throw FormatError{"a row has no collective"};
  if (!select::from_string(text(json, "interface"), &row.interface))
    throw FormatError{"a row has no interface"};
  return row;
}

ClockSample sample_of(const Json& json) {
  const Json& offset = json.at("offset_ns");
  constexpr auto k_most = static_cast<int64_t>(k_most_ns);
  if (!offset.is_number_integer() || (offset.is_number_unsigned() && offset.get<uint64_t>() > k_most_ns) ||
      offset.get<int64_t>() > k_most || offset.get<int64_t>() < -k_most)
    throw FormatError{"\"offset_ns\" is no number that it can be"};
  return {.at_ns = number<uint64_t>(json, "at_ns", k_most_ns),
          .offset_ns = offset.get<int64_t>(),
          .error_ns = number<uint64_t>(json, "error_ns", k_most_ns)};
}

RankDescription description_of(const Json& json) {
  RankDescription of{.run = number<uint64_t>(json, "run"),
                     .rank = number<uint32_t>(json, "rank"),
                     .ranks = number<uint32_t>(json, "ranks", k_most_ranks),
                     .node = number<uint32_t>(json, "node"),
                     .nodes = number<uint32_t>(json, "nodes", k_most_ranks),
                     .machine = number<uint32_t>(json, "machine"),
                     .host = text(json, "host"),
                     .program = text(json, "program"),
                     .mpi = text(json, "mpi"),
                     .job = text(json, "job"),
                     .started_unix_s = number<int64_t>(json, "started_unix_s", k_most_unix_s),
                     .began_ns = number<uint64_t>(json, "began_ns", k_most_ns),
                     .ended_ns = number<uint64_t>(json, "ended_ns", k_most_ns),
                     .ended_by = text(json, "ended_by"),
                     .sampled_every = number<uint32_t>(json, "sampled_every"),
                     .keeps_newest = text(json, "keeps") == "newest",
                     .taken = number<uint64_t>(json, "taken"),
                     .records = number<uint64_t>(json, "records", UINT64_MAX / sizeof(PackedRecord)),
                     .communicators_left_out = number<uint64_t>(json, "communicators_left_out"),
                     .selection = text(json, "selection")};
  if (json.contains("finalize_ns")) of.finalize_ns = number<uint64_t>(json, "finalize_ns", k_most_ns);
  if (of.rank >= of.ranks || of.nodes > of.ranks || of.node >= of.nodes || of.sampled_every == 0 ||
      of.ended_ns < of.began_ns)
    throw FormatError{"rank, node or times do not fit together"};
  for (const Json& sample : json.at("clock")) of.clock.push_back(sample_of(sample));
  for (const Json& name : json.at("chain")) of.chain.push_back(name.get<std::string>());
  for (const Json& place : json.at("places"))
    of.places.push_back({.module = text(place, "module"),
                         .function = text(place, "function"),
                         .offset = number<uint64_t>(place, "offset")});
  uint64_t members = 0;
  for (const Json& communicator : json.at("communicators"))
    if ((members += of.communicators.emplace_back(communicator_of(communicator, of)).members.size()) >
        k_most_members)
      throw FormatError{"communicators have too many members"};
  for (const Json& row : json.at("rows")) of.rows.push_back(row_of(row, of));
  return of;
}

base::Result<RankDescription> checked_description(const Json& json) {
  try {
    return description_of(json);
  } catch (const Json::exception& error) {
    return Status::invalid_argument("has a damaged description: " + base::sentence_of(error));
  } catch (const FormatError& error) {
    return Status::invalid_argument("has a damaged description: " + error.what);
  }
}

bool parse_name(std::string_view name, std::string_view after, uint32_t* rank) {
  constexpr std::string_view k_before = "calls.";
  if (!name.starts_with(k_before) || !name.ends_with(after) || name.size() < k_before.size() + after.size())
    return false;
  const std::string_view digits = name.substr(k_before.size(), name.size() - k_before.size() - after.size());
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *rank);
  return error == std::errc() && end == digits.data() + digits.size();
}

uint32_t get(std::string_view file, size_t at) {
  uint32_t number = 0;
  for (size_t i = 0; i < 4; ++i) number |= uint32_t{static_cast<unsigned char>(file[at + i])} << (8 * i);
  return number;
}

}  // namespace

bool parse_rank_file_name(std::string_view name, uint32_t* rank) {
  return parse_name(name, ".rec", rank) && rank_file_name(*rank) == name;
}
bool parse_live_file_name(std::string_view name, uint32_t* rank) {
  return parse_name(name, ".live", rank) && live_file_name(*rank) == name;
}

base::Result<RankDescription> parse_lines(std::string_view lines) {
  Json whole = Json::object();
  try {
    for (size_t end; (end = lines.find('\n')) != std::string_view::npos; lines.remove_prefix(end + 1)) {
      const auto line = base::parse_json(lines.substr(0, end));
      if (!line) return Status::invalid_argument("has a damaged line: " + line.status().message());
      for (const auto& [name, part] : line->items())
        if (name == "description")
          whole = part;
        else
          whole.at(name == "communicator" ? "communicators"
                   : name == "place"      ? "places"
                                          : "rows")
              .push_back(part);
    }
  } catch (const Json::exception& error) {
    return Status::invalid_argument("has a damaged line: " + base::sentence_of(error));
  }
  return checked_description(whole);
}

base::Result<Beginning> parse_beginning(std::string_view file) {
  const size_t fixed = k_magic.size() + 8;
  if (file.size() < fixed || !file.starts_with(k_magic))
    return Status::invalid_argument("is no record of Tutti (tutti run --record FOLDER writes them)");
  const uint32_t version = get(file, k_magic.size()), bytes = get(file, k_magic.size() + 4);
  if (version != k_version)
    return Status::invalid_argument("has version " + std::to_string(version) +
                                    " of the format; this Tutti reads " + std::to_string(k_version));
  if (bytes > file.size() - fixed || bytes > k_most_description)
    return Status::invalid_argument("is cut off in its description");
  const auto json = base::parse_json(file.substr(fixed, bytes));
  if (!json) return Status::invalid_argument("has a damaged description: " + json.status().message());
  const uint64_t end = fixed + bytes;
  const uint64_t records_at = (end + sizeof(PackedRecord) - 1) / sizeof(PackedRecord) * sizeof(PackedRecord);
  auto description = checked_description(*json);
  if (!description) return description.status();
  return Beginning{.description = std::move(*description), .records_at = records_at};
}

}  // namespace tutti::record
