#include "offload/descriptor.hpp"

#include <algorithm>

#include "offload/malformed.hpp"

namespace tutti::offload {

using base::Status;

namespace {

Status check_header(const Descriptor& d) {
  if (d.kind != Kind::barrier && d.kind != Kind::allreduce)
    return malformed("kind {} is neither barrier (1) nor allreduce (2)", static_cast<unsigned>(d.kind));
  if (d.nodes == 0) return malformed("a communicator of no nodes");
  if (d.rank >= d.nodes) return malformed("rank {} in a communicator of {} nodes", d.rank, d.nodes);
  switch (d.completion) {
    case Completion::queue_entry:
    case Completion::interrupt:
      return {};
    case Completion::memory_write:
      if (d.completion_address == 0 || d.completion_address % 8 != 0)
        return malformed("completion address {:#x} is not a multiple of 8 above 0", d.completion_address);
      return {};
  }
  return malformed("completion kind {} is not 1, 2 or 3", static_cast<unsigned>(d.completion));
}

Status check_barrier_value(const Descriptor& d) {
  if (d.op != Operator::none || d.type != ElementType::none || d.element_count != 0)
    return malformed("a barrier has no operator, no element type and no elements");
  if (std::any_of(d.operand.begin(), d.operand.end(), [](uint64_t word) { return word != 0; }))
    return malformed("a barrier has no operand");
  return {};
}

Status check_allreduce_value(const Descriptor& d) {
  if (d.op == Operator::none || d.op > Operator::bit_or)
    return malformed("operator {} of an allreduce is not 1 … 5", static_cast<unsigned>(d.op));
  if (d.type == ElementType::none || d.type > ElementType::float64)
    return malformed("element type {} of an allreduce is not 1 … 3", static_cast<unsigned>(d.type));
  if (d.type == ElementType::float64 && (d.op == Operator::bit_and || d.op == Operator::bit_or))
    return malformed("operator {} is not defined for float64", to_string(d.op));
  if (d.element_count == 0 || d.element_count > k_most_elements)
    return malformed("{} elements, not 1 … {}", d.element_count, k_most_elements);
  for (size_t i = d.element_count; i < k_most_elements; ++i)
    if (d.operand[i] != 0)
      return malformed("operand word {} lies behind the {} elements", i, d.element_count);
  return {};
}

/// Checks one side of a round: not too many peers, all existing, none is the node itself, no duplicates.
Status check_peers(const Descriptor& d, size_t round, std::span<const NodeId> peers, const char* what) {
  if (peers.size() > k_most_peers)
    return malformed("round {}: {} {}, not at most {}", round, peers.size(), what, k_most_peers);
  for (size_t i = 0; i < peers.size(); ++i) {
    if (peers[i] >= d.nodes)
      return malformed("round {}: node {} among the {}, but there are {} nodes", round, peers[i], what,
                       d.nodes);
    if (peers[i] == d.rank) return malformed("round {}: node {} itself among its {}", round, d.rank, what);
    if (std::find(peers.begin(), peers.begin() + static_cast<ptrdiff_t>(i), peers[i]) !=
        peers.begin() + static_cast<ptrdiff_t>(i))
      return malformed("round {}: node {} twice among the {}", round, peers[i], what);
  }
  return {};
}

Status check_action(const Descriptor& d, size_t number) {
  const Round& round = d.rounds[number];
  const bool has_values = d.kind == Kind::allreduce && !round.receives.empty();
  switch (round.action) {
    case Action::none:
      if (has_values)
        return malformed("round {}: values are received and neither combined nor taken", number);
      break;
    case Action::combine:
      if (!has_values) return malformed("round {}: combines, but there are no values", number);
      if (round.own_position > round.receives.size())
        return malformed("round {}: own value at position {} among {} received ones", number,
                         round.own_position, round.receives.size());
      return {};
    case Action::replace:
      if (!has_values || round.receives.size() != 1)
        return malformed("round {}: replaces the value, but not by exactly one", number);
      break;
    default:
      return malformed("round {}: action {} is not 0, 1 or 2", number, static_cast<unsigned>(round.action));
  }
  if (round.own_position != 0)
    return malformed("round {}: the own value has position {}, but nothing is combined", number,
                     round.own_position);
  return {};
}

Status check_rounds(const Descriptor& d) {
  if (d.rounds.size() > k_most_rounds)
    return malformed("{} rounds, not at most {}", d.rounds.size(), k_most_rounds);
  if (d.nodes > 1 && d.rounds.empty()) return malformed("{} nodes, but no rounds", d.nodes);
  for (size_t r = 0; r < d.rounds.size(); ++r) {
    if (auto status = check_peers(d, r, d.rounds[r].sends, "sends"); !status) return status;
    if (auto status = check_peers(d, r, d.rounds[r].receives, "receives"); !status) return status;
    if (auto status = check_action(d, r); !status) return status;
  }
  if (!d.rounds.empty() && d.rounds.back().sends.empty() && d.rounds.back().receives.empty())
    return malformed("the last round, {}, has no messages", d.rounds.size() - 1);
  return {};
}

}  // namespace

Status check(const Descriptor& descriptor) {
  if (auto status = check_header(descriptor); !status) return status;
  auto status =
      descriptor.kind == Kind::barrier ? check_barrier_value(descriptor) : check_allreduce_value(descriptor);
  return status ? check_rounds(descriptor) : status;
}

std::string_view to_string(Kind kind) {
  return kind == Kind::barrier ? "barrier" : "allreduce";
}

std::string_view to_string(Operator op) {
  switch (op) {
    case Operator::none:
      return "none";
    case Operator::sum:
      return "sum";
    case Operator::min:
      return "min";
    case Operator::max:
      return "max";
    case Operator::bit_and:
      return "and";
    case Operator::bit_or:
      return "or";
  }
  return "unknown";
}

std::string_view to_string(ElementType type) {
  switch (type) {
    case ElementType::none:
      return "none";
    case ElementType::int64:
      return "int64";
    case ElementType::uint64:
      return "uint64";
    case ElementType::float64:
      return "float64";
  }
  return "unknown";
}

std::string_view to_string(Completion completion) {
  switch (completion) {
    case Completion::queue_entry:
      return "queue entry";
    case Completion::memory_write:
      return "memory write";
    case Completion::interrupt:
      return "interrupt";
  }
  return "unknown";
}

std::string_view to_string(Action action) {
  switch (action) {
    case Action::none:
      return "none";
    case Action::combine:
      return "combine";
    case Action::replace:
      return "replace";
  }
  return "unknown";
}

}  // namespace tutti::offload
