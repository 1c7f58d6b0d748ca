// Verifier: checks that the final contents match the specification of the collective. The schedules are free of races
// at this point, so that one execution order represents all.

#include "schedule/verifier_contents.hpp"

#include <algorithm>
#include <utility>

#include "schedule/verifier_state.hpp"

namespace tutti::schedule::verifier {

namespace {

class SymbolicExecution {
 public:
  explicit SymbolicExecution(const State& state)
      : state_(state),
        values_(state.problem.commutative),
        private_(state.schedules.size()),
        node_(state.problem.leader_of_node.size()) {
    for (size_t r = 0; r < private_.size(); ++r) {
      fill(private_[r].input, state.problem.ranks[r].input);
      fill(private_[r].output, state.problem.ranks[r].output_before);
    }
  }

  VerifyReport run() {
    for (GlobalId id : state_.order) {
      const Task& task = state_.task(id);
      VerifyReport report;
      switch (task.kind) {
        case TaskKind::copy:
          report = move(id, task.source, id);
          break;
        case TaskKind::recv: {
          const GlobalId send = state_.messages[state_.message_of[id]].send;
          report = move(send, state_.task(send).source, id);
          break;
        }
        case TaskKind::reduce:
          report = reduce(id, task);
          break;
        case TaskKind::send:  // its receive follows directly
        case TaskKind::nop:
          break;
      }
      if (!report.is_ok()) return report;
    }
    return {};
  }

  VerifyReport compare() {
    for (Rank r = 0; r < state_.rank_count(); ++r) {
      Memory wanted;
      fill(wanted, state_.problem.ranks[static_cast<size_t>(r)].output_after);
      const Memory& found = private_[static_cast<size_t>(r)].output;
      if (std::ranges::equal(wanted.pieces(), found.pieces())) continue;
      return difference(r, wanted, found);
    }
    return {};
  }

 private:
  struct Private {
    Memory input, output, scratch;
  };

  void fill(Memory& memory, std::span<const Holding> holdings) {
    for (const Holding& h : holdings) {
      if (h.length == 0) continue;
      const Piece piece{0, h.length, values_.of_ranks(h.first, h.contributor_count), h.origin};
      memory.write(h.at, {&piece, 1});
    }
  }

  Memory& memory(Rank r, Slot slot) {
    Private& mine = private_[static_cast<size_t>(r)];
    switch (slot) {
      case Slot::input:
        return mine.input;
      case Slot::output:
        return mine.output;
      case Slot::scratch:
        return mine.scratch;
      case Slot::node:
        break;
    }
    return node_[static_cast<size_t>(state_.problem.node_of_rank[static_cast<size_t>(r)])];
  }

  VerifyReport load(GlobalId reader, const BufRef& from, std::vector<Piece>& out) {
    out.clear();
    if (const auto missing = memory(state_.rank(reader), from.slot).read(from.offset, from.end(), out))
      return fail(Failure::uninitialised_read, state_, reader,
                  "reads byte " + std::to_string(*missing) + ", which holds nothing");
    return {};
  }

  VerifyReport move(GlobalId reader, const BufRef& from, GlobalId writer) {
    if (from.empty()) return {};
    VerifyReport report = load(reader, from, source_);
    const BufRef& to = state_.task(writer).target;
    if (report.is_ok()) memory(state_.rank(writer), to.slot).write(to.offset, source_);
    return report;
  }

