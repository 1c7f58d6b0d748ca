// Open MPI's btl_tcp_if_include: what comes out are names of interfaces, each once.

#include <algorithm>
#include <string>
#include <vector>

#include "target.hpp"
#include "transport/tcp_interfaces.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<transport::Interface> here = {
      {"lo", 0x7F000001}, {"eth0", 0x0A010203}, {"eth0", 0x0A020203}, {"eth1", 0xC0A80001}};
  std::string left = transport::names_of_listed(fuzz::text_of(data, size), here);
  for (const std::string name : {"lo", "eth0", "eth1"}) {
    const size_t at = left.find(name);
    if (at == std::string::npos) continue;
    left.erase(at, name.size());
    fuzz::require(left.find(name) == std::string::npos, "a name comes once");
  }
  fuzz::require(left.size() <= 2 && std::ranges::count(left, ',') == std::ssize(left),
                "only commas are left");
  return 0;
}
