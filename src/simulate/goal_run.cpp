#include "simulate/goal_run.hpp"

namespace tutti::simulate {

using base::Result;

namespace {

class Ranks final : public Cast {
 public:
  Ranks(const GoalProgram& program, uint32_t ranks_per_node)
      : program_(program), ranks_per_node_(ranks_per_node) {}

  uint32_t actor_count() const override { return static_cast<uint32_t>(program_.ranks.size()); }
  uint32_t node_count() const override { return node_of(actor_count() - 1) + 1; }
  uint32_t node_of(Actor actor) const override { return actor / ranks_per_node_; }
  uint64_t arrival_ps(Actor) const override { return 0; }
  Actor leader_of(uint32_t) const override { return k_none; }  // GOAL has no messages to nodes
  Result<const Shape*> shape_of(Actor actor) override {
    return shapes_.intern(Shape(program_.ranks[actor], actor, actor_count()));
  }

 private:
  const GoalProgram& program_;
  const uint32_t ranks_per_node_;
  ShapeTable shapes_;
};

}  // namespace

Result<SimulationOutcome> run_goal(const GoalProgram& program, uint32_t ranks_per_node,
                                   const Machine& machine, const interconnect::NetworkTopology* links,
                                   const AskToStop& stops) {
  Costs costs = costs_of(machine);
  costs.starts_in_order = false;
  Ranks ranks(program, ranks_per_node);
  return execute(ranks, costs, links, stops);
}

}  // namespace tutti::simulate