  VerifyReport reduce(GlobalId id, const Task& task) {
    if (task.source.empty()) return {};
    VerifyReport report = load(id, task.source, source_);
    if (report.is_ok()) report = load(id, task.target, target_);
    if (!report.is_ok()) return report;
    const auto bad = [&](std::string what) {
      return fail(Failure::bad_reduction, state_, id, std::move(what));
    };
    const uint64_t element = state_.problem.element_bytes;
    if (task.source.length % element != 0 || source_.front().origin % element != 0)
      return bad("cuts an element of " + std::to_string(element) + " bytes");

    result_.clear();
    auto s = source_.begin(), t = target_.begin();
    for (uint64_t at = 0; at < task.source.length;) {
      const uint64_t to = std::min(s->end, t->end);
      const uint64_t source_origin = s->origin + (at - s->begin), target_origin = t->origin + (at - t->begin);
      if (source_origin != target_origin)
        return bad("combines byte " + std::to_string(source_origin) + " of " + values_.describe(s->value) +
                   " with byte " + std::to_string(target_origin) + " of " + values_.describe(t->value));
      const bool source_first = task.order == OperandOrder::source_first;
      const auto value =
          values_.reduce(source_first ? s->value : t->value, source_first ? t->value : s->value);
      if (!value)
        return bad("counts a rank twice: " + values_.describe(s->value) + " with " +
                   values_.describe(t->value));
      result_.push_back({at, to, *value, source_origin});
      at = to;
      if (s->end == to) ++s;
      if (t->end == to) ++t;
    }
    memory(state_.rank(id), task.target.slot).write(task.target.offset, result_);
    return {};
  }

  /// The task that last wrote a byte of a rank's output, or k_none.
  GlobalId last_writer(Rank r, uint64_t byte) const {
    GlobalId writer = k_none;
    for (GlobalId id : state_.order) {
      const BufRef& to = state_.task(id).target;
      if (state_.rank(id) == r && to.slot == Slot::output && to.offset <= byte && byte < to.end())
        writer = id;
    }
    return writer;
  }

  std::string describe_byte(const Piece& piece, uint64_t byte) const {
    return "byte " + std::to_string(piece.origin + (byte - piece.begin)) + " of " +
           values_.describe(piece.value);
  }

  VerifyReport difference(Rank r, const Memory& wanted, const Memory& found) const {
    const auto [w, f] = std::ranges::mismatch(wanted.pieces(), found.pieces());
    const bool has_wanted = w != wanted.pieces().end(), has_found = f != found.pieces().end();
    // The first differing byte is where one of the two pieces begins or, if they begin alike, where one of them ends.
    uint64_t byte = std::min(has_wanted ? w->begin : ~uint64_t{0}, has_found ? f->begin : ~uint64_t{0});
    const bool same_start =
        has_wanted && has_found && w->begin == f->begin && w->value == f->value && w->origin == f->origin;
    if (same_start) byte = std::min(w->end, f->end);
    const Piece* want = piece_at(wanted, byte);
    const Piece* have = piece_at(found, byte);

    VerifyReport report{.failure = Failure::wrong_result, .rank = r};
    const GlobalId writer = last_writer(r, byte);
    if (writer != k_none) report.task = state_.local(writer);
    report.message = (writer == k_none ? "rank " + std::to_string(r) : name_of(state_, writer)) +
                     ": output byte " + std::to_string(byte);
    if (want == nullptr) {
      report.failure = Failure::stray_write;
      report.message += " lies outside of the result but was written with " + describe_byte(*have, byte);
    } else if (have == nullptr) {
      report.message += " was never written; it should hold " + describe_byte(*want, byte);
    } else {
      const bool order_only = want->origin + (byte - want->begin) == have->origin + (byte - have->begin) &&
                              values_.have_same_ranks(want->value, have->value);
      if (order_only) report.failure = Failure::wrong_order;
      report.message +=
          " holds " + describe_byte(*have, byte) + "; it should hold " + describe_byte(*want, byte);
    }
    return report;
  }

  static const Piece* piece_at(const Memory& memory, uint64_t byte) {
    for (const Piece& piece : memory.pieces())
      if (piece.begin <= byte && byte < piece.end) return &piece;
    return nullptr;
  }

  const State& state_;
  Expressions values_;
  std::vector<Private> private_;
  std::vector<Memory> node_;
  std::vector<Piece> source_, target_, result_;  // scratch of one task
};

}  // namespace

VerifyReport check_contents(const State& state) {
  SymbolicExecution execution(state);
  VerifyReport report = execution.run();
  return report.is_ok() ? execution.compare() : report;
}

}  // namespace tutti::schedule::verifier
