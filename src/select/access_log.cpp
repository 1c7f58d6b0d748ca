#include "select/access_log.hpp"

#include <utility>

#include "algorithm/parts_in_access_order.hpp"
#include "base/json.hpp"

namespace tutti::select {

using base::Result;
using base::Status;
using Json = nlohmann::json;

namespace {

constexpr int k_log_schema = 1;
constexpr int k_most_log_ranks = 1 << 24;
constexpr uint64_t k_most_ns = uint64_t{1} << 62;
constexpr const char* k_own = "own";

Json json_of_use(uint64_t ns) {
  if (ns == AccessRecord::k_never) return {};
  return ns == AccessRecord::k_own ? Json(k_own) : Json(ns);
}

uint64_t use_of(const Json& json) {
  if (json.is_null()) return AccessRecord::k_never;
  if (json == k_own) return AccessRecord::k_own;
  if (!json.is_number_unsigned() || json.get<uint64_t>() > k_most_ns)
    throw Json::other_error::create(501, "a time is no whole number", &json);
  return json.get<uint64_t>();
}

Json json_of(const TracedCall& call) {
  Json uses = Json::array();
  for (const uint64_t ns : call.record.first_use_ns) uses.push_back(json_of_use(ns));
  Json json{{"collective", algorithm::to_string(call.collective)},
            {"blocks", call.blocks},
            {"communicator", call.communicator},
            {"transfer_ns", call.record.transfer_ns},
            {"first_use_ns", std::move(uses)}};
  if (call.bytes) json["bytes"] = *call.bytes;
  return json;
}

/// Reads an integer in 0..`most`.
uint64_t number(const Json& object, const char* key, uint64_t most) {
  const Json& value = object.at(key);
  if (!value.is_number_unsigned() || value.get<uint64_t>() > most)
    throw Json::other_error::create(501, std::string(key) + " is no number that can be", &value);
  return value.get<uint64_t>();
}

TracedCall call_of(const Json& json) {
  TracedCall call;
  const Json& name = json.at("collective");
  if (!name.is_string() || !from_string(name.get<std::string>(), &call.collective))
    throw Json::other_error::create(501, "there is no such collective", &name);
  if (json.contains("bytes")) call.bytes = number(json, "bytes", UINT64_MAX);
  call.blocks = static_cast<schedule::Rank>(number(json, "blocks", k_most_log_ranks));
  call.communicator = static_cast<uint32_t>(number(json, "communicator", UINT32_MAX));
  call.record.transfer_ns = number(json, "transfer_ns", k_most_ns);
  for (const Json& use : json.at("first_use_ns")) call.record.first_use_ns.push_back(use_of(use));
  if (call.blocks < 1 || call.record.first_use_ns.size() != algorithm::part_count(call.blocks))
    throw Json::other_error::create(501, "a call has too few or too many parts", &json);
  return call;
}

}  // namespace

void AccessLog::add(TracedCall call) {
  const std::lock_guard lock(mutex_);
  if (calls_.size() < k_most_calls)
    calls_.push_back(std::move(call));
  else
    ++left_out_;
}

std::string AccessLog::to_json(int rank, int rank_count) const {
  const std::lock_guard lock(mutex_);
  Json calls = Json::array();
  for (const TracedCall& call : calls_) calls.push_back(json_of(call));
  return Json{{"schema", k_log_schema},
              {"rank", rank},
              {"ranks", rank_count},
              {"left_out", left_out_},
              {"calls", std::move(calls)}}
             .dump() +
         '\n';
}

Result<ReadAccessLog> parse_access_log(std::string_view text) {
  const auto json = base::parse_json(text);
  if (!json || !json->is_object() || json->value("schema", Json()) != k_log_schema ||
      !json->contains("calls"))
    return Status::invalid_argument("is no trace of Tutti (a run with TUTTI_OVERLAP=trace writes one)" +
                                    (json ? std::string() : ": " + json.status().message()));
  try {
    ReadAccessLog log{.rank = static_cast<int>(number(*json, "rank", k_most_log_ranks)),
                      .rank_count = static_cast<int>(number(*json, "ranks", k_most_log_ranks)),
                      .left_out = number(*json, "left_out", UINT64_MAX),
                      .calls = {}};
    for (const Json& call : json->at("calls")) log.calls.push_back(call_of(call));
    return log;
  } catch (const Json::exception& error) {
    return Status::invalid_argument("is damaged: " + base::sentence_of(error));
  }
}

std::string access_log_name(int rank) {
  return "access." + std::to_string(rank) + ".json";
}

}  // namespace tutti::select
