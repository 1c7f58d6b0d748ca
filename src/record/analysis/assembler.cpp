#include "record/analysis/assembler.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>

#include "record/analysis/open_waits.hpp"
#include "record/analysis/record_check.hpp"
#include "record/clock_model.hpp"

namespace tutti::record::analysis {

namespace {

/// Limit for the listed calls; a damaged file may have more.
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

/// The records of one rank on the common clock, and the time that it works between them.
class RankStream {
 public:
  RankStream(const RankOfRun& rank, const RunTables& tables, bool is_reference)
      : rank_(&rank), tables_(&tables), records_(rank), clock_(rank.description.clock, is_reference) {
    const RankDescription& says = rank.description;
    const bool begins_with_the_run = !says.keeps_newest || says.taken <= says.records;
    if (begins_with_the_run) left_ns_ = clock_.at(says.began_ns);
  }

  bool advance() {
    if (!records_.next(&record_)) return false;
    arrival_ns_ = clock_.at(record_.arrival_ns);
    const uint64_t until_ns = is_blocking() ? record_.inside_ns : record_.whole_ns;
    last_sign_ns_ = std::max(last_sign_ns_,
                             arrival_ns_ + (until_ns == k_unknown_ns ? 0 : static_cast<int64_t>(until_ns)));
    return true;
  }
  uint64_t impossible() const { return records_.impossible(); }
  /// The latest time at which the rank is known to have lived, of the records read so far.
  int64_t last_sign_ns() const { return last_sign_ns_; }

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
                    .gap_ns = k_unknown_ns,
                    .worked_ns = worked_until(arrival_ns_),
                    .place = place,
                    .place_before = place_before_,
                    .choice = numbers.choices[record_.row],
                    .collective = row().collective,
                    .interface = row().interface};
    call.worked_until_waits_ns = call.worked_ns;
    enter(call.is_over() ? call.wait_begins_ns() : 0, call.is_over() ? call.end_ns() : 0);
    if (has_called_) call.gap_ns = worked_ns_ - worked_before_ns_;
    has_called_ = true;
    worked_before_ns_ = worked_ns_;
    place_before_ = place;
    return call;
  }

  /// The result has no peers yet.
  MessageWait message() {
    const MessageWait wait{.rank = {rank_->description.rank, worked_until(arrival_ns_)},
                           .peers = {},
                           .call = row().message,
                           .name = name(),
                           .arrival_ns = arrival_ns_,
                           .waited_ns = record_.inside_ns};
    enter(0, 0);
    return wait;
  }
  /// Name of a call beside collectives.
  std::string name() const {
    const bool is_known = row().choice.starts_with("MPI");
    return is_known ? row().choice : tables_->message_names[static_cast<size_t>(row().message)];
  }
  /// A loop of tests is recorded when it ends, so that another call may have been recorded during it.
  bool is_behind() const { return left_ns_ && row().message == MessageCall::poll && arrival_ns_ < *left_ns_; }
  bool is_finalized() const { return rank_->is_finalized(); }

  /// Total time that the rank has worked until `at_ns`, which must not decrease from call to call.
  uint64_t worked_until(int64_t at_ns) {
    if (!left_ns_ || at_ns <= *left_ns_) return worked_ns_;
    int64_t work_ns = at_ns - *left_ns_;
    for (const Interval& wait : waits_)
      work_ns -= std::max<int64_t>(std::min(wait.end_ns, at_ns) - std::max(wait.begin_ns, *left_ns_), 0);
    std::erase_if(waits_, [at_ns](const Interval& wait) { return wait.end_ns <= at_ns; });
    worked_ns_ += static_cast<uint64_t>(std::max<int64_t>(work_ns, 0));
    left_ns_ = at_ns;
    return worked_ns_;
  }

 private:
  bool is_blocking() const { return row().interface == select::CallInterface::blocking; }

  struct Interval {
    int64_t begin_ns, end_ns;
  };

