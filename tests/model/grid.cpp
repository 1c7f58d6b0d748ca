#include "grid.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace tutti::model {

using algorithm::Algorithm;
using algorithm::Parameter;
using topology::Topology;

namespace {

template <class T>
std::vector<T> unique(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

Topology from_nodes(const std::vector<int32_t>& node_of_rank) {
  return Topology::from_node_of_rank(node_of_rank).value();
}

/// Nodes of 1, 3, 2, 5, 1, 3, 2, 5, … ranks.
Topology uneven(Rank p) {
  constexpr Rank k_sizes[] = {1, 3, 2, 5};
  std::vector<int32_t> nodes;
  for (int32_t node = 0; static_cast<Rank>(nodes.size()) < p; ++node)
    nodes.insert(nodes.end(),
                 static_cast<size_t>(std::min(k_sizes[node % 4], p - static_cast<Rank>(nodes.size()))), node);
  return from_nodes(nodes);
}

Topology round_robin(Rank p, int32_t nodes) {
  std::vector<int32_t> node_of_rank;
  for (Rank r = 0; r < p; ++r) node_of_rank.push_back(r % nodes);
  return from_nodes(node_of_rank);
}

/// The uneven nodes with their ranks dealt out in a fixed disorder.
Topology shuffled(Rank p) {
  const Topology ordered = uneven(p);
  std::vector<int32_t> node_of_rank;
  for (Rank r = 0; r < p; ++r) node_of_rank.push_back(ordered.node_of(r));
  uint64_t state = 12345;
  for (size_t i = node_of_rank.size(); i > 1; --i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::swap(node_of_rank[i - 1], node_of_rank[(state >> 33) % i]);
  }
  return from_nodes(node_of_rank);
}

/// Groups of two nodes: consecutive ones, or as far from each other as possible.
Topology in_pairs(const Topology& topology, bool are_consecutive) {
  const int32_t groups = (topology.node_count() + 1) / 2;
  std::vector<int32_t> group_of_node;
  for (int32_t n = 0; n < topology.node_count(); ++n)
    group_of_node.push_back(are_consecutive ? n / 2 : n % groups);
  return topology.with_groups(group_of_node);
}

/// The last rank of every node leads it, as policy `first` may decide.
Topology led_by_last(Topology topology) {
  for (int32_t node = 0; node < topology.node_count(); ++node)
    topology = topology.with_leader(topology.ranks_of(node).back());
  return topology;
}

std::vector<NamedTopology> topologies_for(Rank p) {
  std::vector<NamedTopology> all = {{"flat", Topology::flat(p)}};
  for (Rank per_node : {2, 3, 8})
    if (p > per_node) all.push_back({"blocked " + std::to_string(per_node), Topology::blocked(p, per_node)});
  if (p >= 2) all.push_back({"one node", Topology::blocked(p, p)});
  if (p >= 3) {
    all.push_back({"round robin", round_robin(p, std::max(2, p / 3))});
    all.push_back({"uneven", uneven(p)});
    all.push_back({"shuffled", shuffled(p)});
    all.push_back({"blocked 3 led by last", led_by_last(Topology::blocked(p, 3))});
    all.push_back({"shuffled led by last", led_by_last(shuffled(p))});
    all.push_back({"blocked 2 in pairs", in_pairs(Topology::blocked(p, 2), true)});
    all.push_back({"shuffled in pairs, led by last", led_by_last(in_pairs(shuffled(p), false))});
  }
  return all;
}

/// Enough for several default segments, and divisible by nothing.
uint64_t large_bytes(const Algorithm& algorithm) {
  constexpr uint64_t k_least = 40'009, k_most = 1'000'003;
  uint64_t bytes = k_least;
  for (const Parameter& parameter : algorithm.parameters)
    if (parameter.unit == Parameter::Unit::bytes)
      bytes = std::max(bytes, 5 * parameter.default_value / 2 + 9);
  return std::min(bytes, k_most);
}

bool is_by_blocks(Collective c) {
  return c != Collective::bcast && c != Collective::reduce && c != Collective::allreduce &&
         c != Collective::scan && c != Collective::exscan;
}

constexpr uint64_t k_byte_choices = 4, k_count_choices = 7;

uint64_t choices_of(const Parameter& parameter) {
  switch (parameter.unit) {
    case Parameter::Unit::choice:
      return parameter.choices.size();
    case Parameter::Unit::bytes:
      return k_byte_choices;
    case Parameter::Unit::count:
      return k_count_choices;
  }
  return 1;
}

}  // namespace

Grid::Grid(const Algorithm& algorithm, Rank rank_count)
    : algorithm_(algorithm),
      rank_count_(rank_count),
      topologies_(topologies_for(rank_count)),
      in_place_(in_place_of(algorithm.collective)),
      layouts_(layouts_of(algorithm.collective)) {
  const Rank p = rank_count;
  roots_ = is_rooted(algorithm.collective) ? unique<Rank>({0, p - 1, p / 2, std::min(1, p - 1)})
                                           : std::vector<Rank>{0};
  element_bytes_ =
      is_reduction(algorithm.collective) ? std::vector<uint64_t>{4, 12} : std::vector<uint64_t>{1};
  commutative_ =
      is_reduction(algorithm.collective) ? std::vector<bool>{true, false} : std::vector<bool>{true};
  const bool root_may_know_alone =
      algorithm.collective == Collective::gatherv || algorithm.collective == Collective::scatterv;
  sizes_known_everywhere_ = root_may_know_alone ? std::vector<bool>{true, false} : std::vector<bool>{true};
  if (algorithm.collective == Collective::barrier) {
    counts_ = {0};
    return;
  }
  const auto n = static_cast<uint64_t>(p);
  uint64_t large = large_bytes(algorithm) / element_bytes_.front();
  if (is_by_blocks(algorithm.collective) && p > 9) large = large / n + 1;
  counts_ = unique<uint64_t>({0, 1, n - 1, n, n + 1, 3 * n + 2, large});
}

std::vector<uint64_t> Grid::dimensions() const {
  std::vector<uint64_t> sizes = {
      topologies_.size(), counts_.size(),        roots_.size(),       in_place_.size(),
      layouts_.size(),    element_bytes_.size(), commutative_.size(), sizes_known_everywhere_.size()};
  for (const Parameter& parameter : algorithm_.parameters) sizes.push_back(choices_of(parameter));
  return sizes;
}

uint64_t Grid::size() const {
  const auto sizes = dimensions();
  return std::accumulate(sizes.begin(), sizes.end(), uint64_t{1}, std::multiplies<>());
}

uint64_t Grid::budget() const {
  const auto p = static_cast<uint64_t>(rank_count_);
  const uint64_t share = rank_count_ <= 9 ? 24'000 / (p * p) : 60'000 / (p * p);
  return std::min(size(), std::clamp<uint64_t>(share, 30, 2'000));
}

uint64_t Grid::parameter_value(const Parameter& parameter, uint64_t choice, const Situation& s) const {
  if (parameter.unit == Parameter::Unit::choice) return choice;
  uint64_t value = parameter.default_value;
  if (parameter.unit == Parameter::Unit::bytes) {
    // The smallest size that leaves a handful of segments: a smaller one only repeats their pattern.
    const uint64_t bytes = s.count * s.element_bytes;
    const uint64_t values[k_byte_choices] = {parameter.default_value, bytes / 5 + 1,
                                             std::max<uint64_t>(bytes / 9, 37), parameter.max};
    value = values[choice];
  } else {
    const uint64_t values[k_count_choices] = {parameter.default_value,
                                              parameter.min,
                                              parameter.min + 1,
                                              3,
                                              5,
                                              static_cast<uint64_t>(s.rank_count),
                                              parameter.max};
    value = values[choice];
  }
  return std::clamp(value, parameter.min, parameter.max);
}

Point Grid::point(uint64_t n) const {
  const uint64_t size = this->size();
  // Steps of the golden ratio visit every point once and any prefix evenly.
  uint64_t stride = std::max<uint64_t>(1, static_cast<uint64_t>(static_cast<double>(size) * 0.6180339887));
  while (std::gcd(stride, size) != 1) ++stride;
  uint64_t index = budget() == size ? n : n * stride % size;
  const auto digit = [&](uint64_t radix) {
    const uint64_t value = index % radix;
    index /= radix;
    return value;
  };
  Point point;
  Situation& s = point.situation;
  s.collective = algorithm_.collective;
  s.rank_count = rank_count_;
  s.count = counts_[digit(counts_.size())];
  s.commutative = commutative_[digit(commutative_.size())];
  s.layout = layouts_[digit(layouts_.size())];
  s.in_place = in_place_[digit(in_place_.size())];
  s.root = roots_[digit(roots_.size())];
  s.sizes_known_everywhere = sizes_known_everywhere_[digit(sizes_known_everywhere_.size())];
  s.element_bytes = element_bytes_[digit(element_bytes_.size())];
  for (size_t i = 0; i < algorithm_.parameters.size(); ++i) {
    const Parameter& parameter = algorithm_.parameters[i];
    point.parameters.values[i] = parameter_value(parameter, digit(choices_of(parameter)), s);
  }
  point.topology = &topologies_[digit(topologies_.size())];
  return point;
}

std::string describe(const Algorithm& algorithm, const Point& point) {
  std::string text = std::string(algorithm.name);
  for (size_t i = 0; i < algorithm.parameters.size(); ++i) {
    const Parameter& parameter = algorithm.parameters[i];
    const uint64_t value = point.parameters[i];
    text += ":" + std::string(parameter.name) + "=" +
            (parameter.unit == Parameter::Unit::choice ? std::string(parameter.choices[value])
                                                       : std::to_string(value));
  }
  return text + ", " + describe(point.situation) + ", topology " + point.topology->name;
}

std::string name_of_row(const testing::TestParamInfo<const Algorithm*>& info) {
  std::string name = std::string(to_string(info.param->collective)) + "_" + std::string(info.param->name);
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

}  // namespace tutti::model
