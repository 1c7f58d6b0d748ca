#include "algorithm/request.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/text.hpp"

namespace tutti::algorithm {

namespace {

struct Traits {
  std::string_view name;
  CallSize size;
};
// In the order of Collective.
constexpr std::array k_traits = std::to_array<Traits>({
    {"barrier", CallSize::none},
    {"bcast", CallSize::whole},
    {"reduce", CallSize::whole},
    {"allreduce", CallSize::whole},
    {"reduce_scatter", CallSize::whole},
    {"reduce_scatter_block", CallSize::whole},
    {"allgather", CallSize::block},
    {"allgatherv", CallSize::block},
    {"alltoall", CallSize::block},
    {"alltoallv", CallSize::unknown},
    {"alltoallw", CallSize::unknown},
    {"gather", CallSize::block},
    {"gatherv", CallSize::unknown},
    {"scatter", CallSize::block},
    {"scatterv", CallSize::unknown},
    {"scan", CallSize::whole},
    {"exscan", CallSize::whole},
});
static_assert(k_traits.size() == k_collective_count);

constexpr auto k_names = [] {
  std::array<std::string_view, k_collective_count> names;
  std::ranges::transform(k_traits, names.begin(), &Traits::name);
  return names;
}();

}  // namespace

std::string_view to_string(Collective collective) {
  return k_traits[static_cast<size_t>(collective)].name;
}

CallSize size_of_calls(Collective collective) {
  return k_traits[static_cast<size_t>(collective)].size;
}

bool from_string(std::string_view name, Collective* collective) {
  for (size_t i = 0; i < k_names.size(); ++i) {
    if (k_names[i] != name) continue;
    *collective = static_cast<Collective>(i);
    return true;
  }
  return false;
}

base::Result<Collective> parse_collective(std::string_view name) {
  Collective collective{};
  if (from_string(name, &collective)) return collective;
  return base::Status::invalid_argument("unknown collective " + base::in_quotes(name) +
                                        base::did_you_mean(name, k_names));
}

uint64_t Blocks::offset(Rank r) const {
  if (is_uniform()) return uniform_bytes * static_cast<uint64_t>(r);
  if (!offsets.empty()) return offsets[static_cast<size_t>(r)];
  return std::accumulate(sizes.begin(), sizes.begin() + r, uint64_t{0});
}

uint64_t Blocks::total(Rank rank_count) const {
  if (is_uniform()) return uniform_bytes * static_cast<uint64_t>(rank_count);
  return std::accumulate(sizes.begin(), sizes.begin() + rank_count, uint64_t{0});
}

uint64_t Blocks::largest(Rank rank_count) const {
  return is_uniform() ? uniform_bytes : *std::max_element(sizes.begin(), sizes.begin() + rank_count);
}

uint64_t Blocks::smallest(Rank rank_count) const {
  return is_uniform() ? uniform_bytes : *std::min_element(sizes.begin(), sizes.begin() + rank_count);
}

bool is_rooted(Collective c) {
  using enum Collective;
  return c == bcast || c == reduce || c == gather || c == gatherv || is_scatter(c);
}

bool is_scatter(Collective c) {
  return c == Collective::scatter || c == Collective::scatterv;
}

bool is_reduction(Collective c) {
  using enum Collective;
  return c == reduce || c == allreduce || c == reduce_scatter || c == reduce_scatter_block || c == scan ||
         c == exscan;
}

}  // namespace tutti::algorithm
