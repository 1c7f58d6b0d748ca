// The list of candidates for a request. It determines only which candidates are tried, not correctness.

#include <algorithm>
#include <utility>

#include "algorithm/catalogue.hpp"
#include "select/candidate.hpp"

namespace tutti::select {

using algorithm::Algorithm;
using algorithm::Choice;
using algorithm::Parameter;
using algorithm::RankInvariantRequest;
using topology::Topology;

namespace {

// Parameters of a medium network. They only determine the order of the estimates, which is the order of trials.
constexpr int32_t k_least_large_network = 64;  // nodes: about two switches
constexpr uint64_t k_ns_per_round = 20'000;
constexpr uint64_t k_ns_per_byte = 1;
constexpr uint64_t k_parameter_step = 4;
constexpr uint64_t k_least_segment_bytes = 4096;

/// Sorts by number, stable.
std::vector<Choice> in_order(std::vector<std::pair<uint64_t, Choice>> numbered) {
  std::ranges::stable_sort(numbered, {}, &std::pair<uint64_t, Choice>::first);
  std::vector<Choice> choices;
  choices.reserve(numbered.size());
  for (const auto& [number, choice] : numbered) choices.push_back(choice);
  return choices;
}

class List {
 public:
  List(const RankInvariantRequest& request, const Topology& topology, const CandidateOptions& options)
      : request_(request), topology_(topology), options_(options) {}

  bool can_run(const Choice& choice) const {
    std::string why_not;
    return choice.algorithm->applies(request_, topology_, choice.parameters, &why_not) &&
           (!options_.can_run || options_.can_run(choice));
  }

  void add(const Candidate& candidate) {
    if (list_.size() >= options_.most) return;
    if (std::find(list_.begin(), list_.end(), candidate) == list_.end()) list_.push_back(candidate);
  }
  void add(const Choice& choice, const Progress& progress) { add(Candidate{choice, progress}); }
  void add_for_late_rank();

  /// Algorithms with default parameters, cheapest first.
  std::vector<Choice> algorithms() const;
  /// The same algorithm with one parameter changed at a time.
  std::vector<Choice> variants(const Choice& choice) const;

  std::vector<Candidate> take() && { return std::move(list_); }

 private:
  uint64_t estimated_ns(const Choice& choice) const;

  const RankInvariantRequest& request_;
  const Topology& topology_;
  const CandidateOptions& options_;
  std::vector<Candidate> list_;
};

uint64_t List::estimated_ns(const Choice& choice) const {
  const algorithm::Cost cost =
      choice.algorithm->cost(request_.representative(), topology_, choice.parameters);
  const uint64_t ns = cost.rounds * k_ns_per_round + cost.busiest_bytes * k_ns_per_byte;
  // The bounds of two-level algorithms count traffic inside a node like traffic between nodes.
  const bool is_two_level =
      cost.is_upper_bound && topology_.node_count() > 1 && topology_.largest_node_size() > 1;
  return is_two_level ? ns / static_cast<uint64_t>(topology_.largest_node_size()) : ns;
}

std::vector<Choice> List::algorithms() const {
  std::vector<std::pair<uint64_t, Choice>> found;
  for (const Algorithm* row : algorithm::catalogue()) {
    const Choice choice{row, default_parameters(*row)};
    const bool is_special = row->is_for_late_rank || row->is_for_early_return ||
                            (row->is_for_large_network && topology_.node_count() < k_least_large_network);
    if (row->collective == request_.collective && !is_special && can_run(choice))
      found.emplace_back(estimated_ns(choice), choice);
  }
  return in_order(std::move(found));
}

/// The late rank's number is filled in when it is known.
void List::add_for_late_rank() {
  for (const Algorithm* row : algorithm::catalogue()) {
    const Choice choice{row, default_parameters(*row)};
    if (row->is_for_late_rank && row->collective == request_.collective && can_run(choice))
      list_.push_back({.choice = choice, .progress = options_.modes[0]});
  }
}

/// Other values worth a trial, the most promising first.
std::vector<uint64_t> other_values(const Parameter& parameter, uint64_t value) {
  std::vector<uint64_t> values;
  const auto offer = [&](uint64_t other) {
    if (other != value && other >= parameter.min && other <= parameter.max) values.push_back(other);
  };
  switch (parameter.unit) {
    case Parameter::Unit::bytes:
      if (value <= parameter.max / k_parameter_step) offer(value * k_parameter_step);
      if (value / k_parameter_step >= k_least_segment_bytes) offer(value / k_parameter_step);
      break;
    case Parameter::Unit::count:
      if (value <= parameter.max / k_parameter_step) offer(value * k_parameter_step);
      break;
    case Parameter::Unit::choice:
      for (uint64_t other = 0; other < parameter.choices.size(); ++other)
        if (other != value) values.push_back(other);
      break;
  }
  return values;
}

std::vector<Choice> List::variants(const Choice& choice) const {
  // First one other value of each parameter, then the second ones, so that a short list varies all parameters.
  std::vector<std::pair<uint64_t, Choice>> found;
  const auto parameters = choice.algorithm->parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const auto values = other_values(parameters[i], choice.parameters[i]);
    for (size_t turn = 0; turn < values.size(); ++turn) {
      Choice other = choice;
      other.parameters.values[i] = values[turn];
      if (can_run(other)) found.emplace_back(turn, other);
    }
  }
  return in_order(std::move(found));
}

}  // namespace

std::vector<Candidate> candidates_for(const RankInvariantRequest& request, const Topology& topology,
                                      const CandidateOptions& options) {
  List list(request, topology, options);
  std::vector<Choice> others = list.algorithms();
  const bool are_agents_first = options.has_agents && options.rule.is_by_agents();
  const Candidate by_agents = are_agents_first ? options.rule : Candidate{.leader = LeaderPolicy::agent};
  if (are_agents_first) list.add(by_agents);
  Choice first = options.rule.is_by_agents() ? Choice{} : options.rule.choice;
  const bool is_by_rule = first.algorithm != nullptr && list.can_run(first);
  if (is_by_rule) list.add(first, options.modes[0]);
  list.add(Candidate{});
  if (options.has_agents) list.add(by_agents);
  if (!is_by_rule && !others.empty()) {
    first = others.front();
    list.add(first, options.modes[0]);
  }
  if (first.algorithm != nullptr)
    for (const Progress& mode : options.modes) list.add(first, mode);
  std::erase_if(others, [&](const Choice& other) { return other.algorithm == first.algorithm; });
  const std::vector<Choice> variants =
      first.algorithm == nullptr ? std::vector<Choice>() : list.variants(first);
  for (const Progress& mode : options.modes) {
    for (size_t i = 0; i < std::max(others.size(), variants.size()); ++i) {
      if (i < others.size()) list.add(others[i], mode);
      if (i < variants.size()) list.add(variants[i], mode);
    }
  }
  if (options.has_late_rank) list.add_for_late_rank();
  return std::move(list).take();
}

}  // namespace tutti::select
