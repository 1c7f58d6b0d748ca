#include "base/settings.hpp"

#include <sys/auxv.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "base/text.hpp"

namespace tutti::base {

namespace {

using Kind = Setting::Kind;

constexpr std::array<std::string_view, 4> k_wait_choices = {"auto", "spin", "yield", "sleep"};
constexpr std::array<std::string_view, 6> k_progress_choices = {"auto",         "inline",        "thread",
                                                                "thread:spare", "thread:shared", "off"};
constexpr std::array<std::string_view, 3> k_tune_choices = {"on", "all", "off"};
constexpr std::array<std::string_view, 3> k_overlap_choices = {"on", "off", "trace"};
constexpr std::array<std::string_view, 5> k_guard_choices = {"auto", "userfaultfd", "key", "userfaultfd:user",
                                                             "mprotect"};
constexpr std::array<std::string_view, 3> k_transport_choices = {"auto", "mpi", "ucx"};
constexpr std::array<std::string_view, 3> k_links_choices = {"auto", "slow", "fast"};
constexpr std::array<std::string_view, 4> k_agent_choices = {"auto", "late", "on", "off"};
constexpr std::array<std::string_view, 2> k_overflow_choices = {"drop_oldest", "drop_newest"};
constexpr std::array<std::string_view, 2> k_keep_choices = {"newest", "oldest"};
constexpr std::array<std::string_view, 2> k_cma_choices = {"auto", "off"};

constexpr std::array<std::string_view, 2> k_leader_choices = {"first", "fixed"};

constexpr Setting forced(std::string_view name) {
  return {.name = name,
          .kind = Kind::text,
          .default_value = "auto",
          .summary =
              "auto, native, agent, or an algorithm with parameters as `tutti info` lists them, like "
              "chain:segment=64K"};
}

constexpr Setting k_table[] = {
    {.name = "TUTTI",
     .kind = Kind::flag,
     .default_value = "1",
     .summary = "0 turns the preloaded library into a pass-through"},
    {.name = "TUTTI_RULES",
     .kind = Kind::text,
     .default_value = "",
     .summary = "a rules file (JSON) consulted before the built-in rules"},
    {.name = "TUTTI_REPORT",
     .kind = Kind::text,
     .default_value = "none",
     .summary =
         "end-of-run report of rank 0: none, summary (on stderr), a file for `tutti explain` (-: standard "
         "output), or memory (only for tutti_report())"},
    {.name = "TUTTI_ACTORS_PER_PROCESS",
     .kind = Kind::count,
     .default_value = "15",
     .summary = "most ranks in a process, with ranks as threads (tutti run --actors)",
     .min = 1,
     .max = 15,
     .former_name = "TUTTI_ACTORS_RANKS"},
    {.name = "TUTTI_ACTORS_LEADER",
     .kind = Kind::choice,
     .default_value = "first",
     .summary =
         "with ranks as threads, the leader of a process's ranks in collectives of several processes: first "
         "(the first to arrive) or fixed (the lowest rank)",
     .choices = k_leader_choices},
    {.name = "TUTTI_RECORD",
     .kind = Kind::text,
     .default_value = "",
     .summary = "a folder in which each rank leaves a record of its collective calls and waits for messages, "
                "for `tutti report`"},
    {.name = "TUTTI_RECORD_BYTES",
     .kind = Kind::bytes,
     .default_value = "32M",
     .summary = "memory of each rank for its record, 32 bytes a call, taken as it fills",
     .min = 4096,
     .max = uint64_t{1} << 40},
    {.name = "TUTTI_RECORD_OVERFLOW",
     .kind = Kind::choice,
     .default_value = "drop_oldest",
     .summary = "what a full record drops: the oldest calls or the newest",
     .choices = k_overflow_choices,
     .former_name = "TUTTI_RECORD_KEEP",
     .former_choices = k_keep_choices},
    {.name = "TUTTI_RECORD_SAMPLING",
     .kind = Kind::count,
     .default_value = "1",
     .summary = "records one of so many calls of each communicator, for long runs",
     .min = 1,
     .max = 1'000'000,
     .former_name = "TUTTI_RECORD_EVERY"},
    {.name = "TUTTI_RECORD_CLOCK_SYNC_INTERVAL",
     .kind = Kind::count,
     .default_value = "0",
     .summary =
         "seconds between two comparisons of the nodes' clocks in a long run; 0: when it begins and ends",
     .max = 86'400,
     .former_name = "TUTTI_RECORD_CLOCKS"},
    {.name = "TUTTI_VERBOSE",
     .kind = Kind::flag,
     .default_value = "0",
     .summary = "1 says on stderr what is set up and why something goes native"},
    {.name = "TUTTI_NODES",
     .kind = Kind::text,
     .default_value = "",
     .summary = "presents the ranks of one machine as several nodes: the node of each rank, like 0,0,1,1"},
    {.name = "TUTTI_LINKS",
     .kind = Kind::choice,
     .default_value = "auto",
     .summary = "the network between nodes: slow (the built-in rules hold, which are for links of 1 Gbit/s), "
                "fast (they do not), or auto (a few messages in MPI_Init tell)",
     .choices = k_links_choices},
    {.name = "TUTTI_AGENTS",
     .kind = Kind::choice,
     .default_value = "auto",
     .summary = "threads that carry out the network side of blocking collectives, so that a late rank does "
                "not hold up the others: on, off, late (where a setting or a rule wants one: agent, or late "
                "ranks have "
                "cost more than agents would), or auto (late where every rank has a core)",
     .choices = k_agent_choices},
    {.name = "TUTTI_WAIT",
     .kind = Kind::choice,
     .default_value = "auto",
     .summary =
         "how a rank waits: spin, yield, sleep, or auto (spin, then yield; naps where the masks and CPU "
         "quotas of all ranks leave it no processor of its own)",
     .choices = k_wait_choices},
    {.name = "TUTTI_PROGRESS",
     .kind = Kind::choice,
     .default_value = "auto",
     .summary =
         "who carries nonblocking collectives out: inline (the program, inside MPI calls), thread (a "
         "progress thread, with MPI_THREAD_MULTIPLE; thread:spare and thread:shared choose its core), off "
         "(the native MPI), or auto (a thread where the program calls such collectives, on a spare core if "
         "there is one)",
     .choices = k_progress_choices},
    {.name = "TUTTI_PROGRESS_WAIT",
     .kind = Kind::choice,
     .default_value = "auto",
     .summary = "how the progress thread waits: spin, yield, sleep, or auto (sleep on shared cores)",
     .choices = k_wait_choices},
    {.name = "TUTTI_TRANSPORT",
     .kind = Kind::choice,
     .default_value = "auto",
     .summary = "what carries the messages of nonblocking and persistent collectives: mpi, ucx (connections "
                "of their own, where UCX is installed), or auto (ucx where a progress thread serves several "
                "nodes and the MPI itself goes over UCX or TCP)",
     .choices = k_transport_choices},
    {.name = "TUTTI_OVERLAP",
     .kind = Kind::choice,
     .default_value = "off",
     .summary =
         "blocking collectives return before their data is there, and the program waits where it touches "
         "what has not arrived: on or off; trace: they wait, and record in which order it uses the data",
     .choices = k_overlap_choices},
    {.name = "TUTTI_OVERLAP_BYTES",
     .kind = Kind::bytes,
     .default_value = "64K",
     .summary = "the smallest message of a collective that returns early, counted as in rules files",
     .min = 1,
     .max = uint64_t{1} << 40},
    {.name = "TUTTI_OVERLAP_COLLECTIVES",
     .kind = Kind::text,
     .default_value = "all",
     .summary = "the collectives that return early: all, or a list like alltoall,bcast"},
    {.name = "TUTTI_OVERLAP_FOLDER",
     .kind = Kind::text,
     .default_value = "tutti-access",
     .summary = "where TUTTI_OVERLAP=trace leaves a file for each rank, for `tutti access`"},
    {.name = "TUTTI_OVERLAP_GUARD",
     .kind = Kind::choice,
     .default_value = "auto",
     .summary = "what keeps the program from data that has not arrived: userfaultfd, key (protection keys), "
                "userfaultfd:user (without rights), mprotect, or auto (the first of these that works)",
     .choices = k_guard_choices},
    {.name = "TUTTI_TUNE",
     .kind = Kind::choice,
     .default_value = "on",
     .summary = "run-time selection tries candidates in the program's own calls: on (where a built-in or "
                "learned rule "
                "chose an algorithm), all (where the rules choose the native MPI, too), or off",
     .choices = k_tune_choices},
    {.name = "TUTTI_TUNE_BUDGET",
     .kind = Kind::count,
     .default_value = "2%",
     .summary = "most that trying candidates may cost, of the elapsed time: a percentage, or a number of "
                "thousandths",
     .min = 1,
     .max = 1000,
     .is_permille = true},
    {.name = "TUTTI_LEARN",
     .kind = Kind::text,
     .default_value = "",
     .summary = "a rules file into which what run-time selection found is merged at the end of the run"},
    {.name = "TUTTI_WINDOW",
     .kind = Kind::count,
     .default_value = "2",
     .summary = "transfers in flight per peer and direction",
     .min = 1,
     .max = 64},
    {.name = "TUTTI_CMA",
     .kind = Kind::choice,
     .default_value = "auto",
     .summary = "one-copy reads between processes of a node: auto (where the kernel permits them) or off",
     .choices = k_cma_choices,
     .former_name = "TUTTI_ONE_COPY"},
    {.name = "TUTTI_SHM_SIZE",
     .kind = Kind::bytes,
     .default_value = "32M",
     .summary = "shared memory per node and job; 0 does without",
     .min = 256 << 10,
     .max = uint64_t{4} << 30,
     .takes_zero = true,
     .former_name = "TUTTI_NODE_MEMORY"},
    {.name = "TUTTI_PLAN_CACHE",
     .kind = Kind::bytes,
     .default_value = "16M",
     .summary = "memory per process for prepared schedules",
     .min = 1 << 16,
     .max = uint64_t{64} << 30},
    forced("TUTTI_BARRIER"),
    forced("TUTTI_BCAST"),
    forced("TUTTI_REDUCE"),
    forced("TUTTI_ALLREDUCE"),
    forced("TUTTI_REDUCE_SCATTER"),
    forced("TUTTI_REDUCE_SCATTER_BLOCK"),
    forced("TUTTI_ALLGATHER"),
    forced("TUTTI_ALLGATHERV"),
    forced("TUTTI_ALLTOALL"),
    forced("TUTTI_ALLTOALLV"),
    forced("TUTTI_ALLTOALLW"),
    forced("TUTTI_GATHER"),
    forced("TUTTI_GATHERV"),
    forced("TUTTI_SCATTER"),
    forced("TUTTI_SCATTERV"),
    forced("TUTTI_SCAN"),
    forced("TUTTI_EXSCAN"),
};

constexpr std::string_view k_prefix = "TUTTI_";

const Setting* find_row(std::string_view name) {
  const auto* row =
      std::find_if(std::begin(k_table), std::end(k_table), [&](const Setting& s) { return s.name == name; });
  return row == std::end(k_table) ? nullptr : row;
}

/// Thousandths, or a percentage with at most one decimal place.
Result<uint64_t> parse_permille(std::string_view value) {
  if (!value.ends_with('%')) return parse_count(value);
  const std::string_view percent = value.substr(0, value.size() - 1);
  const size_t point = percent.find('.');
  const std::string_view tenths = point == std::string_view::npos ? "0" : percent.substr(point + 1);
  const auto whole = parse_count(percent.substr(0, point)), tenth = parse_count(tenths);
  if (!whole || !tenth || tenths.size() != 1)
    return Status::invalid_argument(in_quotes(value) + " is not a percentage (like 2% or 0.5%)");
  constexpr uint64_t k_too_large = 1'000'000;
  return std::min(*whole, k_too_large) * 10 + *tenth;
}

std::string format_permille(uint64_t permille) {
  const std::string tenth = permille % 10 == 0 ? "" : "." + std::to_string(permille % 10);
  return std::to_string(permille / 10) + tenth + "%";
}

Result<uint64_t> parse_number(const Setting& setting, std::string_view value) {
  if (setting.is_permille) return parse_permille(value);
  return setting.kind == Kind::bytes ? parse_bytes(value) : parse_count(value);
}

Result<uint64_t> number_of(const Setting& setting, std::string_view value) {
  if (setting.kind == Kind::flag) {
    if (value == "0" || value == "1") return uint64_t{value == "1"};
    return Status::invalid_argument(in_quotes(value) + " is neither 0 nor 1");
  }
  const auto number = parse_number(setting, value);
  if (!number) return number.status();
  if (*number == 0 && setting.takes_zero) return *number;
  const auto shown = [&](uint64_t bound) {
    if (setting.is_permille) return format_permille(bound);
    return setting.kind == Kind::bytes ? format_bytes(bound) : std::to_string(bound);
  };
  if (*number < setting.min || *number > setting.max)
    return Status::invalid_argument(in_quotes(value) + " is not " + (setting.takes_zero ? "0 or " : "") +
                                    "between " + shown(setting.min) + " and " + shown(setting.max));
  return *number;
}

bool is_numeric(const Setting& setting) {
  return setting.kind == Kind::flag || setting.kind == Kind::count || setting.kind == Kind::bytes;
}

/// A value of a setting's former choices as its present name has it.
std::string_view present_choice(const Setting& row, std::string_view value) {
  for (size_t i = 0; i < row.former_choices.size(); ++i)
    if (row.former_choices[i] == value) return row.choices[i];
  return value;
}

std::string unknown_name(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Setting& row : k_table) known.push_back(row.name);
  return "unknown setting " + in_quotes(name) + " is ignored" + did_you_mean(name, known);
}

}  // namespace

