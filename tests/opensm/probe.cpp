// A client of a subnet, for tests with the real OpenSM: joins and leaves groups as programs do, and checks
// what the switches then hold.
//
//   subnet_probe net DESCRIPTION                       a fabric of `tutti fabric generate`, for ibsim
//   subnet_probe groups NET DESCRIPTION                groups of `tutti fabric generate`, as a file
//   subnet_probe join NET GROUPS [WINDOW]              prints what each group was told: "ff18::1 0xC000"
//   subnet_probe leave NET GROUPS [WINDOW]
//   subnet_probe cycle NET GROUPS ROUNDS               all join and leave, so many times
//   subnet_probe tables NET                            the tables of the switches, as OpenSM dumps them
//   subnet_probe verify NET GROUPS MLIDS DUMP COLOURS  checks tables; COLOURS: entries that a switch may hold
//   subnet_probe baseline NET GROUPS minhop|sssp       tables of a baseline, MLIDs from 0xC000 on
//
// Exit status: 0, 1 when something is wrong (one line says what), 2 when a request was refused.

#include <fmt/format.h>
#include <infiniband/umad_types.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "fabric/baselines.hpp"
#include "fabric/generate.hpp"
#include "fabric/mlid_file.hpp"
#include "fabric/topology_file.hpp"
#include "fabric/verify.hpp"
#include "membership.hpp"
#include "switch_tables.hpp"

namespace tutti::opensm_test {
namespace {

constexpr unsigned k_window = 40;  // the simulator loses datagrams when many more are under way

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "subnet_probe: {}\n", why);
  std::exit(1);
}

template <class T>
T need(base::Result<T> result) {
  if (!result) give_up(result.status().message());
  return std::move(result).value();
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) give_up("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

fabric::Fabric read_net(const std::string& path) {
  return need(fabric::parse_topology(read_file(path), path));
}

fabric::GroupSet read_groups(const std::string& path, const fabric::Fabric& fabric) {
  return need(fabric::parse_groups(read_file(path), fabric, path));
}

std::vector<Change> changes_of(const fabric::GroupSet& groups, const fabric::Fabric& fabric) {
  std::vector<Change> changes;
  for (fabric::GroupId id = 0; id < groups.size(); ++id)
    for (const fabric::HostId member : groups.members(id))
      changes.push_back({groups.mgid(id), fabric.host(member).guid});
  return changes;
}

Port open_administration() {
  return need(Port::open(UMAD_CLASS_SUBN_ADM, 2));
}

/// One MLID for each group; all members of a group must have been told the same.
int print_mlids(const std::vector<Change>& changes, const std::vector<Answer>& answers) {
  bool is_refused = false;
  for (size_t i = 0; i < changes.size(); ++i) {
    is_refused |= !answers[i].is_granted;
    const bool is_first = i == 0 || changes[i].mgid != changes[i - 1].mgid;
    if (is_first && answers[i].is_granted)
      fmt::print("{} {:#06X}\n", to_string(changes[i].mgid), answers[i].mlid);
    if (!is_first && answers[i].mlid != answers[i - 1].mlid && !is_refused)
      give_up(to_string(changes[i].mgid) + ": members were told different MLIDs");
  }
  return is_refused ? 2 : 0;
}

int change_membership(std::span<const std::string> words, bool is_join) {
  const fabric::Fabric fabric = read_net(words[1]);
  const std::vector<Change> changes = changes_of(read_groups(words[2], fabric), fabric);
  const unsigned window = words.size() > 3 ? static_cast<unsigned>(std::stoul(words[3])) : k_window;
  Port port = open_administration();
  const auto answers = need(is_join ? join(port, changes, window) : leave(port, changes, window));
  if (is_join) return print_mlids(changes, answers);
  const bool is_granted =
      std::all_of(answers.begin(), answers.end(), [](const Answer& a) { return a.is_granted; });
  return is_granted ? 0 : 2;
}

int cycle(std::span<const std::string> words) {
  const fabric::Fabric fabric = read_net(words[1]);
  const std::vector<Change> changes = changes_of(read_groups(words[2], fabric), fabric);
  Port port = open_administration();
  uint16_t highest = 0;
  for (unsigned long round = std::stoul(words[3]); round > 0; --round) {
    for (const Answer& answer : need(join(port, changes, k_window))) {
      if (!answer.is_granted) give_up(fmt::format("a join was refused, {} rounds before the end", round));
      highest = std::max(highest, answer.mlid);
    }
    for (const Answer& answer : need(leave(port, changes, k_window)))
      if (!answer.is_granted) give_up(fmt::format("a leave was refused, {} rounds before the end", round));
  }
  fmt::print("{} joins and leaves a round; highest MLID {:#06X}\n", changes.size(), highest);
  return 0;
}

int verify(std::span<const std::string> words) {
  const fabric::Fabric fabric = read_net(words[1]);
  const fabric::GroupSet groups = read_groups(words[2], fabric);
  const auto colours = need(fabric::parse_mlids(read_file(words[3]), groups, words[3]));
  const auto tables = need(fabric::parse_dump(read_file(words[4]), fabric, words[4]));
  const auto limit = static_cast<uint32_t>(std::stoul(words[5]));
  const auto metrics = need(fabric::verify(fabric, groups, colours, tables, limit));
  fmt::print("{} groups, {} trees, {} MLIDs, fullest table {}, EFI {}, TFI {}\n", metrics.groups,
             metrics.trees, metrics.colours, metrics.fullest_table, metrics.max_efi, metrics.max_tfi);
  return 0;
}

int baseline(std::span<const std::string> words) {
  const fabric::Fabric fabric = read_net(words[1]);
  const fabric::GroupSet groups = read_groups(words[2], fabric);
  const auto which = words[3] == "minhop" ? fabric::Baseline::minihop_mc : fabric::Baseline::sssp_opensm;
  const auto hops = need(fabric::HopTable::compute(fabric, 1));
  fmt::print("{}", format_dump(need(fabric::route_baseline(which, fabric, hops, groups)), fabric));
  return 0;
}

int tables(std::span<const std::string> words) {
  const fabric::Fabric fabric = read_net(words[1]);
  Port port = need(Port::open(UMAD_CLASS_SUBN_DIRECTED_ROUTE, 1));
  fmt::print("{}", format_dump(need(read_tables(port, fabric)), fabric));
  return 0;
}

int groups(std::span<const std::string> words) {
  const fabric::Fabric fabric = read_net(words[1]);
  fmt::print("{}", format_groups(need(fabric::make_groups(words[2], fabric)), fabric));
  return 0;
}

int run(std::span<const std::string> words) {
  const std::string name = words.empty() ? "" : words[0];
  const auto is = [&](const char* wanted, size_t arguments) {
    return name == wanted && words.size() > arguments;
  };
  if (is("net", 1)) return fmt::print("{}", format_ibsim(need(fabric::generate(words[1])))), 0;
  if (is("groups", 2)) return groups(words);
  if (is("join", 2)) return change_membership(words, true);
  if (is("leave", 2)) return change_membership(words, false);
  if (is("cycle", 3)) return cycle(words);
  if (is("tables", 1)) return tables(words);
  if (is("verify", 5)) return verify(words);
  if (is("baseline", 3)) return baseline(words);
  give_up("net, groups, join, leave, cycle, tables, verify or baseline, with their arguments");
}

}  // namespace
}  // namespace tutti::opensm_test

int main(int argument_count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + argument_count);
  return tutti::opensm_test::run(words);
}
