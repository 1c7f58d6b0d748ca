// Gatherv, scatterv, allgatherv, alltoallv and alltoallw: another size for every block, in any order, with
// gaps.

#include <numeric>

#include "team.hpp"

namespace tutti::test {

namespace {

/// Sizes of all blocks and where they lie in a buffer: in reverse order, an element apart.
struct Blocks {
  std::vector<int> counts, places;
  int elements = 0;

  template <class Count>
  Blocks(int size, Count count_of) {
    for (int r = 0; r < size; ++r) counts.push_back(count_of(r));
    places.resize(counts.size());
    for (size_t r = counts.size(); r-- > 0;) {
      places[r] = elements;
      elements += counts[r] + 1;
    }
  }
};

/// Elements that `from` has for `to`; often none. The same on every rank.
int count_of(const Team& team, int from, int to) {
  const uint32_t number = hash(team.seed, static_cast<uint32_t>(from), static_cast<uint32_t>(to), 7);
  return number % 4 == 0 ? 0 : static_cast<int>(number % 97);
}

void fill(Buffer& buffer, const Team& team, int first, int from, int to, int count, bool is_expected) {
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<uint32_t>(2 * i);
    const uint32_t words[] = {
        hash(team.seed, static_cast<uint32_t>(from), static_cast<uint32_t>(to), index),
        hash(team.seed, static_cast<uint32_t>(from), static_cast<uint32_t>(to), index + 1)};
    is_expected ? buffer.expect(first + i, words) : buffer.set(first + i, words);
  }
}

void try_gatherv(const Team& team, int root, bool in_place, const Layout& mine, const Layout& theirs) {
  const Blocks blocks(team.size, [&](int r) { return count_of(team, r, root); });
  const int own_count = blocks.counts[static_cast<size_t>(team.rank)];
  Buffer own(mine, own_count), all(theirs, blocks.elements);
  fill(own, team, 0, team.rank, root, own_count, false);
  if (team.rank != root) {
    MPI_Gatherv(own.data(), own_count, mine.type(), nullptr, nullptr, nullptr, MPI_DATATYPE_NULL, root,
                team.comm);
  } else {
    for (size_t r = 0; r < blocks.counts.size(); ++r)
      fill(all, team, blocks.places[r], static_cast<int>(r), root, blocks.counts[r],
           !(in_place && static_cast<int>(r) == root));
    MPI_Gatherv(in_place ? MPI_IN_PLACE : own.data(), own_count, mine.type(), all.data(),
                blocks.counts.data(), blocks.places.data(), theirs.type(), root, team.comm);
  }
  check(own.is_as_expected() && all.is_as_expected(), team, "gatherv");
}

void try_scatterv(const Team& team, int root, bool in_place, const Layout& mine, const Layout& theirs) {
  const Blocks blocks(team.size, [&](int r) { return count_of(team, root, r); });
  const int own_count = blocks.counts[static_cast<size_t>(team.rank)];
  Buffer own(mine, own_count), all(theirs, blocks.elements);
  if (team.rank != root || !in_place) fill(own, team, 0, root, team.rank, own_count, true);
  if (team.rank != root) {
    MPI_Scatterv(nullptr, nullptr, nullptr, MPI_DATATYPE_NULL, own.data(), own_count, mine.type(), root,
                 team.comm);
  } else {
    for (size_t r = 0; r < blocks.counts.size(); ++r)
      fill(all, team, blocks.places[r], root, static_cast<int>(r), blocks.counts[r], false);
    MPI_Scatterv(all.data(), blocks.counts.data(), blocks.places.data(), theirs.type(),
                 in_place ? MPI_IN_PLACE : own.data(), own_count, mine.type(), root, team.comm);
  }
  check(own.is_as_expected() && all.is_as_expected(), team, "scatterv");
}

void try_allgatherv(const Team& team, bool in_place, const Layout& mine, const Layout& theirs) {
  const Blocks blocks(team.size, [&](int r) { return count_of(team, r, k_everybody); });
  const int own_count = blocks.counts[static_cast<size_t>(team.rank)];
  Buffer own(mine, own_count), all(theirs, blocks.elements);
  fill(own, team, 0, team.rank, k_everybody, own_count, false);
  for (size_t r = 0; r < blocks.counts.size(); ++r)
    fill(all, team, blocks.places[r], static_cast<int>(r), k_everybody, blocks.counts[r],
         !(in_place && static_cast<int>(r) == team.rank));
  MPI_Allgatherv(in_place ? MPI_IN_PLACE : own.data(), own_count, mine.type(), all.data(),
                 blocks.counts.data(), blocks.places.data(), theirs.type(), team.comm);
  check(own.is_as_expected() && all.is_as_expected(), team, "allgatherv");
}

/// With MPI_IN_PLACE, the data to a rank has the size of the data from it.
int exchanged(const Team& team, int from, int to, bool in_place) {
  return in_place && from > to ? count_of(team, to, from) : count_of(team, from, to);
}

struct Exchange {
  Blocks sent, received;
  Buffer input, output;

