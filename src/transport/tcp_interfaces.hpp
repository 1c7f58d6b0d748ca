#pragma once
// The network interfaces that an MPI over TCP was told to use.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::transport {

struct Interface {
  std::string name;
  uint32_t address = 0;  // IPv4, the first octet highest
};

/// Interfaces of this machine that have an IPv4 address, once for each address.
std::vector<Interface> interfaces_here();

/// The interfaces among `here` that a list like Open MPI's btl_tcp_if_include names: by name, or by network,
/// like "eth0,10.1.0.0/16". Returns their names, separated by commas; empty when none matches. Ignores anything else.
std::string names_of_listed(std::string_view list, std::span<const Interface> here);

}  // namespace tutti::transport
