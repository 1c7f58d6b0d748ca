#pragma once
// The network interfaces that an MPI over TCP was configured to use.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::transport {

struct Interface {
  std::string name;
  uint32_t address = 0;  // IPv4, first octet in the highest byte
};

/// Interfaces of this machine with an IPv4 address, one entry per address.
std::vector<Interface> interfaces_here();

/// The interfaces among `here` that a list like Open MPI's btl_tcp_if_include selects, by name or by network,
/// e.g. "eth0,10.1.0.0/16". Returns their names, separated by commas; empty if none matches. Ignores invalid
/// entries.
std::string names_of_listed(std::string_view list, std::span<const Interface> here);

}  // namespace tutti::transport
