#include <array>
#include <string>

#include "schedule/print.hpp"

namespace tutti::schedule {

namespace {

std::string describe(const BufRef& buffer) {
  constexpr std::array<const char*, 4> k_names = {"input", "output", "scratch", "node"};
  return std::string(k_names[static_cast<size_t>(buffer.slot)]) + "+" + std::to_string(buffer.offset);
}

std::string describe(const Peer& peer) {
  constexpr std::array<const char*, 4> k_names = {"no rank", "rank ", "local rank ", "the leader of node "};
  const std::string name = k_names[static_cast<size_t>(peer.kind)];
  return peer.kind == Peer::Kind::none ? name : name + std::to_string(peer.index);
}

std::string bytes(uint64_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

}  // namespace

std::string describe(const Task& task) {
  switch (task.kind) {
    case TaskKind::send:
      if (task.source.empty()) return "notify " + describe(task.peer);
      return "send " + bytes(task.source.length) + " of " + describe(task.source) + " to " +
             describe(task.peer);
    case TaskKind::recv:
      if (task.target.empty()) return "await " + describe(task.peer);
      return "recv " + bytes(task.target.length) + " into " + describe(task.target) + " from " +
             describe(task.peer);
    case TaskKind::copy:
      return "copy " + bytes(task.source.length) + " of " + describe(task.source) + " to " +
             describe(task.target);
    case TaskKind::reduce: {
      const std::string source = describe(task.source), target = describe(task.target);
      const bool source_first = task.order == OperandOrder::source_first;
      return "reduce " + bytes(task.source.length) + ": " + target + " = " +
             (source_first ? source : target) + " op " + (source_first ? target : source);
    }
    case TaskKind::nop:
      return "join";
  }
  return {};
}

}  // namespace tutti::schedule
