#include "fabric/opensm_sssp.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace tutti::fabric {

namespace {
constexpr uint64_t k_unreached = UINT64_MAX;
}

/// Returns the node with the least key first. Among equal children the last one moves up; a node never passes
/// another with an equal key.
class OpensmSssp::Heap {
 public:
  explicit Heap(uint32_t node_count) : place_(node_count, k_none) {}

  void insert(Node node) {
    place_[node] = static_cast<uint32_t>(items_.size());
    items_.push_back({k_unreached, node});
    rise(place_[node]);
  }

  void decrease(Node node, uint64_t key) {
    items_[place_[node]].key = key;
    rise(place_[node]);
  }

  bool is_empty() const { return items_.empty(); }

  Node take() {
    const Node least = items_.front().node;
    const Item last = items_.back();
    items_.pop_back();
    if (!items_.empty()) {
      put(0, last);
      sink(0);
    }
    return least;
  }

 private:
  static constexpr uint32_t k_children = 4;
  struct Item {
    uint64_t key;
    Node node;
  };

  void put(uint32_t place, const Item& item) {
    items_[place] = item;
    place_[item.node] = place;
  }

  void rise(uint32_t place) {
    const Item item = items_[place];
    while (place > 0) {
      const uint32_t parent = (place - 1) / k_children;
      if (item.key >= items_[parent].key) break;
      put(place, items_[parent]);
      place = parent;
    }
    put(place, item);
  }

  void sink(uint32_t place) {
    const Item item = items_[place];
    const auto size = static_cast<uint32_t>(items_.size());
    for (uint32_t first = k_children * place + 1; first < size; first = k_children * place + 1) {
      uint32_t least = first;
      for (uint32_t child = first + 1; child < std::min(first + k_children, size); ++child)
        if (items_[child].key <= items_[least].key) least = child;
      if (item.key <= items_[least].key) break;
      put(place, items_[least]);
      place = least;
    }
    put(place, item);
  }

  std::vector<Item> items_;
  std::vector<uint32_t> place_;
};

/// The initial weight of a link gives the number of hops precedence.
OpensmSssp::OpensmSssp(const Fabric& fabric)
    : fabric_(fabric), order_(opensm_order(fabric)), node_of_(order_.size()), edges_(order_.size() + 1) {
  for (Node node = 0; node < order_.size(); ++node) node_of_[order_[node]] = node;
  end_ports_.assign(order_.size(), 1);
  uint64_t all = order_.size();
  for (HostId id = 0; id < fabric.host_count(); ++id) {
    if (fabric.host(id).at == k_none) continue;
    ++end_ports_[node_of_[fabric.host(id).at]];
    ++all;
  }
  for (Node node = 0; node < order_.size(); ++node)
    for (const Arc& arc : fabric.arcs(order_[node]))
      edges_[node].push_back({node_of_[arc.to], &arc, all * all});
  route_unicast();
}

/// Destinations: the end ports of the switches, most end ports first, by port, then the switches in the same
/// order.
void OpensmSssp::route_unicast() {
  const auto end_port = static_cast<Node>(order_.size());
  std::vector<Node> by_hosts(order_.size());
  std::iota(by_hosts.begin(), by_hosts.end(), 0);
  std::ranges::stable_sort(by_hosts, std::greater{}, [&](Node node) { return end_ports_[node]; });
  for (const Node node : by_hosts)
    for (unsigned port = 1; port <= fabric_.switch_node(order_[node]).port_count; ++port) {
      if (fabric_.peer(order_[node], port).kind != Peer::Kind::host) continue;
      edges_[end_port] = {{node, nullptr, 1}};
      run(end_port);
      add_weights();
    }
  for (const Node node : by_hosts) {
    run(node);
    add_weights();
  }
}

void OpensmSssp::run(Node source) {
  const auto switches = static_cast<Node>(order_.size());
  Heap heap(switches + 1);
  for (Node node = 0; node < switches; ++node) heap.insert(node);
  if (source == switches) heap.insert(source);
  std::vector<uint64_t> distance(switches + 1, k_unreached);
  std::vector<uint8_t> is_settled(switches + 1, 0);
  used_.assign(switches + 1, {});
  distance[source] = 0;
  heap.decrease(source, 0);
  while (!heap.is_empty()) {
    const Node at = heap.take();
    is_settled[at] = 1;
    if (distance[at] == k_unreached) continue;
    for (uint32_t i = 0; i < edges_[at].size(); ++i) {
      const Edge& edge = edges_[at][i];
      if (is_settled[edge.to] != 0 || distance[at] + edge.weight >= distance[edge.to]) continue;
      distance[edge.to] = distance[at] + edge.weight;
      used_[edge.to] = {at, i};
      heap.decrease(edge.to, distance[edge.to]);
    }
  }
}

/// Adds the traffic of every switch's end ports to the source of the last run, on all links of the path.
void OpensmSssp::add_weights() {
  for (Node node = 0; node < order_.size(); ++node)
    for (Node at = node; used_[at].from != k_none; at = used_[at].from)
      edges_[used_[at].from][used_[at].edge].weight += end_ports_[node];
}

void OpensmSssp::run_from(SwitchId root) {
  run(node_of_[root]);
}

OpensmSssp::Step OpensmSssp::way_to(SwitchId id) const {
  const Used& used = used_[node_of_[id]];
  if (used.from == k_none) return {};
  return {order_[used.from], edges_[used.from][used.edge].arc};
}

}  // namespace tutti::fabric
