#include "command/simulate/print.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::command {

namespace {

size_t widest_algorithm(const SimulationTable& table) {
  size_t widest = std::string_view("algorithm").size();
  for (const algorithm::Choice& choice : table.algorithms)
    widest = std::max(widest, to_string(choice).size());
  return widest;
}

std::string in_us(double ns) {
  return fmt::format("{:.2f}", ns / 1000);
}

}  // namespace

std::string simulation_text(const SimulationTable& table) {
  std::string text = fmt::format("{} of {} ranks on {} nodes; machine {} ({}); arrivals {}; {} call{}\n\n",
                                 algorithm::to_string(table.collective), table.nodes * table.ranks_per_node,
                                 table.nodes, table.machine.name, table.machine.topology,
                                 to_text(table.arrivals), table.calls, table.calls == 1 ? "" : "s");
  const size_t width = widest_algorithm(table);
  text += fmt::format("{:>10}  {:<{}}  {:<6} {:>12} {:>12} {:>12} {:>12}\n", "bytes", "algorithm", width,
                      "leader", "mean us", "slowest us", "after us", "whole us");
  std::string reasons;
  for (const SimulationCell& cell : table.cells) {
    const simulate::Figures& figures = cell.figures;
    const std::string choice = to_string(cell.choice);
    if (!cell.why_not.empty()) {
      reasons +=
          fmt::format("{} bytes, {}, {}: {}\n", cell.bytes, choice, to_string(cell.leader), cell.why_not);
      continue;
    }
    text += fmt::format("{:>10}  {:<{}}  {:<6} {:>12} {:>12} {:>12} {:>12}\n", cell.bytes, choice, width,
                        to_string(cell.leader), in_us(figures.mean_ns), in_us(figures.slowest_ns),
                        in_us(figures.after_last_ns), in_us(figures.whole_ns));
  }
  text +=
      "\nmean, slowest: time inside the call, of all ranks and of the rank that is worst off; after: from "
      "the last arrival "
      "to the last exit; whole: from the first arrival\n";
  return reasons.empty() ? text : text + "\nnot simulated:\n" + reasons;
}

std::string simulation_csv(const SimulationTable& table) {
  std::string text =
      "collective,nodes,ranks,bytes,algorithm,leader,mean_ns,slowest_ns,after_last_ns,whole_ns,messages,"
      "bytes_between_nodes,"
      "local_messages,global_bytes,events\n";
  for (const SimulationCell& cell : table.cells) {
    if (!cell.why_not.empty()) continue;
    const simulate::Figures& figures = cell.figures;
    const simulate::Counters& counters = figures.counters;
    text +=
        fmt::format("{},{},{},{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{},{},{},{},{}\n",
                    algorithm::to_string(table.collective), table.nodes, table.nodes * table.ranks_per_node,
                    cell.bytes, to_string(cell.choice), to_string(cell.leader), figures.mean_ns,
                    figures.slowest_ns, figures.after_last_ns, figures.whole_ns, counters.messages,
                    counters.bytes, counters.local_messages, counters.global_bytes, counters.events);
  }
  return text;
}

nlohmann::ordered_json simulation_json(const SimulationTable& table) {
  using nlohmann::ordered_json;
  ordered_json cells = ordered_json::array();
  for (const SimulationCell& cell : table.cells) {
    ordered_json made{
        {"bytes", cell.bytes}, {"algorithm", to_string(cell.choice)}, {"leader", to_string(cell.leader)}};
    if (!cell.why_not.empty()) {
      made["why_not"] = cell.why_not;
    } else {
      const simulate::Figures& figures = cell.figures;
      const simulate::Counters& counters = figures.counters;
      made.update({{"mean_ns", figures.mean_ns},
                   {"slowest_ns", figures.slowest_ns},
                   {"after_last_ns", figures.after_last_ns},
                   {"whole_ns", figures.whole_ns},
                   {"messages", counters.messages},
                   {"bytes_between_nodes", counters.bytes},
                   {"local_messages", counters.local_messages},
                   {"local_bytes", counters.local_bytes},
                   {"global_bytes", counters.global_bytes},
                   {"events", counters.events}});
    }
    cells.push_back(std::move(made));
  }
  return {{"schema", 1},
          {"collective", algorithm::to_string(table.collective)},
          {"nodes", table.nodes},
          {"ranks", table.nodes * table.ranks_per_node},
          {"root", table.root},
          {"machine", ordered_json::parse(simulate::format_machine(table.machine))},
          {"arrivals", to_text(table.arrivals)},
          {"calls", table.calls},
          {"seed", table.seed},
          {"cells", std::move(cells)}};
}

}  // namespace tutti::command
