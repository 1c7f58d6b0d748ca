#include "record/analysis/assembler.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>
#include <unordered_map>

#include "record/analysis/record_check.hpp"
#include "record/clock_model.hpp"

namespace tutti::record::analysis {

namespace {

/// Calls that are told of, where a damaged file has more.
constexpr size_t k_most_unfinished = 1000;

struct CallKey {
  uint32_t group, stream, sequence;
  friend bool operator==(const CallKey&, const CallKey&) = default;
};

struct HashOfKey {
  size_t operator()(const CallKey& key) const {
    uint64_t hash = (uint64_t{key.group} << 32 | key.stream) * 0x9E3779B97F4A7C15u;
    hash = (hash ^ key.sequence) * 0xC2B2AE3D27D4EB4Fu;
    return hash ^ hash >> 29;
  }
};

template <class Key>
uint32_t number_of(std::map<Key, uint32_t>* numbers, Key key, const std::function<void()>& add) {
  const auto [found, is_new] = numbers->try_emplace(std::move(key), static_cast<uint32_t>(numbers->size()));
  if (is_new) add();
  return found->second;
}

/// One rank's records on the common clock.
class RankStream {
 public:
  RankStream(const RankOfRun& rank, bool is_reference)
      : rank_(&rank), records_(rank), clock_(rank.description.clock, is_reference) {}

  bool advance() {
    if (!records_.next(&record_)) return false;
    arrival_ns_ = clock_.at(record_.arrival_ns);
    return true;
  }
  uint64_t impossible() const { return records_.impossible(); }

  int64_t arrival_ns() const { return arrival_ns_; }
  const CallRecord& record() const { return record_; }
  const Row& row() const { return rank_->description.rows[record_.row]; }

  MemberCall call(const RunTables::OfRank& numbers) {
    const uint32_t place = numbers.places[row().place];
    MemberCall call{.is_present = true,
                    .arrival_ns = arrival_ns_,
                    .error_ns = clock_.error_ns(record_.arrival_ns),
                    .inside_ns = record_.inside_ns,
                    .whole_ns = record_.whole_ns,
                    .place = place,
                    .place_before = place_before_,
                    .choice = numbers.choices[record_.row]};
    if (left_ns_ != 0 && record_.arrival_ns >= left_ns_) call.gap_ns = record_.arrival_ns - left_ns_;
    const bool blocks = row().interface == select::CallKind::blocking && record_.inside_ns != k_unknown_ns;
    left_ns_ = blocks ? record_.arrival_ns + record_.inside_ns : 0;
    place_before_ = place;
    return call;
  }

 private:
  const RankOfRun* rank_;
  CheckedRecords records_;
  ClockModel clock_;
  CallRecord record_;
  int64_t arrival_ns_ = 0;
  uint64_t left_ns_ = 0;  // 0: unknown
  uint32_t place_before_ = 0;
};

/// Calls that some ranks have made.
class OpenCalls {
 public:
  OpenCalls(const RunTables& tables, Assembled* result) : tables_(tables), result_(result) {}

  CallInstance& at(const CallKey& key) {
    const auto [found, is_new] = open_.try_emplace(key);
    if (is_new) begin(key, &found->second);
    return found->second.call;
  }

  /// The call is complete: its memory serves another.
  void close(const CallKey& key) {
    const auto found = open_.find(key);
    spare_.push_back(std::move(found->second.call.calls));
    held_ -= spare_.back().size();
    by_age_.erase(found->second.age);
    open_.erase(found);
  }

  /// What is still open will not become complete.
  void end() {
    while (!by_age_.empty()) forget_oldest();
  }

 private:
  struct Open {
    uint64_t age = 0;  // how many had begun before
    CallInstance call;
  };

  void begin(const CallKey& key, Open* open) {
    open->age = begun_++;
    open->call.group = key.group;
    open->call.sequence = key.sequence;
    if (!spare_.empty()) {
      open->call.calls = std::move(spare_.back());
      spare_.pop_back();
    }
    open->call.calls.assign(tables_.groups[key.group].members.size(), MemberCall{});
    held_ += open->call.calls.size();
    by_age_.emplace(open->age, key);
    while (held_ > k_most_open && by_age_.size() > 1) forget_oldest();
  }

  void forget_oldest() {
    const auto found = open_.find(by_age_.begin()->second);
    by_age_.erase(by_age_.begin());
    held_ -= found->second.call.calls.size();
    abandon(std::move(found->second.call));
    open_.erase(found);
  }

  void abandon(CallInstance call) {
    if (std::ranges::none_of(call.calls, is_under_way)) {
      ++result_->incomplete;
    } else if (call.interface == select::CallKind::blocking) {
      if (result_->unfinished.size() < k_most_unfinished) result_->unfinished.push_back(std::move(call));
    } else {
      ++result_->incomplete;
      keep_last(std::move(call));
    }
  }

