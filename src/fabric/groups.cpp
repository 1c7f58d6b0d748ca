#include "fabric/groups.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "fabric/parse_util.hpp"

namespace tutti::fabric {

using base::Result;
using base::Status;

namespace {

constexpr uint64_t k_transient_site = 0xff18'0000'0000'0000;

uint64_t read_big_endian(const uint8_t* bytes) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | bytes[i];
  return value;
}

}  // namespace

Result<Mgid> parse_mgid(std::string_view text) {
  std::array<uint8_t, 16> bytes{};
  if (inet_pton(AF_INET6, std::string(text).c_str(), bytes.data()) != 1 ||
      text.find('\0') != std::string_view::npos)
    return Status::invalid_argument(base::in_quotes(text) + " is no MGID (like ff18::1)");
  if (bytes[0] != 0xff)
    return Status::invalid_argument(base::in_quotes(text) +
                                    " is no multicast address: an MGID starts with ff");
  return Mgid{read_big_endian(bytes.data()), read_big_endian(bytes.data() + 8)};
}

std::string to_string(const Mgid& mgid) {
  std::array<uint8_t, 16> bytes{};
  for (size_t i = 0; i < 8; ++i) {
    bytes[i] = static_cast<uint8_t>(mgid.high >> (56 - 8 * i));
    bytes[8 + i] = static_cast<uint8_t>(mgid.low >> (56 - 8 * i));
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(AF_INET6, bytes.data(), text.data(), text.size());
  return text.data();
}

Mgid numbered_mgid(uint64_t number) {
  return {k_transient_site, number + 1};
}

void GroupSet::add(const Mgid& mgid, std::vector<HostId> members) {
  std::sort(members.begin(), members.end());
  members_.insert(members_.end(), members.begin(), std::unique(members.begin(), members.end()));
  first_.push_back(members_.size());
  mgids_.push_back(mgid);
}

namespace {

/// Parses one line without its comment. Errors do not contain the line number.
Status parse_group(std::string_view line, const Fabric& fabric, GroupSet& groups) {
  const std::string_view address = take_word(line);
  if (address.empty()) return {};
  const auto mgid = parse_mgid(address);
  if (!mgid) return mgid.status();
  std::vector<HostId> members;
  for (std::string_view word; !(word = take_word(line)).empty();) {
    const auto guid = parse_hex(word);
    if (!guid)
      return Status::invalid_argument(base::in_quotes(word) + " is no GUID (like 0x0002c903000a1b2c)");
    members.push_back(fabric.find_host(*guid));
    if (members.back() == k_none)
      return Status::invalid_argument(
          fmt::format("the fabric has no host port with the GUID {}", base::in_quotes(word)));
  }
  if (members.empty()) return Status::invalid_argument("a group without members");
  groups.add(*mgid, std::move(members));
  return {};
}

}  // namespace

Result<GroupSet> parse_groups(std::string_view text, const Fabric& fabric, std::string_view origin) {
  GroupSet groups;
  std::map<Mgid, size_t> line_of;
  for (size_t number = 1; !text.empty(); ++number) {
    std::string_view line = take_line(text);
    line = line.substr(0, line.find('#'));
    const GroupId id = groups.size();
    Status status = parse_group(line, fabric, groups);
    if (status && groups.size() > id) {
      const auto [entry, is_new] = line_of.emplace(groups.mgid(id), number);
      if (!is_new)
        status = Status::invalid_argument(fmt::format("the MGID of line {} is there again", entry->second));
    }
    if (!status) return Status::invalid_argument(fmt::format("{}:{}: {}", origin, number, status.message()));
  }
  if (groups.size() == 0) return Status::invalid_argument(fmt::format("{}: there is no group in it", origin));
  return groups;
}

std::string format_groups(const GroupSet& groups, const Fabric& fabric) {
  std::string text;
  for (GroupId id = 0; id < groups.size(); ++id) {
    text += to_string(groups.mgid(id));
    for (const HostId host : groups.members(id))
      fmt::format_to(std::back_inserter(text), " {:#018x}", fabric.host(host).guid);
    text += '\n';
  }
  return text;
}

}  // namespace tutti::fabric
