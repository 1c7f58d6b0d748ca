// tutti offload: barriers that a NIC executes alone (paper 003).

#include <memory>
#include <utility>
#include <vector>

#include "command/command.hpp"
#include "command/offload/options.hpp"

namespace tutti::command {

pattern::DisseminationShape shape_named(const std::string& name, uint32_t radix) {
  const bool is_symmetric = name.empty() ? radix % 2 == 1 : name == "symmetric";
  return is_symmetric ? pattern::DisseminationShape::symmetric : pattern::DisseminationShape::forward;
}

Action add_offload(CLI::App& app) {
  app.require_subcommand(1);
  auto actions = std::make_shared<std::vector<std::pair<CLI::App*, std::function<int()>>>>();
  const auto add = [&](const char* name, const char* summary, auto make) {
    CLI::App* part = app.add_subcommand(name, summary);
    actions->emplace_back(part, make(*part));
  };
  add("describe", "the descriptor of one rank, made or read from a file", add_offload_describe);
  add("radix", "the fastest radix for what a network costs", add_offload_radix);
  add("simulate", "barriers on a machine of simulated NICs, cycle by cycle", add_offload_simulate);
  return [actions] {
    for (const auto& [part, action] : *actions)
      if (part->parsed()) return action();
    return fail("no subcommand");
  };
}

}  // namespace tutti::command
