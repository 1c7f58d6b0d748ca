#include "switch_tables.hpp"

#include <arpa/inet.h>
#include <endian.h>
#include <fmt/format.h>
#include <infiniband/umad_sm.h>
#include <infiniband/umad_types.h>

#include <algorithm>
#include <cstring>

namespace tutti::opensm_test {

using base::Result;
using base::Status;
using fabric::Fabric;
using fabric::SwitchId;

namespace {

constexpr uint16_t k_switch_info = 0x12, k_multicast_table = 0x1B;
constexpr unsigned k_mlids_per_block = 32, k_ports_per_position = 16;

using Path = std::vector<uint8_t>;  // ports to leave by, from this machine's on

/// The shortest path to every switch, empty for those out of reach.
std::vector<Path> paths_from(const Fabric& fabric, const fabric::HostNode& here) {
  std::vector<Path> paths(fabric.switch_count());
  if (here.at == fabric::k_none) return paths;
  std::vector<SwitchId> order{here.at};
  paths[here.at] = {here.node_port};
  for (size_t head = 0; head < order.size(); ++head)
    for (const fabric::Arc& arc : fabric.arcs(order[head])) {
      if (!paths[arc.to].empty()) continue;
      paths[arc.to] = paths[order[head]];
      paths[arc.to].push_back(arc.port);
      order.push_back(arc.to);
    }
  return paths;
}

/// Reads one attribute of one switch.
class Question {
 public:
  explicit Question(Port& port) : port_(port) {}

  Status ask(const Path& path, uint16_t attribute, uint32_t modifier) {
    umad_smp packet{};
    packet.base_version = 1;
    packet.mgmt_class = UMAD_CLASS_SUBN_DIRECTED_ROUTE;
    packet.class_version = 1;
    packet.method = 1;  // Get
    packet.hop_cnt = static_cast<uint8_t>(path.size());
    packet.tid = htobe64(++number_);
    packet.attr_id = htons(attribute);
    packet.attr_mod = htonl(modifier);
    packet.dr_slid = packet.dr_dlid = 0xFFFF;
    std::copy(path.begin(), path.end(), packet.initial_path + 1);
    if (Status status = port_.send(&packet, Port::k_directed_route); !status) return status;
    constexpr int k_answer_within_ms = 10'000;
    while (port_.receive(&answer_, k_answer_within_ms))
      if ((be64toh(answer_.tid) & UINT32_MAX) == number_) return {};
    return Status::not_found(fmt::format("a switch {} hops away does not answer", path.size()));
  }

  unsigned number(unsigned index) const {
    uint16_t value;
    std::memcpy(&value, answer_.data + index * sizeof value, sizeof value);
    return ntohs(value);
  }

 private:
  Port& port_;
  umad_smp answer_{};
  uint64_t number_ = 0;
};

Status read_switch(Question& question, const Path& path, SwitchId id, unsigned port_count,
                   std::vector<fabric::TablePort>& ports) {
  if (Status status = question.ask(path, k_switch_info, 0); !status) return status;
  const unsigned capacity = question.number(2);  // MulticastFDBCap
  for (unsigned block = 0; block * k_mlids_per_block < capacity; ++block)
    for (unsigned position = 0; position * k_ports_per_position <= port_count; ++position) {
      if (Status status = question.ask(path, k_multicast_table, position << 28 | block); !status)
        return status;
      for (unsigned i = 0; i < k_mlids_per_block; ++i)
        for (unsigned bit = 0; bit < k_ports_per_position; ++bit)
          if ((question.number(i) >> bit & 1) != 0)
            ports.push_back({id, block * k_mlids_per_block + i,
                             static_cast<fabric::Port>(position * k_ports_per_position + bit)});
    }
  return {};
}

}  // namespace

Result<fabric::MulticastTables> read_tables(Port& port, const Fabric& fabric) {
  const fabric::HostId here = fabric.find_host(port.guid());
  if (here == fabric::k_none)
    return Status::not_found(fmt::format("the fabric has no port {:016x}", port.guid()));
  const std::vector<Path> paths = paths_from(fabric, fabric.host(here));
  Question question(port);
  std::vector<fabric::TablePort> ports;
  for (SwitchId id = 0; id < fabric.switch_count(); ++id)
    if (!paths[id].empty())
      if (Status status = read_switch(question, paths[id], id, fabric.switch_node(id).port_count, ports);
          !status)
        return status;
  return fabric::MulticastTables(fabric.switch_count(), std::move(ports));
}

}  // namespace tutti::opensm_test