  Exchange(const Team& team, bool in_place, const Layout& mine, const Layout& theirs)
      : sent(team.size, [&](int r) { return exchanged(team, team.rank, r, in_place); }),
        received(team.size, [&](int r) { return exchanged(team, r, team.rank, in_place); }),
        input(mine, sent.elements),
        output(theirs, received.elements) {
    for (int r = 0; r < team.size; ++r) {
      const auto at = static_cast<size_t>(r);
      if (in_place)
        fill(output, team, received.places[at], team.rank, r, received.counts[at], false);
      else
        fill(input, team, sent.places[at], team.rank, r, sent.counts[at], false);
    }
    for (int r = 0; r < team.size; ++r) {
      const auto at = static_cast<size_t>(r);
      fill(output, team, received.places[at], r, team.rank, received.counts[at], true);
    }
  }
  bool is_right() const { return input.is_as_expected() && output.is_as_expected(); }
};

void try_alltoallv(const Team& team, bool in_place, const Layout& mine, const Layout& theirs) {
  Exchange e(team, in_place, mine, theirs);
  MPI_Alltoallv(in_place ? MPI_IN_PLACE : e.input.data(), e.sent.counts.data(), e.sent.places.data(),
                mine.type(), e.output.data(), e.received.counts.data(), e.received.places.data(),
                theirs.type(), team.comm);
  check(e.is_right(), team, "alltoallv");
}

void try_alltoallw(const Team& team, bool in_place, const Layout& mine, const Layout& theirs) {
  Exchange e(team, in_place, mine, theirs);
  const auto in_bytes = [](std::vector<int> places, const Layout& layout) {
    for (int& place : places) place *= static_cast<int>(layout.extent());
    return places;
  };
  const std::vector<int> sent_places = in_bytes(e.sent.places, mine);
  const std::vector<int> received_places = in_bytes(e.received.places, theirs);
  const std::vector<MPI_Datatype> sent_types(static_cast<size_t>(team.size), mine.type());
  const std::vector<MPI_Datatype> received_types(static_cast<size_t>(team.size), theirs.type());
  MPI_Alltoallw(in_place ? MPI_IN_PLACE : e.input.data(), e.sent.counts.data(), sent_places.data(),
                sent_types.data(), e.output.data(), e.received.counts.data(), received_places.data(),
                received_types.data(), team.comm);
  check(e.is_right(), team, "alltoallw");
}

}  // namespace

void try_vectors(Team team) {
  for (int round = 0; round < 4; ++round) {
    ++team.seed;
    const int root = static_cast<int>(hash(team.seed, 1) % static_cast<uint32_t>(team.size));
    const bool in_place = hash(team.seed, 2) % 2 == 0;
    const auto kind = static_cast<int>(hash(team.seed, static_cast<uint32_t>(team.rank), 3) % 100);
    const Layout mine(kind), theirs(kind / 2);
    try_gatherv(team, root, in_place, mine, theirs);
    try_scatterv(team, root, in_place, mine, theirs);
    try_allgatherv(team, in_place, mine, theirs);
    try_alltoallv(team, in_place, mine, theirs);
    try_alltoallw(team, in_place, mine, theirs);
  }
}

}  // namespace tutti::test
