#include <fmt/format.h>

#include <vector>

#include "interconnect/network_topology.hpp"

namespace tutti::interconnect {

using base::Result;
using base::Status;

namespace {

/// A k-ary n-tree: level 0 has the nodes. Switch w of level l, written in base k with n - 1 digits, is
/// connected upwards to the switches of level l + 1 that differ from it at most in digit l. Ports 0 … k - 1
/// lead down, k … 2k - 1 up. Switches of the highest level use only the lower half of their ports.
class FatTree final : public NetworkTopology {
 public:
  FatTree(uint32_t nodes, uint32_t arity, uint32_t levels)
      : nodes_(nodes), arity_(arity), levels_(levels), powers_(levels + 1, 1) {
    for (uint32_t l = 1; l <= levels; ++l) powers_[l] = powers_[l - 1] * arity;
    per_level_ = powers_[levels - 1];
  }

  std::string describe() const override {
    return fmt::format("fat-tree of {}-port switches, {} level{}", 2 * arity_, levels_,
                       levels_ == 1 ? "" : "s");
  }
  uint32_t nodes() const override { return nodes_; }
  uint32_t routers() const override { return per_level_ * levels_; }
  uint32_t ports() const override { return 2 * arity_; }
  uint32_t lanes() const override { return 1; }

  Peer peer(uint32_t router, uint32_t port) const override {
    const uint32_t level = router / per_level_, word = router % per_level_;
    if (port < arity_) {
      if (level == 0) {
        const uint64_t node = uint64_t{word} * arity_ + port;
        return node < nodes_ ? Peer{.node = static_cast<uint32_t>(node)} : Peer{};
      }
      return {.router = (level - 1) * per_level_ + with_digit(word, level - 1, port),
              .port = arity_ + digit(word, level - 1)};
    }
    if (level + 1 == levels_) return {};
    return {.router = (level + 1) * per_level_ + with_digit(word, level, port - arity_),
            .port = digit(word, level)};
  }

  Peer attachment(uint32_t node) const override {
    return {.router = node / arity_, .port = node % arity_, .node = node};
  }

  Step route(uint32_t router, uint32_t, uint32_t, uint32_t, uint32_t destination) const override {
    const uint32_t level = router / per_level_, word = router % per_level_;
    // The nodes below this switch have the same digits from `level` on.
    const uint32_t target = destination / arity_;
    if (word / powers_[level] == target / powers_[level])
      return {.port = level == 0 ? destination % arity_ : digit(target, level - 1)};
    return {.port = arity_ + up_digit(destination, level)};
  }

  bool is_global(uint32_t router, uint32_t port) const override {
    if (levels_ < 2) return false;
    const uint32_t level = router / per_level_;
    return level + 1 == levels_ ? port < arity_ : level + 2 == levels_ && port >= arity_;
  }

 private:
  uint32_t digit(uint32_t word, uint32_t index) const { return word / powers_[index] % arity_; }
  uint32_t with_digit(uint32_t word, uint32_t index, uint32_t value) const {
    return word + value * powers_[index] - digit(word, index) * powers_[index];
  }
  /// Digit `level` of the destination node, so that neighbours are spread over the switches above.
  uint32_t up_digit(uint32_t destination, uint32_t level) const {
    return destination / powers_[level] % arity_;
  }

  uint32_t nodes_, arity_, levels_, per_level_ = 1;
  std::vector<uint32_t> powers_;
};

}  // namespace

Result<std::unique_ptr<NetworkTopology>> make_fat_tree(uint32_t nodes, uint32_t ports) {
  if (ports < 4 || ports > 128 || ports % 2 != 0)
    return Status::invalid_argument(
        fmt::format("a fat tree has switches of 4 to 128 ports, an even number, not {}", ports));
  const uint32_t arity = ports / 2;
  uint64_t room = arity;
  uint32_t levels = 1;
  for (; room < nodes && levels < 4; ++levels) room *= arity;
  if (room < nodes)
    return Status::invalid_argument(
        fmt::format("a fat tree of {}-port switches has room for {} nodes in four levels, not for {}", ports,
                    room, nodes));
  return std::unique_ptr<NetworkTopology>(std::make_unique<FatTree>(nodes, arity, levels));
}

}  // namespace tutti::interconnect
