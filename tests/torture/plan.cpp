#include "plan.hpp"

#include <algorithm>
#include <map>

namespace torture {

namespace {

constexpr std::array<std::string_view, k_collective_count> k_names = {
    "barrier",   "bcast",      "reduce",   "allreduce", "reduce_scatter", "reduce_scatter_block",
    "allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw",      "gather",
    "gatherv",   "scatter",    "scatterv", "scan",      "exscan"};

constexpr size_t k_most_communicators = 7, k_most_persistent = 6, k_most_windows = 2;

}  // namespace

std::string_view name_of(Collective collective) {
  return k_names[static_cast<size_t>(collective)];
}

bool Op::may_be_reordered() const {
  if (kind == Kind::collective) return interface == Interface::nonblocking;
  return kind == Kind::start_persistent;
}

int Members::rank_of(int world_rank) const {
  const auto found = std::find(ranks.begin(), ranks.end(), world_rank);
  return found == ranks.end() ? -1 : static_cast<int>(found - ranks.begin());
}

/// Draws one operation after the other, and knows what there is at each place of the list.
class Planner {
 public:
  Planner(Plan& plan, const Choice& choice) : plan_(plan), choice_(choice) {
    Members world;
    for (int rank = 0; rank < choice.ranks; ++rank) world.ranks.push_back(rank);
    plan_.communicators_.push_back(world);
    alive_.push_back(0);
  }

  void draw_all() {
    while (next_id_ < choice_.operations || !open_messages_.empty()) draw();
  }

 private:
  struct Weight {
    Kind kind;
    int weight;
  };
#ifdef TORTURE_COVERED
  static constexpr int k_window_weight = 0;
  static constexpr bool k_has_neighbours = false;
#else
  static constexpr int k_window_weight = 1;
  static constexpr bool k_has_neighbours = true;
#endif
  static constexpr std::array<Weight, 14> k_weights = {{{Kind::collective, 46},
                                                        {Kind::make_persistent, 4},
                                                        {Kind::start_persistent, 9},
                                                        {Kind::free_persistent, 1},
                                                        {Kind::message, 8},
                                                        {Kind::send, 5},
                                                        {Kind::receive, 5},
                                                        {Kind::make_communicator, 6},
                                                        {Kind::free_communicator, 5},
                                                        {Kind::make_window, k_window_weight},
                                                        {Kind::window_epoch, 3},
                                                        {Kind::free_window, 1},
                                                        {Kind::attribute, 2},
                                                        {Kind::error, 2}}};

  void draw() {
    // The choices for one id do not depend on the number of earlier random draws.
    Random random(mix(choice_.seed, static_cast<uint64_t>(next_id_) + 17));
    Op op{.id = next_id_, .ready = next_id_, .seed = random.next()};
    op.kind = next_id_ < choice_.operations ? draw_kind(random) : closing_kind();
    op.communicator = alive_[static_cast<size_t>(random.below(static_cast<int>(alive_.size())))];
    ++next_id_;
    if (!fill(op, random)) return;
    plan_.operations_.push_back(op);
  }

  Kind draw_kind(Random& random) const {
    int total = 0;
    for (const Weight& weight : k_weights) total += is_wanted(weight.kind) ? weight.weight : 0;
    if (total == 0) return Kind::collective;
    int at = random.below(total);
    for (const Weight& weight : k_weights) {
      if (!is_wanted(weight.kind)) continue;
      if ((at -= weight.weight) < 0) return weight.kind;
    }
    return Kind::collective;
  }

  bool is_wanted(Kind kind) const {
    return choice_.kinds.empty() || choice_.kinds.contains(kind);
  }

  Kind closing_kind() const {
    return plan_.operations_[open_messages_.front()].kind == Kind::send ? Kind::receive : Kind::send;
  }

  /// False: there is nothing that this operation could be done to.
  bool fill(Op& op, Random& random) {
    switch (op.kind) {
      case Kind::collective:
        op.collective = static_cast<Collective>(random.below(k_collective_count));
        op.interface = random.percent(45) ? Interface::blocking : Interface::nonblocking;
        op.is_among_neighbours = k_has_neighbours && members_of(op).has_neighbours && random.percent(40);
        return true;
      case Kind::make_persistent:
        op.collective = static_cast<Collective>(random.below(k_collective_count));
        op.interface = Interface::persistent;
        return persistent_.size() < k_most_persistent && (persistent_.push_back(op), true);
      case Kind::start_persistent:
        return of_object(op, persistent_, random);
      case Kind::free_persistent:
        return of_object(op, persistent_, random) && (forget(persistent_, op.object), true);
      case Kind::message:
        return true;
      case Kind::send:
      case Kind::receive:
        return fill_half(op);
      case Kind::make_communicator:
        return fill_making(op, random);
      case Kind::free_communicator:
        return fill_freeing(op);
      case Kind::make_window:
        return windows_.size() < k_most_windows && (windows_.push_back(op), true);
      case Kind::window_epoch:
        return of_object(op, windows_, random);
      case Kind::free_window:
        return of_object(op, windows_, random) && (forget(windows_, op.object), true);
      case Kind::attribute:
      case Kind::error:
        return true;
    }
    return false;
  }