  void keep_last(CallInstance call) {
    const auto same = std::ranges::find_if(result_->unfinished, [&](const CallInstance& other) {
      return other.group == call.group && other.interface == call.interface;
    });
    if (same == result_->unfinished.end())
      result_->unfinished.push_back(std::move(call));
    else if (same->sequence < call.sequence)
      *same = std::move(call);
  }

  const RunTables& tables_;
  Assembled* result_;
  std::unordered_map<CallKey, Open, HashOfKey> open_;
  std::map<uint64_t, CallKey> by_age_;  // those of open_
  std::vector<std::vector<MemberCall>> spare_;
  uint64_t held_ = 0;  // records, in open calls
  uint64_t begun_ = 0;
};

}  // namespace

Dependence dependence_of(algorithm::Collective collective) {
  using algorithm::Collective;
  switch (collective) {
    case Collective::bcast:
    case Collective::scatter:
    case Collective::scatterv:
      return Dependence::all_on_root;
    case Collective::reduce:
    case Collective::gather:
    case Collective::gatherv:
      return Dependence::root_on_all;
    case Collective::scan:
    case Collective::exscan:
      return Dependence::on_lower_ranks;
    default:
      return Dependence::all_on_all;
  }
}

RunTables::RunTables(const RunFiles& run) {
  std::map<std::tuple<std::string, uint64_t>, uint32_t> place_numbers;
  std::map<std::tuple<std::string, std::string>, uint32_t> choice_numbers;
  std::map<std::tuple<std::vector<uint32_t>, uint32_t, uint32_t>, uint32_t> group_numbers;
  const auto place_number = [&](const Place& place) {
    return number_of(&place_numbers, {place.module, place.offset}, [&] { places.push_back(place); });
  };
  place_number({});
  std::vector<uint8_t> has_file(run.ranks, 0);
  for (const RankOfRun& rank : run.found) has_file[rank.description.rank] = 1;
  for (const RankOfRun& rank : run.found) {
    OfRank numbers;
    for (const Place& place : rank.description.places) numbers.places.push_back(place_number(place));
    for (const CommunicatorDescription& communicator : rank.description.communicators)
      numbers.groups.push_back(number_of(
          &group_numbers, {communicator.members, communicator.number, communicator.generation}, [&] {
            const auto count = std::ranges::count_if(communicator.members,
                                                     [&](uint32_t member) { return has_file[member] != 0; });
            groups.push_back({.name = communicator.name,
                              .members = communicator.members,
                              .with_files = static_cast<uint32_t>(count)});
          }));
    for (const Row& row : rank.description.rows)
      numbers.choices.push_back(number_of(&choice_numbers, {row.choice, row.reason}, [&] {
        choices.push_back({.choice = row.choice, .reason = row.reason});
      }));
    of_found.push_back(std::move(numbers));
  }
}

Assembled assemble(const RunFiles& run, const RunTables& tables,
                   const std::function<void(const CallInstance&)>& visit) {
  Assembled result;
  OpenCalls open(tables, &result);
  std::vector<RankStream> streams;
  streams.reserve(run.found.size());
  for (const RankOfRun& rank : run.found) streams.emplace_back(rank, run.has_common_clock(rank));
  using Next = std::pair<int64_t, uint32_t>;  // arrival, place among the files
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  for (uint32_t i = 0; i < streams.size(); ++i)
    if (streams[i].advance()) next.emplace(streams[i].arrival_ns(), i);
  while (!next.empty()) {
    const uint32_t i = next.top().second;
    next.pop();
    RankStream& stream = streams[i];
    const RunTables::OfRank& numbers = tables.of_found[i];
    const Row& row = stream.row();
    const CallKey key{.group = numbers.groups[row.communicator],
                      .stream = row.stream,
                      .sequence = stream.record().sequence};
    const uint32_t member = run.found[i].description.communicators[row.communicator].rank;
    CallInstance& instance = open.at(key);
    if (instance.present == 0) {
      instance.collective = row.collective;
      instance.interface = row.interface;
    }
    instance.bytes = std::max(instance.bytes, stream.record().bytes);
    if (stream.record().root != k_no_root) instance.root = stream.record().root;
    if (!instance.calls[member].is_present) ++instance.present;
    instance.calls[member] = stream.call(numbers);
    ++result.records;
    const bool is_complete = instance.present == tables.groups[key.group].with_files;
    const bool is_open = row.interface == select::CallKind::blocking && is_complete &&
                         std::ranges::any_of(instance.calls, is_under_way);
    if (is_complete && !is_open) {
      ++result.calls;
      visit(instance);
      open.close(key);
    }
    if (stream.advance()) next.emplace(stream.arrival_ns(), i);
  }
  open.end();
  for (const RankStream& stream : streams) result.impossible.push_back(stream.impossible());
  return result;
}

}  // namespace tutti::record::analysis