std::span<const Setting> settings_table() {
  return k_table;
}

std::string NamedSetting::notice() const {
  return "old setting " + in_quotes(row->former_name) + " is now " + std::string(row->name) + "=" + value;
}

NamedSetting find_setting(std::string_view name, std::string_view value) {
  if (const Setting* const row = find_row(name)) return {.row = row, .value = std::string(value)};
  for (const Setting& row : k_table)
    if (!row.former_name.empty() && row.former_name == name)
      return {.row = &row, .value = std::string(present_choice(row, value)), .has_former_name = true};
  return {};
}

Settings::Settings() {
  for (const Setting& row : k_table) {
    Value value{.text = std::string(row.default_value)};
    if (is_numeric(row)) value.number = number_of(row, row.default_value).value();
    values_.push_back(std::move(value));
  }
}

Status Settings::check(const Setting& setting, std::string_view value) {
  if (is_numeric(setting)) return number_of(setting, value).status();
  const auto choices = setting.choices;
  if (setting.kind != Kind::choice || std::find(choices.begin(), choices.end(), value) != choices.end())
    return {};
  std::string all;
  for (std::string_view choice : choices) all += (all.empty() ? "" : ", ") + std::string(choice);
  return Status::invalid_argument(in_quotes(value) + " is not one of " + all);
}

