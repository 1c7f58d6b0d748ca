#include "situation.hpp"

#include <array>
#include <numeric>
#include <utility>

namespace tutti::model {

using algorithm::Blocks;

std::vector<InPlace> in_place_of(Collective collective) {
  switch (collective) {
    case Collective::reduce:
    case Collective::gather:
    case Collective::gatherv:
    case Collective::scatter:
    case Collective::scatterv:
      return {InPlace::nobody, InPlace::root};
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan:
    case Collective::allgather:
    case Collective::allgatherv:
      return {InPlace::nobody, InPlace::everybody, InPlace::odd_ranks};
    default:
      return {InPlace::nobody};
  }
}

std::vector<Layout> layouts_of(Collective collective) {
  using enum Layout;
  switch (collective) {
    case Collective::reduce_scatter:
      return {uniform, uneven, one_rank};  // always packed
    case Collective::gatherv:
    case Collective::scatterv:
      return {uniform, uneven, gaps, reversed, one_rank};
    case Collective::allgatherv:
    case Collective::alltoallv:
    case Collective::alltoallw:
      return {uniform, uneven, gaps, reversed, one_rank, every_rank_its_own};
    default:
      return {uniform};
  }
}

std::string describe(const Situation& s) {
  constexpr std::array<const char*, 4> k_in_place = {"not in place", "root in place", "in place",
                                                     "odd ranks in place"};
  constexpr std::array<const char*, 6> k_layouts = {"uniform",  "uneven",   "with gaps",
                                                    "reversed", "one rank", "every rank its own"};
  std::string text = std::string(algorithm::to_string(s.collective)) + " of " + std::to_string(s.rank_count) +
                     " ranks, root " + std::to_string(s.root) + ", " + std::to_string(s.count) + " x " +
                     std::to_string(s.element_bytes) + " bytes, " +
                     k_in_place[static_cast<size_t>(s.in_place)] + ", blocks " +
                     k_layouts[static_cast<size_t>(s.layout)];
  return text + (s.sizes_known_everywhere ? "" : " known at the root") +
         (s.commutative ? "" : ", not commutative");
}

Requests::Requests(const Situation& situation) : situation_(situation) {
  requests_.resize(static_cast<size_t>(situation.rank_count));
  for (Rank me = 0; me < situation.rank_count; ++me) {
    Request& request = requests_[static_cast<size_t>(me)];
    request.collective = situation.collective;
    request.rank_count = situation.rank_count;
    request.root = situation.root;
    request.element_bytes = situation.element_bytes;
    request.commutative = situation.commutative;
    request.in_place = situation.in_place == InPlace::everybody ||
                       (situation.in_place == InPlace::root && me == situation.root) ||
                       (situation.in_place == InPlace::odd_ranks && me % 2 == 1);
    fill_blocks(request, me);
  }
}

void Requests::fill_blocks(Request& request, Rank me) {
  const bool is_root = me == situation_.root;
  std::vector<uint64_t> sizes;
  for (Rank r = 0; r < situation_.rank_count; ++r) sizes.push_back(block_bytes(r));
  const uint64_t sum = std::accumulate(sizes.begin(), sizes.end(), uint64_t{0});
  switch (situation_.collective) {
    case Collective::barrier:
      break;
    case Collective::bcast:
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan:
      request.bytes = situation_.count * situation_.element_bytes;
      break;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      request.bytes = sum;
      request.blocks = blocks_with(std::move(sizes), me);
      break;
    case Collective::gather:
    case Collective::scatter:
    case Collective::allgather:
    case Collective::allgatherv:
      request.own_bytes = block_bytes(me);
      request.blocks = blocks_with(std::move(sizes), me);
      break;
    case Collective::gatherv:
    case Collective::scatterv:
      request.own_bytes = block_bytes(me);
      request.counts_known_everywhere = situation_.sizes_known_everywhere;
      request.blocks.known = is_root || situation_.sizes_known_everywhere;
      if (request.blocks.known) request.blocks = blocks_with(std::move(sizes), me);
      break;
    case Collective::alltoall:
    case Collective::alltoallv:
    case Collective::alltoallw:
      fill_alltoall(request, me);
      break;
  }
}

void Requests::fill_alltoall(Request& request, Rank me) {
  std::vector<uint64_t> sent, received;
  for (Rank other = 0; other < situation_.rank_count; ++other) {
    sent.push_back(message_bytes(me, other));
    received.push_back(message_bytes(other, me));
  }
  request.own_bytes = message_bytes(me, me);
  request.blocks = blocks_with(std::move(sent), me);
  request.receive_blocks = blocks_with(std::move(received), me + 1);
}

uint64_t Requests::block_bytes(Rank r) const {
  const uint64_t n = situation_.count;
  const auto i = static_cast<uint64_t>(r);
  switch (situation_.layout) {
    case Layout::uniform:
      return n * situation_.element_bytes;
    case Layout::one_rank:
      return (r == situation_.rank_count - 1 ? n : 0) * situation_.element_bytes;
    default:
      return n * ((i * 5 + 2) % 4) / 2 * situation_.element_bytes;
  }
}

uint64_t Requests::message_bytes(Rank from, Rank to) const {
  const uint64_t n = situation_.count;
  switch (situation_.layout) {
    case Layout::uniform:
      return n;
    case Layout::one_rank:
      return to == (from + 1) % situation_.rank_count ? n : 0;
    default:
      return n * static_cast<uint64_t>((from * 3 + to * 5 + 2) % 4) / 2;
  }
}

Blocks Requests::blocks_with(std::vector<uint64_t> sizes, Rank me) {
  Blocks blocks;
  if (situation_.layout == Layout::uniform) {
    blocks.uniform_bytes = sizes.front();
    return blocks;
  }
  const bool mirrored = situation_.layout == Layout::every_rank_its_own && me % 2 == 1;
  const bool descending = situation_.layout == Layout::reversed || mirrored;
  const bool packed = situation_.layout == Layout::uneven || situation_.layout == Layout::one_rank;
  arrays_.push_back(std::move(sizes));
  blocks.sizes = arrays_.back();
  if (packed) return blocks;
  std::vector<uint64_t> offsets(blocks.sizes.size());
  uint64_t at = 3;
  for (size_t i = 0; i < offsets.size(); ++i) {
    const size_t r = descending ? offsets.size() - 1 - i : i;
    offsets[r] = at;
    at += blocks.sizes[r] + 1 + r % 3;
  }
  arrays_.push_back(std::move(offsets));
  blocks.offsets = arrays_.back();
  return blocks;
}

}  // namespace tutti::model
