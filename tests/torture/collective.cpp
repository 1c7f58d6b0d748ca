#include "collective.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "calls.hpp"

namespace torture {

namespace {

/// Blocks of a side lie this many elements apart at most, beyond their own length.
constexpr int k_largest_hole = 3;

}  // namespace

CollectiveCall::CollectiveCall(const Op& op, int me, int size, uint64_t private_seed)
    : op_(op), me_(me), size_(size), private_(private_seed) {
  Random random(op.seed);
  draw_element(random);
  draw_shape(random);
  if (op_.collective == Collective::barrier) return;
  build();
  if (is_reduction()) mpi_op_ = make_operator(operator_, with_large_counts_);
  spoil_what_is_insignificant();
}

CollectiveCall::~CollectiveCall() {
  drop_handles();
}

bool CollectiveCall::is_reduction() const {
  switch (op_.collective) {
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
    case Collective::scan:
    case Collective::exscan:
      return true;
    default:
      return false;
  }
}

bool CollectiveCall::is_vector() const {
  switch (op_.collective) {
    case Collective::reduce_scatter:
    case Collective::allgatherv:
    case Collective::alltoallv:
    case Collective::alltoallw:
    case Collective::gatherv:
    case Collective::scatterv:
      return true;
    default:
      return false;
  }
}

void CollectiveCall::draw_element(Random& random) {
  element_ = static_cast<Element>(random.below(6));
  if (!is_reduction()) return;
  switch (element_) {
    case Element::int32:
    case Element::int64: {
      constexpr std::array choices = {Operator::sum, Operator::max, Operator::bxor};
      operator_ = random.one_of(choices);
      return;
    }
    case Element::float64:
      operator_ = random.percent(60) ? Operator::sum : Operator::max;
      return;
    case Element::byte:
      operator_ = Operator::bxor;
      return;
    case Element::located:
      operator_ = Operator::maxloc;
      return;
    case Element::pair:
      operator_ = random.percent(50) ? Operator::add_pairs : Operator::compose;
      has_gap_ = random.percent(30);
      return;
  }
}

/// Elements of one block, where a rank has `parts` of them.
int64_t CollectiveCall::draw_elements(Random& random, int parts) {
  const int kind = random.below(100);
  if (kind < 8) return 0;
  if (kind < 40) return random.between(1, 70);
  const int64_t kib = kind < 90   ? random.between(1, 60)
                      : kind < 98 ? random.between(128, 700)
                                  : random.between(1024, 4096);
  const int64_t elements = kib * 1024 / static_cast<int64_t>(bytes_of(element_)) / parts;
  return random.percent(70) ? elements / 12 * 12 : elements;
}

void CollectiveCall::draw_shape(Random& random) {
  root_ = random.below(size_);
#ifdef MPICH
  // The root's own block is copied when the request is made.
  if (op_.interface == Interface::persistent) root_ = 0;
#endif
  // MPICH cuts the blocks of a long allgatherv by the extent of the datatype.
  same_layout_ = random.percent(40) || op_.collective == Collective::allgatherv;
  layout_seed_ = random.next();
  in_place_ = random.percent(30);
  const bool has_large_counts = random.percent(25);
#ifdef MPICH
  with_large_counts_ = has_large_counts && private_.percent(70);
#else
  static_cast<void>(has_large_counts);
#endif
  const bool is_of_one_part = !is_vector() && op_.collective != Collective::allgather &&
                              op_.collective != Collective::alltoall &&
                              op_.collective != Collective::gather && op_.collective != Collective::scatter &&
                              op_.collective != Collective::reduce_scatter_block;
  const int64_t elements = draw_elements(random, is_of_one_part ? 1 : size_);
  parts_.assign(static_cast<size_t>(size_), elements);
  if (!is_vector()) return;
  for (int64_t& part : parts_)
    if (part = elements * random.below(4) / 2 / 12 * 12; random.percent(20)) part = 0;
  style_ = op_.collective == Collective::alltoallw ? Style::bytes : Style::displaced;
}

/// Elements that rank `from` has for rank `to` in an alltoallv or alltoallw.
int64_t CollectiveCall::matrix(int from, int to) const {
  return parts_[static_cast<size_t>((from * 3 + to) % size_)];
}

CollectiveCall::Piece CollectiveCall::contribution() const {
  return {parts_[0], {.source = me_}};
}

CollectiveCall::Piece CollectiveCall::reduced(int first, int last, int64_t first_index,
                                              int64_t elements) const {
  return {elements, {.source = first, .first_index = first_index, .last = last}};
}

/// Their sizes are the same on all ranks, as both MPIs expect for some of their algorithms, their gaps and order not.
void CollectiveCall::add_layouts(Side& side, const std::vector<Piece>& pieces) {
  if (is_reduction()) {
    side.layouts.push_back(Layout::plain(element_, has_gap_));
    return;
  }
  Random same(layout_seed_);
  const int elements = elements_of_type(parts_, same);
  Random& random = same_layout_ ? same : private_;
  const size_t count = style_ == Style::bytes ? pieces.size() : 1;
  for (size_t i = 0; i < count; ++i) side.layouts.push_back(Layout::any(element_, elements, random));
}

/// Gives the pieces places in memory.
void CollectiveCall::lay_out(Side& side, const std::vector<Piece>& pieces, std::vector<Block>& into) {
  if (side.layouts.empty()) add_layouts(side, pieces);
  std::vector<size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (style_ != Style::uniform && !is_reduction()) private_.shuffle(order);
  into.resize(pieces.size());
  int64_t base = 0;
  for (const size_t i : order) {
    const Layout& layout = side.layouts[style_ == Style::bytes ? i : 0];
    const bool has_holes = style_ != Style::uniform && !is_reduction();
    if (has_holes) base += layout.extent() * private_.below(k_largest_hole + 1);
    into[i] = {.base = base, .elements = pieces[i].elements, .layout = &layout, .content = pieces[i].content};
    base += layout.count_for(pieces[i].elements) * layout.extent();
  }
  side.bytes = std::max(side.bytes, base);
}

void CollectiveCall::set_arguments(Side& side, const std::vector<Block>& blocks) {
  side.buffer.resize(side.bytes);
  side.address = side.buffer.data();
  if (blocks.empty()) return;
  side.type = side.layouts.front().type();
  side.count = side.layouts.front().count_for(blocks.front().elements);
  for (const Block& block : blocks) {
    const int64_t count = block.layout->count_for(block.elements);
    const int64_t unit = style_ == Style::bytes ? 1 : block.layout->extent();
    side.counts.push_back(static_cast<int>(count));
    side.large_counts.push_back(count);
    side.displacements.push_back(static_cast<int>(block.base / unit));
    side.large_displacements.push_back(block.base / unit);
    side.types.push_back(block.layout->type());
  }
}

void CollectiveCall::build() {
  switch (op_.collective) {
    case Collective::barrier:
      return;
    case Collective::bcast:
      return build_bcast();
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan:
      return build_reduction();
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      return build_reduce_scatter();
    case Collective::allgather:
    case Collective::allgatherv:
      return build_gathering(false);
    case Collective::gather:
    case Collective::gatherv:
      return build_gathering(true);
    case Collective::scatter:
    case Collective::scatterv:
      return build_scatter();
    case Collective::alltoall:
    case Collective::alltoallv:
    case Collective::alltoallw:
      return build_alltoall();
  }
}

void CollectiveCall::build_bcast() {
  in_place_ = false;
  lay_out(receive_, {{parts_[0], {.source = root_}}}, receive_.expected);
  if (me_ == root_) receive_.filled = receive_.expected;
  set_arguments(receive_, receive_.expected);
}

void CollectiveCall::build_reduction() {
#ifdef MPICH
  // MPICH 4.0 crashes with other roots.
  if (op_.collective == Collective::reduce) in_place_ = in_place_ && root_ == 0;
#endif
  const bool is_reduce = op_.collective == Collective::reduce;
  const int last = op_.collective == Collective::scan     ? me_
                   : op_.collective == Collective::exscan ? me_ - 1
                                                          : size_ - 1;
  if (is_reduce && me_ != root_) in_place_ = false;
  lay_out(send_, {contribution()}, send_.filled);
  set_arguments(send_, send_.filled);
  if (is_reduce && me_ != root_) return;
  lay_out(receive_, {reduced(0, std::max(last, 0), 0, parts_[0])}, receive_.expected);
  if (last < 0) receive_.unspecified_from = 0;
  if (in_place_) lay_out(receive_, {contribution()}, receive_.filled);
  set_arguments(receive_, receive_.expected);
}

void CollectiveCall::build_reduce_scatter() {
  const int64_t total = std::accumulate(parts_.begin(), parts_.end(), int64_t{0});
  const int64_t before = std::accumulate(parts_.begin(), parts_.begin() + me_, int64_t{0});
  const int64_t mine = parts_[static_cast<size_t>(me_)];
  const Piece all{total, {.source = me_}};
  lay_out(send_, {all}, send_.filled);
  set_arguments(send_, send_.filled);
  lay_out(receive_, {reduced(0, size_ - 1, before, mine)}, receive_.expected);
  if (in_place_) {
    receive_.unspecified_from = receive_.bytes;
    lay_out(receive_, {all}, receive_.filled);
  }
  set_arguments(receive_, receive_.expected);
  receive_.counts.assign(parts_.begin(), parts_.end());
  receive_.large_counts.assign(parts_.begin(), parts_.end());
}

void CollectiveCall::build_gathering(bool has_root) {
  const bool has_result = !has_root || me_ == root_;
  if (!has_result) in_place_ = false;
  const Piece mine{parts_[static_cast<size_t>(me_)], {.source = me_}};
  const Style style = std::exchange(style_, Style::uniform);
  lay_out(send_, {mine}, send_.filled);
  set_arguments(send_, send_.filled);
  style_ = style;
  if (!has_result) return;
  std::vector<Piece> pieces;
  for (int rank = 0; rank < size_; ++rank)
    pieces.push_back({parts_[static_cast<size_t>(rank)], {.source = rank}});
  lay_out(receive_, pieces, receive_.expected);
  if (in_place_) receive_.filled = {receive_.expected[static_cast<size_t>(me_)]};
  set_arguments(receive_, receive_.expected);
}

void CollectiveCall::build_scatter() {
  if (me_ != root_) in_place_ = false;
  if (me_ == root_) {
    std::vector<Piece> pieces;
    for (int rank = 0; rank < size_; ++rank)
      pieces.push_back({parts_[static_cast<size_t>(rank)], {.source = root_, .target = rank}});
    lay_out(send_, pieces, send_.filled);
    set_arguments(send_, send_.filled);
  }
  const Style style = std::exchange(style_, Style::uniform);
  const Piece mine{parts_[static_cast<size_t>(me_)], {.source = root_, .target = me_}};
  lay_out(receive_, {mine}, receive_.expected);
  set_arguments(receive_, receive_.expected);
  style_ = style;
}

void CollectiveCall::build_alltoall() {
  // Open MPI 4.1 crashes, MPICH 4.0 exchanges the wrong blocks.
  if (op_.interface != Interface::blocking) in_place_ = false;
  // With MPI_IN_PLACE, a rank receives from each peer as much as it sends to it.
  const auto elements = [&](int from, int to) {
    return in_place_ ? matrix(std::min(from, to), std::max(from, to)) : matrix(from, to);
  };
  std::vector<Piece> sent, received;
  for (int rank = 0; rank < size_; ++rank) {
    sent.push_back({elements(me_, rank), {.source = me_, .target = rank}});
    received.push_back({elements(rank, me_), {.source = rank, .target = me_}});
  }
  if (!in_place_) {
    lay_out(send_, sent, send_.filled);
    set_arguments(send_, send_.filled);
  }
  lay_out(receive_, received, receive_.expected);
  if (in_place_) {
    receive_.filled = receive_.expected;
    for (int rank = 0; rank < size_; ++rank)
      receive_.filled[static_cast<size_t>(rank)].content = sent[static_cast<size_t>(rank)].content;
  }
  set_arguments(receive_, receive_.expected);
}

void CollectiveCall::fill(int round) {
  const uint64_t key = mix(static_cast<uint64_t>(op_.id), static_cast<uint64_t>(round));
  send_.buffer.fill(send_.filled, key, operator_);
  receive_.buffer.fill(receive_.filled, key, operator_);
}

std::string CollectiveCall::describe() const {
  constexpr std::array interfaces = {"blocking ", "nonblocking ", "persistent "};
  constexpr std::array elements = {"int32", "int64", "float64", "byte", "pair", "located"};
  std::string text = interfaces[static_cast<size_t>(op_.interface)] + std::string(name_of(op_.collective));
  if (op_.collective == Collective::barrier) return text;
  text += " of " + std::to_string(parts_[0]) + " " + elements[static_cast<size_t>(element_)];
  text +=
      ", root " + std::to_string(root_) + ", rank " + std::to_string(me_) + " of " + std::to_string(size_);
  if (in_place_) text += ", in place";
  if (with_large_counts_) text += ", with large counts";
  if (is_reduction())
    text += ", operator " + std::to_string(static_cast<int>(operator_)) + (has_gap_ ? " with a gap" : "");
  return text;
}

uint64_t CollectiveCall::check(int round) {
  const uint64_t key = mix(static_cast<uint64_t>(op_.id), static_cast<uint64_t>(round));
  std::string wrong = send_.buffer.compare(send_.filled, key, operator_, INT64_MAX / 2);
  if (!wrong.empty()) fail(describe() + " has written into its send buffer: " + wrong);
  wrong = receive_.buffer.compare(receive_.expected, key, operator_,
                                  std::min(receive_.unspecified_from, INT64_MAX / 2));
  if (!wrong.empty()) fail("wrong result of " + describe() + ": " + wrong);
  return mix(key, receive_.buffer.digest(std::min(receive_.buffer.size(), receive_.unspecified_from)));
}

}  // namespace torture
