#include "fabric/opensm_order.hpp"

#include <algorithm>
#include <numeric>

namespace tutti::fabric {

std::vector<SwitchId> opensm_order(const Fabric& fabric) {
  std::vector<SwitchId> order(fabric.switch_count());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](SwitchId id) { return opensm_key(fabric, id); });
  return order;
}

}  // namespace tutti::fabric