  /// The rank enters the recorded call. If that is nonblocking, the rank waits for its end from `begin_ns` to `end_ns`.
  void enter(int64_t begin_ns, int64_t end_ns) {
    left_ns_.reset();
    if (!is_blocking()) {
      left_ns_ = arrival_ns_;
      // Waits for several calls may overlap; each moment is subtracted from the work once.
      for (const Interval& wait : waits_)
        if (wait.begin_ns <= begin_ns && begin_ns < wait.end_ns) begin_ns = wait.end_ns;
      for (Interval& wait : waits_)
        if (begin_ns <= wait.begin_ns && wait.begin_ns < end_ns)
          wait.begin_ns = std::max(end_ns, wait.begin_ns);
      if (begin_ns < end_ns) waits_.push_back({begin_ns, end_ns});
    } else if (record_.inside_ns != k_unknown_ns) {
      left_ns_ = arrival_ns_ + static_cast<int64_t>(record_.inside_ns);
    }
  }

  const RankOfRun* rank_;
  const RunTables* tables_;
  CheckedRecords records_;
  ClockModel clock_;
  CallRecord record_;
  int64_t arrival_ns_ = 0, last_sign_ns_ = INT64_MIN;
  std::optional<int64_t> left_ns_;  // begin of its current work; nullopt: unknown
  std::vector<Interval> waits_;     // for nonblocking calls
  bool has_called_ = false;
  uint64_t worked_ns_ = 0, worked_before_ns_ = 0;
  uint32_t place_before_ = 0;
};

/// The calls of which some ranks' records are still missing.
class OpenCalls {
 public:
  OpenCalls(const RunTables& tables, Assembled* result) : tables_(tables), result_(result) {}

  CallInstance& at(const CallKey& key) {
    const auto [found, is_new] = open_.try_emplace(key);
    if (is_new) begin(key, &found->second);
    return found->second.call;
  }

  /// Removes a complete call.
  CallInstance close(const CallKey& key) {
    const auto found = open_.find(key);
    CallInstance call = std::move(found->second.call);
    held_ -= call.calls.size();
    by_age_.erase(found->second.age);
    open_.erase(found);
    return call;
  }
  /// Reuses the memory of a closed call.
  void reuse(CallInstance&& call) { spare_.push_back(std::move(call.calls)); }

  /// Abandons all open calls, which cannot become complete.
  void end() {
    while (!by_age_.empty()) forget_oldest();
  }

