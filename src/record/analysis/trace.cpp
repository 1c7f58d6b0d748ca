#include "record/analysis/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tutti::record::analysis {

namespace {

using Json = nlohmann::json;

/// Writes the events of one trace.
class Trace {
 public:
  Trace(const Analysis& of, Symbols* symbols) : of_(of), symbols_(symbols) {
    for (const WaitedCall& call : of.worst_calls)
      for (const MemberCall& one : call.call.calls)
        if (one.is_present) begin_ns_ = std::min(begin_ns_, one.arrival_ns);
  }

  Json events() {
    for (size_t node = 0; node < of_.nodes.size(); ++node)
      name("process_name", node, std::nullopt,
           fmt::format("node {} {}", of_.nodes[node].number, of_.nodes[node].host));
    for (size_t rank = 0; rank < of_.ranks.size(); ++rank)
      if (of_.ranks[rank].has_file)
        name("thread_name", of_.ranks[rank].node, rank, fmt::format("rank {}", rank));
    for (const WaitedCall& call : of_.worst_calls) add(call);
    return std::move(events_);
  }

 private:
  void name(const char* what, size_t node, std::optional<size_t> rank, const std::string& text) {
    Json event = {{"ph", "M"}, {"name", what}, {"pid", node}, {"args", {{"name", text}}}};
    if (rank) event["tid"] = *rank;
    events_.push_back(std::move(event));
  }

  double us(int64_t at_ns) const { return static_cast<double>(at_ns - begin_ns_) / 1e3; }

  Json event(const char* phase, uint32_t rank, int64_t at_ns, const std::string& name) const {
    return {{"ph", phase}, {"name", name},   {"cat", "collective"}, {"pid", of_.ranks[rank].node},
            {"tid", rank}, {"ts", us(at_ns)}};
  }

  void add(const WaitedCall& waited) {
    const CallInstance& call = waited.call;
    const std::vector<uint32_t>& members = of_.tables.groups[call.group].members;
    const uint64_t number = ++calls_;
    for (size_t i = 0; i < members.size(); ++i) {
      const MemberCall& one = call.calls[i];
      if (!one.is_present || one.whole_ns == k_unknown_ns) continue;
      const MemberTimes& times = waited.lateness.members[i];
      const std::string title = fmt::format("{} in {}", algorithm::to_string(call.collective),
                                            symbols_->name(of_.tables.places[one.place]));
      const Json details = {{"bytes", call.bytes},
                            {"call", call.sequence},
                            {"waiting_us", static_cast<double>(times.waiting_ns) / 1e3},
                            {"waits_for_rank", members[times.awaited]},
                            {"served_by", of_.tables.choices[one.choice].choice}};
      if (call.interface == select::CallInterface::blocking)
        add_slice(members[i], one, title, details);
      else
        add_asynchronous(members[i], one, title, details, number);
    }
    if (call.interface == select::CallInterface::blocking) add_arrows(waited, members);
  }

  void add_slice(uint32_t rank, const MemberCall& one, const std::string& title, const Json& details) {
    Json slice = event("X", rank, one.arrival_ns, title);
    slice["dur"] = static_cast<double>(one.whole_ns) / 1e3;
    slice["args"] = details;
    events_.push_back(std::move(slice));
  }

  void add_asynchronous(uint32_t rank, const MemberCall& one, const std::string& title, const Json& details,
                        uint64_t number) {
    const std::string id = fmt::format("{}.{}", number, rank);
    Json begin = event("b", rank, one.arrival_ns, title);
    Json end = event("e", rank, one.arrival_ns + static_cast<int64_t>(one.whole_ns), title);
    begin["id"] = end["id"] = id;
    begin["args"] = details;
    events_.push_back(std::move(begin));
    events_.push_back(std::move(end));
  }

  void add_arrows(const WaitedCall& waited, const std::vector<uint32_t>& members) {
    for (size_t i = 0; i < members.size(); ++i) {
      const MemberTimes& times = waited.lateness.members[i];
      if (times.waiting_ns == 0 || times.awaited == i) continue;
      const int64_t at_ns = waited.call.calls[times.awaited].arrival_ns;
      Json from = event("s", members[times.awaited], at_ns, "late"),
           to = event("f", members[i], at_ns, "late");
      from["id"] = to["id"] = ++arrows_;
      to["bp"] = "e";
      events_.push_back(std::move(from));
      events_.push_back(std::move(to));
    }
  }

  const Analysis& of_;
  Symbols* symbols_;
  int64_t begin_ns_ = INT64_MAX;
  uint64_t calls_ = 0, arrows_ = 0;
  Json events_ = Json::array();
};

}  // namespace

std::string trace_json(const Analysis& analysis, Symbols* symbols) {
  return Json({{"traceEvents", Trace(analysis, symbols).events()},
               {"displayTimeUnit", "ns"},
               {"otherData",
                {{"program", analysis.run.first().description.program},
                 {"calls", analysis.worst_calls.size()},
                 {"left_out", fmt::format("{} calls with less waiting", analysis.calls_not_kept)}}}})
             .dump() +
         '\n';
}

}  // namespace tutti::record::analysis
