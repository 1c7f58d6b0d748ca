#include "tests/model/offload/reference.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "offload/nic/operators.hpp"
#include "offload/rounds.hpp"

namespace tutti::tests {

using namespace offload;

namespace {

void fold(const model::Workload& of, Operands& left, const Operands& right) {
  for (uint32_t i = 0; i < of.elements; ++i) left[i] = nic::apply(of.op, of.type, left[i], right[i]);
}

Operands after_round(const model::Workload& of, const std::vector<Operands>& before, uint32_t node,
                     const std::vector<Round>& rounds, size_t number) {
  if (number >= rounds.size() || rounds[number].receives.empty()) return before[node];
  const Round& round = rounds[number];
  std::vector<NodeId> order = round.receives;
  if (round.action == Action::combine) order.insert(order.begin() + round.own_position, node);
  Operands value = before[order.front()];
  for (size_t i = 1; i < order.size(); ++i) fold(of, value, before[order[i]]);
  return value;
}

}  // namespace

Operands expected_result(const model::Workload& of, uint32_t which, std::string* wrong) {
  std::vector<std::vector<Round>> rounds;
  std::vector<Operands> values;
  for (uint32_t node = 0; node < of.nodes; ++node) {
    rounds.push_back(recursive_multiplying(of.nodes, node, of.radix).value());
    values.push_back(model::operand_of(of, node, which));
  }
  Operands plain = values[0];
  for (uint32_t node = 1; node < of.nodes; ++node) fold(of, plain, values[node]);

  for (size_t r = 0; r < k_most_rounds; ++r) {
    const std::vector<Operands> before = values;
    for (uint32_t node = 0; node < of.nodes; ++node)
      values[node] = after_round(of, before, node, rounds[node], r);
  }
  for (uint32_t node = 1; node < of.nodes; ++node)
    if (values[node] != values[0]) *wrong = fmt::format("nodes 0 and {} differ", node);
  const bool depends_on_order = of.type == ElementType::float64 && of.op == Operator::sum;
  if (!depends_on_order && values[0] != plain) *wrong = "not all operands are in the result";
  return values[0];
}

}  // namespace tutti::tests
