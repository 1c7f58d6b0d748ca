// Fabric files (ibnetdiscover, ibsim): a bad one gets one line that starts with its origin; a good one can be
// written and read back.

#include "fabric/topology_file.hpp"

#include "target.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto made = fabric::parse_topology(fuzz::text_of(data, size), "file");
  if (!made) {
    fuzz::require_message(made.status().message());
    fuzz::require(made.status().message().starts_with("file:"), "a message starts with the origin");
    return 0;
  }
  for (fabric::SwitchId id = 0; id < made->switch_count(); ++id)
    for (const fabric::Arc& arc : made->arcs(id)) {
      const fabric::Peer back = made->peer(arc.to, arc.to_port);
      fuzz::require(back.kind == fabric::Peer::Kind::link && back.index == arc.link, "cables have two ends");
    }
  for (fabric::HostId id = 0; id < made->host_count(); ++id)
    if (const fabric::HostNode& host = made->host(id); host.at != fabric::k_none)
      fuzz::require(made->peer(host.at, host.at_port).index == id, "a host is where its switch has it");
  const std::string text = fabric::format_ibsim(*made);
  const auto again = fabric::parse_topology(text, "file");
  fuzz::require(again.is_ok(), "what is written is a fabric");
  fuzz::require(again->link_count() == made->link_count(), "fabrics read back as the same");
  return 0;
}