Settings Settings::from_environment(const char* const* environment, std::vector<std::string>* problems) {
  Settings settings;
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const size_t equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = entry.substr(0, equals);
    if (name != "TUTTI" && !name.starts_with(k_prefix)) continue;
    const NamedSetting found = find_setting(name, entry.substr(equals + 1));
    const Setting* const row = found.row;
    if (row == nullptr) {
      problems->push_back(unknown_name(name));
      continue;
    }
    if (const Status status = check(*row, found.value); !status) {
      problems->push_back(std::string(name) + ": " + status.message() + "; using the default " +
                          std::string(row->default_value));
      continue;
    }
    if (found.has_former_name) problems->push_back(found.notice());
    Value& target = settings.values_[static_cast<size_t>(row - k_table)];
    if (found.has_former_name && target.from_environment) continue;
    target = {.text = found.value, .from_environment = true};
    if (is_numeric(*row)) target.number = number_of(*row, found.value).value();
  }
  return settings;
}

bool Settings::is_privileged_process() {
  return getauxval(AT_SECURE) != 0;
}

Settings Settings::of_process(std::vector<std::string>* problems, const char* const* environment,
                              bool is_privileged) {
  if (!is_privileged) return from_environment(environment, problems);
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    if (!entry.starts_with(k_prefix) && !entry.starts_with("TUTTI=")) continue;
    problems->emplace_back("this program runs with raised privileges: TUTTI_* settings are ignored");
    break;
  }
  return {};
}

const Settings::Value& Settings::value_of(std::string_view name) const {
  const Setting* row = find_row(name);
  assert(row != nullptr);
  return values_[static_cast<size_t>(row - k_table)];
}

bool Settings::flag(std::string_view name) const {
  return value_of(name).number != 0;
}
uint64_t Settings::number(std::string_view name) const {
  return value_of(name).number;
}
std::string_view Settings::text(std::string_view name) const {
  return value_of(name).text;
}
bool Settings::is_set(std::string_view name) const {
  return value_of(name).from_environment;
}

uint64_t Settings::fingerprint() const {
  uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a
  const auto add = [&hash](unsigned char byte) { hash = (hash ^ byte) * 0x100000001B3u; };
  for (const Setting& row : settings_table()) {
    const bool decides = row.name != "TUTTI_REPORT" && row.name != "TUTTI_VERBOSE" &&
                         row.name != "TUTTI_WAIT" && row.name != "TUTTI_PROGRESS_WAIT";
    if (!decides) continue;
    const std::string shown =
        row.is_permille ? format_permille(number(row.name)) : std::string(text(row.name));
    for (const char letter : shown) add(static_cast<unsigned char>(letter));
    add(0xFF);
  }
  return hash;
}

}  // namespace tutti::base