  static bool of_object(Op& op, const std::vector<Op>& objects, Random& random) {
    if (objects.empty()) return false;
    const Op& object = objects[static_cast<size_t>(random.below(static_cast<int>(objects.size())))];
    op.object = object.id;
    op.communicator = object.communicator;
    return true;
  }

  const Members& members_of(const Op& op) const {
    return plan_.communicators_[static_cast<size_t>(op.communicator)];
  }

  static void forget(std::vector<Op>& objects, int id) {
    std::erase_if(objects, [&](const Op& op) { return op.id == id; });
  }

  /// The other side of the oldest message that has one side only, or the first side of a new one.
  bool fill_half(Op& op) {
    const Kind other = op.kind == Kind::send ? Kind::receive : Kind::send;
    for (auto open = open_messages_.begin(); open != open_messages_.end(); ++open) {
      Op& first = plan_.operations_[*open];
      if (first.kind != other) continue;
      op.object = first.id;
      op.communicator = first.communicator;
      op.seed = first.seed;
      first.object = op.id;
      first.ready = op.id;
      open_messages_.erase(open);
      return true;
    }
    if (members_of(op).any_tag) return false;
    open_messages_.push_back(plan_.operations_.size());
    return true;
  }

  bool fill_making(Op& op, Random& random) {
    if (alive_.size() >= k_most_communicators) return false;
    op.making = static_cast<Making>(random.below(8));
    if (op.making == Making::dup && random.percent(50)) op.making = Making::split;
    const std::vector<int> parent = members_of(op).ranks;
    if (op.making == Making::merge && parent.size() < 2) op.making = Making::idup;
    for (auto& ranks : children(op, parent, random)) {
      if (ranks.empty()) continue;
      alive_.push_back(static_cast<int>(plan_.communicators_.size()));
      plan_.communicators_.push_back({.made_by = op.id,
                                      .color = color_,
                                      .ranks = std::move(ranks),
                                      .any_tag = random.percent(30),
                                      .has_neighbours = op.making == Making::cart});
      ++color_;
    }
    color_ = 0;
    return true;
  }

  static std::vector<std::vector<int>> children(const Op& op, const std::vector<int>& parent,
                                                Random& random) {
    const auto size = static_cast<int>(parent.size());
    std::vector<int> order = parent;
    switch (op.making) {
      case Making::dup:
      case Making::idup:
      case Making::split_shared:
      case Making::merge:
        return {parent};
      case Making::cart:
        order.resize(static_cast<size_t>(random.percent(50) ? size : random.between(1, size)));
        return {order};
      case Making::create:
      case Making::create_group:
        random.shuffle(order);
        order.resize(static_cast<size_t>(random.between(std::min(size, 2), size)));
        return {order};
      case Making::split:
        break;
    }
    // Some ranks may go without.
    random.shuffle(order);
    const int colors = random.between(1, 2);
    std::vector<std::vector<int>> made(static_cast<size_t>(colors));
    for (const int rank : order)
      if (!random.percent(10)) made[static_cast<size_t>(random.below(colors))].push_back(rank);
    return made;
  }

  bool fill_freeing(const Op& op) {
    const auto is_needed = [&](const Op& other) { return other.communicator == op.communicator; };
    if (op.communicator == 0 || std::any_of(persistent_.begin(), persistent_.end(), is_needed)) return false;
    for (const size_t open : open_messages_)
      if (is_needed(plan_.operations_[open])) return false;
    std::erase(alive_, op.communicator);
    return true;
  }

  Plan& plan_;
  const Choice& choice_;
  int next_id_ = 0, color_ = 0;
  std::vector<int> alive_;  // communicators
  std::vector<Op> persistent_, windows_;
  std::vector<size_t> open_messages_;  // places in the list of operations
};

Plan::Plan(const Choice& choice) {
  Planner(*this, choice).draw_all();
  if (!choice.keep.empty()) keep(choice.keep);
}

std::vector<int> Plan::made_by(const Op& op) const {
  std::vector<int> made;
  for (size_t i = 0; i < communicators_.size(); ++i)
    if (communicators_[i].made_by == op.id) made.push_back(static_cast<int>(i));
  return made;
}

/// Operations required by a kept operation must be listed as well: operations not in the list are removed, too.
void Plan::keep(const std::set<int>& ids) {
  std::set<int> kept = ids;
  const auto lacks = [&](const Op& op) {
    const int maker = communicators_[static_cast<size_t>(op.communicator)].made_by;
    return !kept.contains(op.id) || (maker >= 0 && !kept.contains(maker)) ||
           (op.object >= 0 && !kept.contains(op.object));
  };
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (const Op& op : operations_)
      if (kept.contains(op.id) && lacks(op)) is_changed = kept.erase(op.id) > 0;
  }
  std::erase_if(operations_, [&](const Op& op) { return !kept.contains(op.id); });
}

}  // namespace torture
