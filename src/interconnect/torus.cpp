#include <fmt/format.h>

#include <algorithm>

#include "interconnect/network_topology.hpp"

namespace tutti::interconnect {

using base::Result;
using base::Status;

namespace {

constexpr uint32_t k_local_port = 6;  // 2d is upwards in dimension d, 2d + 1 downwards

class Torus final : public NetworkTopology {
 public:
  explicit Torus(std::array<uint32_t, 3> size) : size_(size) {
    places_.reserve(nodes());
    for (uint32_t z = 0; z < size[2]; ++z)
      for (uint32_t y = 0; y < size[1]; ++y)
        for (uint32_t x = 0; x < size[0]; ++x)
          places_.push_back({static_cast<uint16_t>(x), static_cast<uint16_t>(y), static_cast<uint16_t>(z)});
  }

  std::string describe() const override {
    return fmt::format("torus {}x{}x{}", size_[0], size_[1], size_[2]);
  }
  uint32_t nodes() const override { return size_[0] * size_[1] * size_[2]; }
  uint32_t routers() const override { return nodes(); }
  uint32_t ports() const override { return k_local_port + 1; }
  uint32_t lanes() const override { return 2; }

  Peer peer(uint32_t router, uint32_t port) const override {
    if (port == k_local_port) return {.node = router};
    const uint32_t dimension = port / 2;
    if (size_[dimension] == 1) return {};
    const bool is_up = port % 2 == 0;
    const uint32_t stride = dimension == 0 ? 1 : dimension == 1 ? size_[0] : size_[0] * size_[1];
    const uint32_t here = places_[router][dimension];
    const uint32_t last = size_[dimension] - 1;
    uint32_t there = 0;
    if (is_up)
      there = here == last ? 0 : here + 1;
    else
      there = here == 0 ? last : here - 1;
    return {.router = router + there * stride - here * stride, .port = port ^ 1};
  }

  Peer attachment(uint32_t node) const override {
    return {.router = node, .port = k_local_port, .node = node};
  }

  Step route(uint32_t router, uint32_t port, uint32_t lane, uint32_t source,
             uint32_t destination) const override {
    const auto& here = places_[router];
    const auto& there = places_[destination];
    for (uint32_t dimension = 0; dimension < 3; ++dimension) {
      if (here[dimension] == there[dimension]) continue;
      const uint32_t size = size_[dimension];
      const uint32_t from = places_[source][dimension];
      const uint32_t up = there[dimension] >= from ? there[dimension] - from : there[dimension] + size - from;
      // Every router on the path gets the same result, since it depends only on the two ends.
      const bool is_up = 2 * up < size || (2 * up == size && from % 2 == 0);
      const bool is_wrap = is_up ? here[dimension] == size - 1 : here[dimension] == 0;
      const bool is_same_dimension = port < k_local_port && port / 2 == dimension;
      return {.port = 2 * dimension + (is_up ? 0 : 1),
              .lane = is_wrap || (is_same_dimension && lane == 1) ? 1u : 0u};
    }
    return {.port = k_local_port, .lane = 0};
  }

  bool is_global(uint32_t, uint32_t) const override { return false; }

 private:
  std::array<uint32_t, 3> size_;
  std::vector<std::array<uint16_t, 3>> places_;
};

}  // namespace

Result<std::unique_ptr<NetworkTopology>> make_torus(std::array<uint32_t, 3> size) {
  uint64_t product = 1;
  for (const uint32_t extent : size) {
    if (extent < 1 || extent > 1024)
      return Status::invalid_argument(
          fmt::format("a torus has 1 to 1024 nodes per dimension, not {}", extent));
    product *= extent;
  }
  if (product > uint64_t{1} << 22)
    return Status::invalid_argument(fmt::format("a torus has at most {} nodes, not {}", 1 << 22, product));
  return std::unique_ptr<NetworkTopology>(std::make_unique<Torus>(size));
}

std::array<uint32_t, 3> torus_for(uint32_t nodes) {
  std::array<uint32_t, 3> best{};
  uint64_t best_product = UINT64_MAX, best_sum = 0;
  // x ≥ y ≥ z. With z ≥ x / 3 a side is at most the third root of nine times the product.
  for (uint32_t x = 1; uint64_t{x} * x * x <= uint64_t{nodes} * 72 + 27; ++x)
    for (uint32_t y = 1; y <= x; ++y) {
      const uint64_t plane = uint64_t{x} * y;
      const uint64_t z = std::max<uint64_t>((nodes + plane - 1) / plane, (x + 2) / 3);
      if (z > y) continue;
      const uint64_t sum = x + y + z, product = plane * z;
      if (product > best_product || (product == best_product && sum >= best_sum)) continue;
      best = {x, y, static_cast<uint32_t>(z)};
      best_sum = sum;
      best_product = product;
    }
  return best;
}

}  // namespace tutti::interconnect
