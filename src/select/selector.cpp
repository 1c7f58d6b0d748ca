#include "select/selector.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "base/file.hpp"
#include "base/text.hpp"

namespace tutti::select {

using algorithm::Collective;
using algorithm::RankInvariantRequest;
using topology::Topology;

namespace {

std::string setting_name(Collective collective) {
  std::string name = "TUTTI_";
  for (char c : algorithm::to_string(collective))
    name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

/// Rules from settings like TUTTI_BCAST=chain.
std::vector<Rule> forced_rules(const base::Settings& settings, std::vector<std::string>* problems) {
  std::vector<Rule> rules;
  for (int i = 0; i < algorithm::k_collective_count; ++i) {
    Rule rule;
    rule.collective = static_cast<Collective>(i);
    rule.origin = setting_name(rule.collective);
    const std::string_view value = settings.text(rule.origin);
    if (value.empty() || value == "auto") continue;
    if (value != "native") {
      auto candidate = parse_candidate(rule.collective, value);
      if (!candidate) {
        problems->push_back(rule.origin + ": " + candidate.status().message() + "; choosing automatically");
        continue;
      }
      rule.use = *candidate;
    }
    rule.because = "forced";
    rules.push_back(std::move(rule));
  }
  return rules;
}

void append(std::vector<Rule>* rules, base::Result<std::vector<Rule>> more,
            std::vector<std::string>* problems) {
  if (!more) {
    problems->push_back(more.status().message() + "; the file is ignored");
    return;
  }
  std::move(more->begin(), more->end(), std::back_inserter(*rules));
}

bool fits(const Rule& rule, const Topology& topology) {
  return rule.ranks.contains(static_cast<uint64_t>(topology.rank_count())) &&
         rule.nodes.contains(static_cast<uint64_t>(topology.node_count())) &&
         rule.ranks_per_node.contains(static_cast<uint64_t>(topology.largest_node_size()));
}

bool serves_nonblocking(const Rule& rule) {
  return !rule.use.is_native() && !rule.use.is_by_agents() && rule.calls != CallInterface::blocking;
}

bool matches(const Rule& rule, CallInterface interface, uint64_t bytes, bool bytes_known) {
  if (rule.calls && *rule.calls != interface) return false;
  return bytes_known ? rule.bytes.contains(bytes) : rule.bytes.is_any();
}

std::string name_of(const Candidate& candidate) {
  const bool is_named = !candidate.is_by_agents() && !candidate.is_native();
  return is_named ? std::string(candidate.choice.algorithm->name) : to_string(candidate);
}

std::string reason_of(const Rule& rule) {
  return base::printable(rule.because.empty() ? rule.origin : rule.because + " (" + rule.origin + ')');
}

}  // namespace

bool bytes_of_interest(const RankInvariantRequest& request, uint64_t* bytes) {
  *bytes = 0;
  const auto& blocks = request.blocks;
  switch (algorithm::size_of_calls(request.collective)) {
    case algorithm::CallSize::none:
      return true;
    case algorithm::CallSize::whole:
      *bytes = request.bytes;
      return true;
    case algorithm::CallSize::block:
      *bytes = blocks.is_uniform()
                   ? blocks.uniform_bytes
                   : blocks.total(request.rank_count) / static_cast<uint64_t>(request.rank_count);
      return true;
    case algorithm::CallSize::unknown:
      return false;
  }
  return false;
}

bool has_bytes_of_interest(Collective collective) {
  return algorithm::size_of_calls(collective) != algorithm::CallSize::unknown;
}

bool CommunicatorRules::is_native(Collective collective, uint64_t bytes, bool bytes_known,
                                  CallInterface interface, const std::string** binding_reason) const {
  if (binding_reason != nullptr) *binding_reason = nullptr;
  for (const Rule* rule : by_collective_[static_cast<size_t>(collective)].rules) {
    if (!matches(*rule, interface, bytes, bytes_known)) continue;
    if (binding_reason != nullptr && rule->is_binding) *binding_reason = &rule->reason;
    return rule->use.is_native();  // later rules matter only if this one's algorithm does not apply
  }
  return true;
}

bool CommunicatorRules::leaves_choice(CallInterface interface) const {
  const auto is_choice = [interface](const Rule* rule) {
    return !rule->is_binding && !rule->use.is_native() && (!rule->calls || *rule->calls == interface);
  };
  return std::ranges::any_of(
      by_collective_, [&](const PerCollective& one) { return std::ranges::any_of(one.rules, is_choice); });
}

Decision CommunicatorRules::decide(const RankInvariantRequest& request, const Topology& topology,
                                   CallInterface interface, const CanServe& can_serve) const {
  uint64_t bytes = 0;
  const bool bytes_known = bytes_of_interest(request, &bytes);
  std::string refused;  // why earlier matching rules did not apply
  for (const Rule* rule : by_collective_[static_cast<size_t>(request.collective)].rules) {
    if (!matches(*rule, interface, bytes, bytes_known)) continue;
    std::string why_not;
    bool is_it = applies(rule->use, request, topology, interface, no_agents_, &why_not);
    if (is_it && can_serve) {
      const base::Status can = can_serve(rule->use);
      is_it = can.is_ok();
      why_not = can.message();
    }
    if (is_it) return {rule->use, rule->reason + refused, rule->is_binding};
    refused += "; " + name_of(rule->use) + " refused: " + why_not;
  }
  return {{}, (refused.empty() ? "no rule asks for anything else" : "no rule applies") + refused};
}

std::vector<RulesText> read_rules_files(const base::Settings& settings, std::vector<std::string>* problems) {
  std::vector<RulesText> files;
  for (const std::string_view setting : {"TUTTI_RULES", "TUTTI_LEARN"}) {
    const std::string name(settings.text(setting));
    if (name.empty() || (setting == "TUTTI_LEARN" && access(name.c_str(), F_OK) != 0)) continue;
    auto text = base::read_file(name);
    if (!text)
      problems->push_back("rules file " + text.status().message() + "; the file is ignored");
    else if (setting != "TUTTI_LEARN" || !text->empty())
      files.push_back({name, std::move(*text)});
  }
  return files;
}

Selector Selector::from_settings(const base::Settings& settings, std::span<const RulesText> files,
                                 std::vector<std::string>* problems, std::string_view mpi) {
  std::vector<Rule> rules = forced_rules(settings, problems);
  for (const RulesText& file : files) append(&rules, parse_rules(file.text, file.name), problems);
  for (Rule& rule : rules) rule.is_binding = rule.evidence.samples == 0;  // learned rules may be refined
  const size_t others = rules.size();
  append(&rules, parse_rules(default_rules_text(), "built-in rules"), problems);
  const std::span<Rule> built_in = std::span(rules).subspan(others);
  for (Rule& rule : built_in) rule.is_built_in = true;
  if (mpi == k_ranks_are_threads)
    std::stable_partition(built_in.begin(), built_in.end(),
                          [&](const Rule& rule) { return rule.mpi == mpi; });
  for (Rule& rule : rules) rule.reason = reason_of(rule);
  std::erase_if(rules, [&](const Rule& rule) {
    const bool is_of_processes = rule.use.is_native() || (rule.evidence.samples > 0 && rule.mpi != mpi);
    return !rule.holds_with(mpi) || (mpi == k_ranks_are_threads && is_of_processes);
  });
  Selector selector;
  selector.rules_ = std::make_shared<const std::vector<Rule>>(std::move(rules));
  return selector;
}

bool Selector::wants_agents() const {
  return std::ranges::any_of(*rules_, [](const Rule& rule) { return rule.use.is_by_agents(); });
}

bool Selector::could_serve_nonblocking() const {
  return std::ranges::any_of(*rules_,
                             [&](const Rule& rule) { return holds(rule) && serves_nonblocking(rule); });
}

bool Selector::could_serve_nonblocking(const Topology& world) const {
  return std::ranges::any_of(*rules_, [&](const Rule& rule) {
    return holds(rule) && serves_nonblocking(rule) &&
           rule.ranks.least <= static_cast<uint64_t>(world.rank_count()) &&
           rule.nodes.least <= static_cast<uint64_t>(world.node_count()) &&
           rule.ranks_per_node.least <= static_cast<uint64_t>(world.largest_node_size());
  });
}

std::shared_ptr<const CommunicatorRules> Selector::for_communicator(const Topology& topology) const {
  auto view = std::make_shared<CommunicatorRules>();
  view->all_ = rules_;
  view->no_agents_ = no_agents_;
  view->by_collective_.resize(algorithm::k_collective_count);
  for (const Rule& rule : *rules_)
    if (holds(rule) && fits(rule, topology))
      view->by_collective_[static_cast<size_t>(rule.collective)].rules.push_back(&rule);
  return view;
}

}  // namespace tutti::select
