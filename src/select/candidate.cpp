#include "select/candidate.hpp"

#include <algorithm>
#include <array>

#include "agent/between_nodes.hpp"
#include "agent/calls.hpp"
#include "agent/layout.hpp"
#include "base/text.hpp"

namespace tutti::select {

using algorithm::Collective;
using base::Result;
using base::Status;
using engine::WaitPolicy;

namespace {

constexpr std::array<std::string_view, k_call_interface_count> k_kinds = {"blocking", "nonblocking",
                                                                          "persistent"};
constexpr std::array<std::string_view, 5> k_modes = {"automatic", "inline", "thread_spare", "thread_shared",
                                                     "early"};
constexpr std::string_view k_native = "native";
constexpr std::string_view k_agent = "agent";
constexpr std::string_view k_first = "first";

template <class Enum, size_t n>
bool find_name(const std::array<std::string_view, n>& names, std::string_view name, Enum* value) {
  const auto* at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) return false;
  *value = static_cast<Enum>(at - names.begin());
  return true;
}

Status unknown(const std::string& what, std::string_view word, std::span<const std::string_view> known) {
  std::string message = "unknown " + what + ' ' + base::in_quotes(word) + base::did_you_mean(word, known);
  for (size_t i = 0; i < known.size(); ++i) message += (i == 0 ? "; known: " : ", ") + std::string(known[i]);
  return Status::invalid_argument(std::move(message));
}

Status parse_wait(std::string_view setting, Progress* progress, uint32_t* seen) {
  static constexpr std::array<std::string_view, 2> k_keys = {"wait", "thread_wait"};
  static constexpr std::array<std::string_view, 4> k_policies = {"spin", "yield", "sleep", "automatic"};
  const size_t equals = setting.find('=');
  if (equals == std::string_view::npos)
    return Status::invalid_argument("progress: " + base::in_quotes(setting) +
                                    " is not of the form wait=policy");
  const std::string_view key = setting.substr(0, equals);
  size_t index = 0;
  if (!find_name(k_keys, key, &index)) return unknown("word after the progress mode", key, k_keys);
  if ((*seen >> index & 1) != 0)
    return Status::invalid_argument("progress: " + base::in_quotes(key) + " is given twice");
  *seen |= 1u << index;
  const std::string_view name = setting.substr(equals + 1);
  if (!engine::from_string(name, index == 0 ? &progress->wait : &progress->thread_wait))
    return unknown("wait policy", name, k_policies);
  return {};
}

Result<Progress> parse_progress(std::string_view text) {
  Progress progress;
  const size_t end = text.find(':');
  const std::string_view mode = text.substr(0, end);
  if (!from_string(mode, &progress.mode)) return unknown("progress mode", mode, k_modes);
  uint32_t seen = 0;
  for (size_t at = end; at != std::string_view::npos;) {
    const size_t next = text.find(':', at + 1);
    const size_t length = next == std::string_view::npos ? next : next - at - 1;
    if (Status status = parse_wait(text.substr(at + 1, length), &progress, &seen); !status) return status;
    at = next;
  }
  return progress;
}

/// Parses "agent", or "agent:CHOICE" with the algorithm between the agents.
Result<Candidate> parse_agents(Collective collective, std::string_view text) {
  if (!agent::is_served(collective))
    return Status::invalid_argument("agents do not serve " + std::string(algorithm::to_string(collective)));
  Candidate candidate{.leader = LeaderPolicy::agent};
  if (text.size() == k_agent.size()) return candidate;
  if (text[k_agent.size()] == '@')
    return Status::invalid_argument("agents make progress their own way: " + base::in_quotes(text) +
                                    " should be agent");
  const auto choice =
      algorithm::parse_choice(agent::between_nodes(collective), text.substr(k_agent.size() + 1));
  if (!choice) return choice.status();
  candidate.choice = *choice;
  return candidate;
}

}  // namespace

std::string_view to_string(CallInterface interface) {
  return k_kinds[static_cast<size_t>(interface)];
}

bool from_string(std::string_view name, CallInterface* interface) {
  return find_name(k_kinds, name, interface);
}

std::string_view to_string(ProgressMode mode) {
  return k_modes[static_cast<size_t>(mode)];
}

bool from_string(std::string_view name, ProgressMode* mode) {
  return find_name(k_modes, name, mode);
}

Result<Candidate> parse_candidate(Collective collective, std::string_view text) {
  if (text == k_native) return Candidate{};
  if (text.substr(0, text.find_first_of(":@")) == k_agent) return parse_agents(collective, text);
  const size_t at = text.find('@');
  if (text.substr(0, at) == k_native)
    return Status::invalid_argument("the native MPI makes progress its own way: " + base::in_quotes(text) +
                                    " should be native");
  auto choice = algorithm::parse_choice(collective, text.substr(0, at));
  if (!choice) return choice.status();
  Candidate candidate{.choice = *choice, .progress = {}};
  if (at == std::string_view::npos) return candidate;
  if (text.substr(at + 1) == k_first) {
    candidate.leader = LeaderPolicy::first;
    return candidate;
  }
  auto progress = parse_progress(text.substr(at + 1));
  if (!progress) return progress.status();
  candidate.progress = *progress;
  return candidate;
}

std::string to_string(const Candidate& candidate) {
  if (candidate.is_native()) return std::string(k_native);
  if (candidate.is_by_agents()) {
    const std::string among =
        candidate.choice.algorithm == nullptr ? "" : algorithm::to_string(candidate.choice);
    return std::string(k_agent) + (among.empty() ? "" : ":" + among);
  }
  std::string text = algorithm::to_string(candidate.choice);
  if (candidate.leader == LeaderPolicy::first) return text + '@' + std::string(k_first);
  const Progress& progress = candidate.progress;
  if (progress == Progress{}) return text;
  text += '@' + std::string(to_string(progress.mode));
  if (progress.wait != WaitPolicy::automatic)
    text += ":wait=" + std::string(engine::to_string(progress.wait));
  if (progress.thread_wait != WaitPolicy::automatic)
    text += ":thread_wait=" + std::string(engine::to_string(progress.thread_wait));
  return text;
}

bool applies(const algorithm::Choice& choice, const algorithm::RankInvariantRequest& request,
             const topology::Topology& topology, CallInterface interface, std::string* why_not) {
  if (choice.algorithm->forwarding != nullptr && interface != CallInterface::blocking) {
    *why_not = "it takes a call that waits for the sizes of what passes through its rank";
    return false;
  }
  return choice.algorithm->applies(request, topology, choice.parameters, why_not);
}

bool applies(const Candidate& candidate, const algorithm::RankInvariantRequest& request,
             const topology::Topology& topology, CallInterface interface, const std::string& no_agents,
             std::string* why_not) {
  if (candidate.is_native()) return true;
  if (!candidate.is_by_agents()) return applies(candidate.choice, request, topology, interface, why_not);
  if (!no_agents.empty())
    *why_not = no_agents;
  else if (interface != CallInterface::blocking)
    *why_not = "agents serve blocking calls only";
  else
    return agent::serves(request, topology, why_not);
  return false;
}

}  // namespace tutti::select