 private:
  struct Open {
    uint64_t age = 0;  // number of calls begun before
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
    } else if (call.interface == select::CallInterface::blocking) {
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
  std::map<uint64_t, CallKey> by_age_;  // keys of open_
  std::vector<std::vector<MemberCall>> spare_;
  uint64_t held_ = 0;  // records in open calls
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

namespace {

bool has_name(const Row& row) {
  return row.message != MessageCall::none && row.choice.starts_with("MPI");
}

/// RunTables::message_names.
std::array<std::string, std::size(k_message_calls)> message_names_of(const RunFiles& run) {
  constexpr size_t k_most_named = 3;
  std::array<std::set<std::string>, std::size(k_message_calls)> called;
  for (const RankOfRun& rank : run.found)
    for (const Row& row : rank.description.rows)
      if (has_name(row)) called[static_cast<size_t>(row.message)].insert(row.choice);
  std::array<std::string, std::size(k_message_calls)> names;
  for (size_t call = 0; call < names.size(); ++call) {
    for (const std::string& name : called[call]) names[call] += (names[call].empty() ? "" : " or ") + name;
    if (called[call].empty() || called[call].size() > k_most_named) names[call] = k_mpi_calls[call];
  }
  return names;
}

}  // namespace

RunTables::RunTables(const RunFiles& run) : message_names(message_names_of(run)) {
  std::map<std::tuple<std::string, uint64_t>, uint32_t> place_numbers;
  std::map<std::tuple<std::string, std::string>, uint32_t> choice_numbers;
  std::map<std::tuple<std::vector<uint32_t>, uint32_t, uint32_t>, uint32_t> group_numbers;
  const auto place_number = [&](const CodeLocation& place) {
    return number_of(&place_numbers, {place.module, place.offset}, [&] { places.push_back(place); });
  };
  place_number({});
  std::vector<uint8_t> has_file(run.ranks, 0);
  for (const RankOfRun& rank : run.found) has_file[rank.description.rank] = 1;
  for (const RankOfRun& rank : run.found) {
    OfRank numbers;
    for (const CodeLocation& place : rank.description.places) numbers.places.push_back(place_number(place));
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

namespace {

/// Merges the streams of all ranks.
class Assembling {
 public:
  Assembling(const RunFiles& run, const RunTables& tables, const Visitor& visitor)
      : run_(run),
        tables_(tables),
        visitor_(visitor),
        open_(tables, &result_),
        stream_of_rank_(run.ranks, k_none) {
    streams_.reserve(run.found.size());
    for (uint32_t i = 0; i < run.found.size(); ++i) {
      streams_.emplace_back(run.found[i], tables, run.has_common_clock(run.found[i]));
      stream_of_rank_[run.found[i].description.rank] = i;
    }
  }

  Assembled all() {
    using Next = std::pair<int64_t, uint32_t>;  // arrival, index of the file
    std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
    for (uint32_t i = 0; i < streams_.size(); ++i)
      if (streams_[i].advance()) next.emplace(streams_[i].arrival_ns(), i);
    while (!next.empty()) {
      const auto [arrival_ns, i] = next.top();
      next.pop();
      give_held(arrival_ns);
      if (streams_[i].row().message == MessageCall::none)
        add_call(i);
      else
        add_message(i);
      ++result_.records;
      if (streams_[i].advance()) next.emplace(streams_[i].arrival_ns(), i);
    }
    give_held(INT64_MAX);
    open_.end();
    for (const RankStream& stream : streams_) {
      result_.impossible.push_back(stream.impossible());
      result_.last_signs_ns.push_back(stream.last_sign_ns());
    }
    return std::move(result_);
  }

 private:
  static constexpr uint32_t k_none = UINT32_MAX;

  void add_call(uint32_t i) {
    RankStream& stream = streams_[i];
    const RunTables::OfRank& numbers = tables_.of_found[i];
    const Row& row = stream.row();
    const CallKey key{.group = numbers.groups[row.communicator],
                      .stream = row.stream,
                      .sequence = stream.record().sequence};
    const uint32_t member = run_.found[i].description.communicators[row.communicator].rank;
    CallInstance& instance = open_.at(key);
    if (instance.present == 0) {
      instance.collective = row.collective;
      instance.interface = row.interface;
    }
    instance.bytes = std::max(instance.bytes, stream.record().bytes);
    if (stream.record().root != k_no_root) instance.root = stream.record().root;
    if (!instance.calls[member].is_present) ++instance.present;
    instance.calls[member] = stream.call(numbers);
    if (instance.present < tables_.groups[key.group].with_files) return;
    // A complete blocking call that is not over stays open until end().
    if (row.interface == select::CallInterface::blocking && std::ranges::any_of(instance.calls, is_under_way))
      return;
    ++result_.calls;
    CallInstance call = open_.close(key);
    const int64_t waits_ns = last_wait_begins(call);
    if (waits_ns > stream.arrival_ns())
      held_calls_.emplace(waits_ns, std::move(call));
    else
      give(std::move(call));
  }

  /// When the last rank of a nonblocking call begins to wait for its end; 0: unknown, or a blocking call.
  static int64_t last_wait_begins(const CallInstance& call) {
    int64_t last_ns = 0;
    if (call.interface == select::CallInterface::blocking) return last_ns;
    for (const MemberCall& one : call.calls)
      if (one.is_present && one.is_over()) last_ns = std::max(last_ns, one.wait_begins_ns());
    return last_ns;
  }

  /// Records of one rank with the same times are of one call that waits for several messages.
  void add_message(uint32_t i) {
    RankStream& stream = streams_[i];
    const CommunicatorDescription& communicator =
        run_.found[i].description.communicators[stream.row().communicator];
    const uint32_t peer = stream.record().root;
    if (stream.is_behind()) return;
    MessageWait wait = stream.message();
    if (peer < communicator.members.size())
      wait.peers.push_back({communicator.members[peer], 0});
    else if (is_for_any_member(wait.call))
      for (const uint32_t member : communicator.members)
        if (member != wait.rank.rank) wait.peers.push_back({member, 0});
    if (stream.record().inside_ns == k_unknown_ns) {
      if (!stream.is_finalized()) add_open(wait, peer < communicator.members.size(), communicator.members);
      return;
    }
    const int64_t end_ns = wait.arrival_ns + static_cast<int64_t>(wait.waited_ns);
    const auto [found, is_new] = held_messages_.try_emplace({end_ns, wait.rank.rank}, wait);
    if (!is_new && found->second.arrival_ns == wait.arrival_ns)
      found->second.peers.insert(found->second.peers.end(), wait.peers.begin(), wait.peers.end());
  }

  void add_open(const MessageWait& wait, bool has_peer, const std::vector<uint32_t>& members) {
    std::vector<OpenWait>& all = result_.open_waits;
    const bool goes_on = !all.empty() && all.back().rank == wait.rank.rank &&
                         all.back().arrival_ns == wait.arrival_ns && all.back().name == wait.name;
    if (!goes_on) {
      if (all.size() == k_most_unfinished) return;
      all.push_back({.rank = wait.rank.rank,
                     .call = wait.call,
                     .name = wait.name,
                     .peers = {},
                     .members = {},
                     .arrival_ns = wait.arrival_ns});
      if (!has_peer && wait.call == MessageCall::other && is_call_of_all(wait.name))
        all.back().members = members;
    }
    if (has_peer) all.back().peers.push_back(wait.peers.front().rank);
  }

  /// Passes on the calls and messages that end by `until_ns`. They are held until the other ranks' records up to their
  /// end are read.
  void give_held(int64_t until_ns) {
    for (;;) {
      const int64_t call_ns = held_calls_.empty() ? INT64_MAX : held_calls_.begin()->first;
      const int64_t message_ns = held_messages_.empty() ? INT64_MAX : held_messages_.begin()->first.first;
      if (held_messages_.empty() && held_calls_.empty()) return;
      if (std::min(call_ns, message_ns) > until_ns) return;
      if (call_ns < message_ns) {
        CallInstance call = std::move(held_calls_.begin()->second);
        held_calls_.erase(held_calls_.begin());
        for (size_t member = 0; member < call.calls.size(); ++member)
          if (call.calls[member].is_present)
            call.calls[member].worked_until_waits_ns =
                worked(tables_.groups[call.group].members[member], call_ns);
        give(std::move(call));
      } else {
        MessageWait wait = std::move(held_messages_.begin()->second);
        held_messages_.erase(held_messages_.begin());
        for (Worked& peer : wait.peers) peer.ns = worked(peer.rank, message_ns);
        if (visitor_.message) visitor_.message(wait);
      }
    }
  }

  uint64_t worked(uint32_t rank, int64_t at_ns) {
    const uint32_t i = stream_of_rank_[rank];
    return i == k_none ? 0 : streams_[i].worked_until(at_ns);
  }

  void give(CallInstance call) {
    visitor_.call(call);
    open_.reuse(std::move(call));
  }

  const RunFiles& run_;
  const RunTables& tables_;
  const Visitor& visitor_;
  Assembled result_;
  OpenCalls open_;
  std::vector<RankStream> streams_;
  std::vector<uint32_t> stream_of_rank_;
  std::multimap<int64_t, CallInstance> held_calls_;  // by the time at which they are passed on
  std::map<std::pair<int64_t, uint32_t>, MessageWait> held_messages_;  // by that time and rank
};

}  // namespace

Assembled assemble(const RunFiles& run, const RunTables& tables, const Visitor& visitor) {
  return Assembling(run, tables, visitor).all();
}

}  // namespace tutti::record::analysis
