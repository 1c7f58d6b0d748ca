#include <cstring>

#include "base/json.hpp"
#include "record/rank_file.hpp"

namespace tutti::record {

namespace {

using Json = nlohmann::json;

/// Ranks as arithmetic progressions [first, count, step]; most communicators are a single one.
Json runs_of(std::span<const uint32_t> ranks) {
  Json runs = Json::array();
  for (size_t first = 0; first < ranks.size();) {
    size_t last = first;
    const int64_t step = first + 1 < ranks.size() ? int64_t{ranks[first + 1]} - int64_t{ranks[first]} : 1;
    while (last + 1 < ranks.size() && int64_t{ranks[last + 1]} - int64_t{ranks[last]} == step) ++last;
    runs.push_back({ranks[first], last - first + 1, step});
    first = last + 1;
  }
  return runs;
}

/// Replaces invalid UTF-8: names of files and hosts are arbitrary bytes.
std::string utf8(const std::string& text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

Json json_of(const CodeLocation& place) {
  return {{"module", utf8(place.module)}, {"function", utf8(place.function)}, {"offset", place.offset}};
}

Json json_of(const CommunicatorDescription& communicator) {
  return {{"name", utf8(communicator.name)},
          {"number", communicator.number},
          {"generation", communicator.generation},
          {"rank", communicator.rank},
          {"members", runs_of(communicator.members)}};
}

Json json_of(const Row& row) {
  return {
      {"place", row.place},
      {"communicator", row.communicator},
      {"stream", row.stream},
      {"collective", row.message == MessageCall::none ? algorithm::to_string(row.collective)
                                                      : k_message_calls[static_cast<size_t>(row.message)]},
      {"interface", select::to_string(row.interface)},
      {"choice", utf8(row.choice)},
      {"reason", utf8(row.reason)}};
}

Json json_of(const RankDescription& of) {
  Json clock = Json::array(), places = Json::array(), communicators = Json::array(), rows = Json::array();
  for (const ClockSample& sample : of.clock)
    clock.push_back(
        {{"at_ns", sample.at_ns}, {"offset_ns", sample.offset_ns}, {"error_ns", sample.error_ns}});
  for (const CodeLocation& place : of.places) places.push_back(json_of(place));
  for (const CommunicatorDescription& communicator : of.communicators)
    communicators.push_back(json_of(communicator));
  for (const Row& row : of.rows) rows.push_back(json_of(row));
  Json chain = Json::array();
  for (const std::string& name : of.chain) chain.push_back(utf8(name));
  return {{"run", of.run},
          {"rank", of.rank},
          {"ranks", of.ranks},
          {"node", of.node},
          {"nodes", of.nodes},
          {"machine", of.machine},
          {"host", utf8(of.host)},
          {"program", utf8(of.program)},
          {"mpi", utf8(of.mpi)},
          {"job", utf8(of.job)},
          {"started_unix_s", of.started_unix_s},
          {"began_ns", of.began_ns},
          {"ended_ns", of.ended_ns},
          {"ended_by", of.ended_by},
          {"finalize_ns", of.finalize_ns},
          {"clock", clock},
          {"sampled_every", of.sampled_every},
          {"keeps", of.keeps_newest ? "newest" : "oldest"},
          {"taken", of.taken},
          {"records", of.records},
          {"communicators_left_out", of.communicators_left_out},
          {"record",
           {"u64 arrival_ns", "u32 row", "u32 sequence", "c32 inside_ns", "c32 whole_ns", "c32 bytes",
            "u32 root"}},
          {"chain", chain},
          {"places", places},
          {"communicators", communicators},
          {"rows", rows},
          {"selection", utf8(of.selection)}};
}

std::string line(const char* name, Json part) {
  return Json({{name, std::move(part)}}).dump() + '\n';
}

void put(std::string* file, uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8) file->push_back(static_cast<char>(number >> shift));
}

}  // namespace

std::string rank_file_name(uint32_t rank) {
  return "calls." + std::to_string(rank) + ".rec";
}

std::string live_file_name(uint32_t rank) {
  return "calls." + std::to_string(rank) + ".live";
}

std::string line_of(const RankDescription& description) {
  return line("description", json_of(description));
}
std::string line_of(const CommunicatorDescription& communicator) {
  return line("communicator", json_of(communicator));
}
std::string line_of(const CodeLocation& place) {
  return line("place", json_of(place));
}
std::string line_of(const Row& row) {
  return line("row", json_of(row));
}

std::string rank_file(const RankDescription& description, std::span<const PackedRecord> records) {
  RankDescription whole = description;
  whole.records = records.size();
  const std::string text = json_of(whole).dump();
  std::string file(k_magic);
  put(&file, k_version);
  put(&file, static_cast<uint32_t>(text.size()));
  file += text;
  file.resize((file.size() + sizeof(PackedRecord) - 1) / sizeof(PackedRecord) * sizeof(PackedRecord), ' ');
  const size_t begin = file.size();
  file.resize(begin + records.size_bytes());
  if (!records.empty()) std::memcpy(file.data() + begin, records.data(), records.size_bytes());
  return file;
}

}  // namespace tutti::record
