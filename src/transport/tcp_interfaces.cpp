#include "transport/tcp_interfaces.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/text.hpp"

namespace tutti::transport {

namespace {

struct Network4 {
  uint32_t address = 0, mask = 0;
  bool contains(uint32_t other) const { return (address & mask) == (other & mask); }
};

std::optional<Network4> parse_network(const std::string& text) {
  const size_t slash = text.find('/');
  in_addr address{};
  if (slash == std::string::npos || inet_pton(AF_INET, text.substr(0, slash).c_str(), &address) != 1)
    return std::nullopt;
  const auto bits = base::parse_count(text.substr(slash + 1));
  if (!bits || *bits > 32) return std::nullopt;
  const uint32_t mask = *bits == 0 ? 0 : UINT32_MAX << (32 - *bits);
  return Network4{.address = ntohl(address.s_addr), .mask = mask};
}

}  // namespace

std::vector<Interface> interfaces_here() {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owned(all, freeifaddrs);
  std::vector<Interface> here;
  for (const ifaddrs* at = all; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != AF_INET) continue;
    const auto* const address = reinterpret_cast<const sockaddr_in*>(at->ifa_addr);
    here.push_back({.name = at->ifa_name, .address = ntohl(address->sin_addr.s_addr)});
  }
  return here;
}

std::string names_of_listed(std::string_view list, std::span<const Interface> here) {
  std::vector<std::string> names;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    const std::string item(list.substr(begin, end - begin));
    const auto network = parse_network(item);
    for (const Interface& interface : here) {
      const bool is_meant = network ? network->contains(interface.address) : interface.name == item;
      if (is_meant && std::ranges::find(names, interface.name) == names.end())
        names.push_back(interface.name);
    }
    begin = end + 1;
  }
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : ",") + name;
  return joined;
}

}  // namespace tutti::transport
